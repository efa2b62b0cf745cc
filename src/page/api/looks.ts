import { z } from 'zod'
import {
  adviceOn,
  earliest,
  estimateLag,
  examine,
  listDeadLetters,
  listLeases,
  misspeltNames,
  pageAfter,
  pageBefore,
  readAttention,
} from '../../operations/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import { JobNotFound, type JobFilter } from '../../sas/index.js'
import { about } from './about.js'
import {
  jobDocumentId,
  processStates,
  readJobDetail,
  readJobDocuments,
  whatLacks,
} from '../../sas/internal.js'
import type { PageStore } from './page-store.js'
import { containerName, filterOf, filterShape, rowLimit, wholeNumber } from './filters.js'
import { RequestInvalid, route } from './route.js'
import { attentionGroup, deadLetter, jobDetail, jobSummary, lag, leaseRow } from './shapes.js'

const defaultLimit = 50

const nameWarnings = z
  .array(z.string())
  .meta({ description: 'If nothing was found: which name of the filter may be misspelt.' })

const jobs = route({
  method: 'GET',
  path: '/api/jobs',
  summary: 'One page of jobs, the newest submission first.',
  asked: z.strictObject({
    ...filterShape,
    attention: z.enum(['true']).optional(),
    before: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'A time, or the value of `next` of the previous page.' }),
    limit: rowLimit(defaultLimit),
  }),
  answer: z.strictObject({
    jobs: z.array(jobSummary),
    next: z.string().nullable(),
    unreadable: z.number().meta({ description: 'The number of jobs whose document cannot be read.' }),
    charge: z.number().meta({ description: 'The request units of the query.' }),
    warnings: nameWarnings,
  }),
  handle: async ({ client, clock, charges, workflows }, { before, attention, limit, ...filter }) => {
    const page: ReturnType<typeof pageBefore> = before === undefined ? {} : pageBefore(before, clock.now())
    if (page === null)
      throw new RequestInvalid(`before ${JSON.stringify(before)} is neither a time nor a page`)
    const given = filterOf(filter, clock.now())
    const wanted: JobFilter = {
      ...given,
      ...page,
      ...withoutUndefined({ before: earliest(given.before, page.before) }),
      ...(attention === undefined ? {} : { isFlagged: true as const }),
      limit: limit + 1,
    }
    const [{ value: found, charge }, unreadable] = await Promise.all([
      charges.summed(() => client.list(wanted)),
      client.unreadable(),
    ])
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      jobs: shown,
      next: last === undefined ? null : pageAfter(last),
      unreadable: unreadable.length,
      charge,
      warnings: shown.length > 0 ? [] : await misspeltNames(client, given, () => workflows),
    }
  },
})

const job = route({
  method: 'GET',
  path: '/api/job',
  summary: 'One job with its steps, inputs, outputs, notices and decisions of operators.',
  asked: z.strictObject({ jobId: z.string().min(1), partitionKey: z.string().min(1).optional() }),
  answer: jobDetail,
  handle: async ({ client, ports, clock }, { jobId, partitionKey }) => {
    const found = await client.get(jobId, withoutUndefined({ partitionKey }))
    if (found === null) throw new JobNotFound(jobId)
    const address = { pk: found.partitionKey, id: jobDocumentId(jobId), jobId }
    const detail = await readJobDetail({ store: ports.state, clock }, address)
    return { ...detail, advice: detail.attention === null ? null : adviceOn(detail, detail.attention) }
  },
})

const lacking = route({
  method: 'GET',
  path: '/api/lacking',
  summary: 'Which roles or agents a job lacks, from the leases. Costs about 10 request units.',
  asked: z.strictObject({ jobId: z.string().min(1), partitionKey: z.string().min(1).optional() }),
  answer: z.strictObject({
    why: z
      .string()
      .nullable()
      .meta({ description: 'A sentence that comes before `why` of the job, or null if nothing is missing.' }),
  }),
  handle: async ({ client, lacks }, { jobId, partitionKey }) => {
    const found = await client.get(jobId, withoutUndefined({ partitionKey }))
    if (found === null) throw new JobNotFound(jobId)
    return { why: await whatLacks({ lacks }, await found.view({ hidesSecrets: true })) }
  },
})

const documents = route({
  method: 'GET',
  path: '/api/documents',
  summary: 'The documents of a job as they are stored, without secret values.',
  asked: z.strictObject({
    jobId: z.string().min(1),
    partitionKey: z.string().min(1).optional(),
    others: z
      .enum(['true'])
      .optional()
      .meta({ description: 'Also the first 50 documents of users in the partition of the job.' }),
  }),
  answer: z.strictObject({
    job: z.looseObject({}),
    steps: z.array(z.looseObject({})),
    others: z
      .strictObject({
        documents: z.array(z.strictObject({ id: z.string(), document: z.looseObject({}).nullable() })),
        isCut: z.boolean(),
      })
      .nullable(),
    charge: z.number(),
  }),
  handle: async ({ client, ports, charges }, { jobId, partitionKey, others }) => {
    const { value, charge } = await charges.summed(async () => {
      const found = await client.get(jobId, withoutUndefined({ partitionKey }))
      if (found === null) throw new JobNotFound(jobId)
      const address = { pk: found.partitionKey, id: jobDocumentId(jobId), jobId }
      return readJobDocuments(
        { store: ports.state, queries: others === undefined ? null : ports.queries },
        address,
      )
    })
    return { ...value, charge }
  },
})

const counts = route({
  method: 'GET',
  path: '/api/counts',
  summary: 'The number of jobs in each state. The charge grows with the number of jobs.',
  asked: z.strictObject({}),
  answer: z.record(z.enum(processStates), z.number()),
  handle: ({ client }) => client.counts(),
})

const attention = route({
  method: 'GET',
  path: '/api/attention',
  summary: 'The problems that need a person, grouped by cause, with advice.',
  asked: z.strictObject({
    ...filterShape,
    assignee: z.string().min(1).optional().meta({ description: 'Only jobs assigned to this person.' }),
    snoozed: z
      .enum(['true'])
      .optional()
      .meta({ description: 'Only jobs that are snoozed. They are left out otherwise.' }),
  }),
  answer: z.strictObject({
    groups: z.array(attentionGroup),
    jobs: z.number(),
    notices: z.number(),
    isStanding: z.boolean(),
    snoozed: z.number().meta({ description: 'The number of jobs that are left out.' }),
    nextSnoozeEnd: z.string().nullable(),
    nextSnoozeInMs: z
      .number()
      .nullable()
      .meta({ description: 'The time until then, by the clock of the server.' }),
    warnings: nameWarnings,
  }),
  handle: async ({ client, selection, clock, workflows }, { assignee, snoozed, ...filter }) => {
    const now = clock.now()
    const asked = filterOf(filter, now)
    const found = await readAttention(client, selection, {
      filter: asked,
      now,
      assignee,
      onlySnoozed: snoozed === 'true',
    })
    const { nextSnoozeEnd } = found
    return {
      ...found,
      nextSnoozeInMs: nextSnoozeEnd === null ? null : Date.parse(nextSnoozeEnd) - now,
      warnings: found.groups.length > 0 ? [] : await misspeltNames(client, asked, () => workflows),
    }
  },
})

const unit = { processor: z.string().min(1).optional() }

function unitsOf({ selection }: PageStore, { processor }: { readonly processor?: string | undefined }) {
  return { ...selection, ...(processor === undefined ? {} : { processorName: processor }) }
}

const leases = route({
  method: 'GET',
  path: '/api/leases',
  summary: 'The instance that reads each feed range.',
  asked: z.strictObject(unit),
  answer: z.array(leaseRow),
  handle: (store, asked) => listLeases(unitsOf(store, asked)),
})

const lags = route({
  method: 'GET',
  path: '/api/lag',
  summary: 'The number of changes that each lease is behind, and the age of the oldest.',
  asked: z.strictObject(unit),
  answer: lag,
  handle: (store, asked) => estimateLag(unitsOf(store, asked)),
})

const finding = z.strictObject({
  rule: z.string(),
  severity: z.enum(['problem', 'hint']),
  processorName: z.string().nullable(),
  observation: z.string(),
  advice: z.string(),
  agent: z
    .string()
    .optional()
    .meta({ description: 'The agent that the finding is about, if it is about one.' }),
})

const findings = route({
  method: 'GET',
  path: '/api/findings',
  summary: 'What is wrong with the containers and leases, and what to do.',
  asked: z.strictObject(unit),
  answer: z.array(finding),
  handle: (store, asked) => examine(unitsOf(store, asked)),
})

/** Returns the name of an error's type. Other texts may be data of the document, which browsers must not get. */
function typeName(name: string): string {
  return /^[A-Za-z]\w{0,59}$/u.test(name) ? name : 'Error'
}

const deadLetters = route({
  method: 'GET',
  path: '/api/dead-letters',
  summary: 'The newest changes that a change feed processor has set aside in a container.',
  // The answer contains ids of documents in any container that the server can read.
  roles: ['Operator'],
  asked: z.strictObject({
    container: containerName,
    database: containerName.optional().meta({ description: 'Default: the database of the page.' }),
    limit: wholeNumber(1, 1_000).default(100),
  }),
  answer: z.array(deadLetter),
  handle: async ({ selection }, { database, ...asked }) => {
    const found = await listDeadLetters({ ...selection, ...withoutUndefined({ database }) }, asked)
    return found.map(({ error, ...rest }) => ({ ...rest, error: typeName(error.name) }))
  },
})

/** The routes that change nothing. */
export const looks = [
  about,
  jobs,
  job,
  lacking,
  documents,
  counts,
  attention,
  leases,
  lags,
  findings,
  deadLetters,
]
