import { z } from 'zod'
import { withoutUndefined } from '../../platform/internal.js'
import { CommandInvalid, CommandRefused, JobNotFound, JobUnreadable } from '../../sas/index.js'
import type { Progress } from './operation-log.js'
import { filterOf, filterShape } from './filters.js'
import type { PageStore } from './page-store.js'
import { RequestInvalid, route } from './route.js'

const jobName = z.strictObject({ jobId: z.string().min(1), partitionKey: z.string().min(1).optional() })

type JobName = z.infer<typeof jobName>

/** The largest number of jobs that one request names. More jobs are selected by a filter. */
const mostNamed = 500

/** The jobs of an action. Exactly one of the fields is given. */
const selectionShape = {
  job: jobName.optional(),
  jobs: z.array(jobName).min(1).max(mostNamed).optional(),
  filter: z
    .strictObject(filterShape)
    .optional()
    .meta({ description: 'Every job that matches. An empty filter matches every job.' }),
  dryRun: z.boolean().default(false).meta({ description: 'Only check, and write nothing.' }),
  operation: z.uuid().optional().meta({
    description:
      'The id under which an action on many jobs is listed, so that it can be followed and stopped.',
  }),
}

const reason = z.string().trim().min(1).meta({ description: 'The reason, stored with the job.' })

/** The answer of every action: what accepted it, and what refused it, with the reason. */
export const report = z.strictObject({
  isDryRun: z.boolean(),
  done: z.array(z.string()),
  refused: z.array(z.strictObject({ jobId: z.string(), reason: z.string() })),
})

type Report = z.infer<typeof report>

interface Selected {
  readonly job?: JobName | undefined
  readonly jobs?: readonly JobName[] | undefined
  readonly filter?: z.infer<NonNullable<typeof selectionShape.filter>> | undefined
  readonly dryRun: boolean
  readonly operation?: string | undefined
}

interface Perform {
  readonly one: (name: JobName) => Promise<unknown>
  readonly all: (filter: NonNullable<Selected['filter']>, progress: Progress) => Promise<Report>
}

/** The decision that an action stores with each job. */
interface Decision {
  readonly command: string
  readonly why: string
}

/** Carries out an action on the selected jobs. A refusal of a single job is an error. */
async function performed(
  { operations, by, clock }: PageStore,
  { command, why }: Decision,
  selected: Selected,
  { one, all }: Perform,
): Promise<Report> {
  const { job, jobs, filter, dryRun, operation } = selected
  if ([job, jobs, filter].filter((part) => part !== undefined).length !== 1) {
    throw new RequestInvalid('name exactly one of job, jobs and filter')
  }
  if (job !== undefined) {
    await one(job)
    return { isDryRun: dryRun, done: [job.jobId], refused: [] }
  }
  const many = (progress: Progress): Promise<Report> =>
    filter === undefined
      ? eachOf(jobs ?? [], { isDryRun: dryRun, progress, clock }, one)
      : all(filter, progress)
  // A dry run changes nothing, so it is not listed.
  if (dryRun) return many(unwatched)
  const id = operation ?? operations.newId()
  if (operations.has(id)) throw new RequestInvalid('this operation was begun before: choose another id')
  return operations.run({ id, command, by, why }, many)
}

const unwatched: Progress = { onProgress: () => undefined, signal: new AbortController().signal }

interface Each {
  readonly isDryRun: boolean
  readonly progress: Progress
  readonly clock: PageStore['clock']
}

/** Carries out an action on each job. Lists the jobs that refuse it, and continues with the others. */
async function eachOf(
  jobs: readonly JobName[],
  { isDryRun, progress, clock }: Each,
  one: Perform['one'],
): Promise<Report> {
  const done: string[] = []
  const refused: Report['refused'] = []
  for (const name of jobs) {
    if (progress.signal.aborted) break
    // A store in this process answers at once, so the server could answer no other request until the end.
    await clock.sleep(0)
    try {
      await one(name)
      done.push(name.jobId)
    } catch (error) {
      if (!isAboutOne(error)) throw error
      refused.push({ jobId: name.jobId, reason: error.message })
    }
    progress.onProgress(done.length + refused.length, jobs.length)
  }
  return { isDryRun, done, refused }
}

function isAboutOne(error: unknown): error is Error {
  return [CommandRefused, CommandInvalid, JobNotFound, JobUnreadable].some((type) => error instanceof type)
}

function refuseStep(selected: Selected, parts: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (given.length > 0 && selected.job === undefined) {
    throw new RequestInvalid(`${given.join(' and ')} need one job: name it in the field job`)
  }
}

const resubmit = route({
  method: 'POST',
  path: '/api/actions/resubmit',
  summary: 'Retries the failed steps of jobs in Error, or restarts jobs that were undone.',
  asked: z.strictObject({
    ...selectionShape,
    step: z.string().min(1).optional(),
    input: z.unknown().optional().meta({ description: 'The new input of the step.' }),
    why: reason,
  }),
  answer: report,
  handle: async (store, { step, input, why, ...selected }) => {
    const { client, by, clock } = store
    refuseStep(selected, { step, input })
    const { dryRun } = selected
    return performed(store, { command: 'resubmit', why }, selected, {
      one: ({ jobId, ...where }) =>
        client.resubmit(jobId, { by, why, dryRun, ...withoutUndefined({ ...where, step, input }) }),
      all: async (filter, progress) =>
        copied(await client.select(filterOf(filter, clock.now())).resubmit({ by, why, dryRun, ...progress })),
    })
  },
})

const release = route({
  method: 'POST',
  path: '/api/actions/release',
  summary: 'Lets steps that are parked or in an extended wait continue.',
  asked: z.strictObject({
    ...selectionShape,
    step: z.string().min(1).optional(),
    why: reason.default('released'),
  }),
  answer: report,
  handle: async (store, { step, why, ...selected }) => {
    const { client, by, clock } = store
    refuseStep(selected, { step })
    const { dryRun } = selected
    return performed(store, { command: 'release', why }, selected, {
      one: ({ jobId, ...where }) =>
        client.release(jobId, { by, why, dryRun, ...withoutUndefined({ ...where, step }) }),
      all: async (filter, progress) =>
        copied(await client.select(filterOf(filter, clock.now())).release({ by, why, dryRun, ...progress })),
    })
  },
})

const cancel = route({
  method: 'POST',
  path: '/api/actions/cancel',
  summary: 'Stops jobs, and undoes what was done.',
  asked: z.strictObject({ ...selectionShape, why: reason }),
  answer: report,
  handle: async (store, { why, ...selected }) => {
    const { client, by, clock } = store
    const { dryRun } = selected
    return performed(store, { command: 'cancel', why }, selected, {
      one: ({ jobId, ...where }) => client.cancel(jobId, why, { by, dryRun, ...withoutUndefined(where) }),
      all: async (filter, progress) =>
        copied(await client.select(filterOf(filter, clock.now())).cancel(why, { by, dryRun, ...progress })),
    })
  },
})

const mostNotices = 1_000

const resend = route({
  method: 'POST',
  path: '/api/actions/resend',
  summary: 'Sends again the notices of jobs that were given up.',
  asked: z.strictObject({
    ...selectionShape,
    filter: z.strictObject({ workflow: filterShape.workflow }).optional(),
    why: reason.default('sent again'),
  }),
  answer: report,
  handle: async (store, { why, ...selected }) => {
    const { client, by, clock } = store
    const one = ({ jobId }: JobName) => client.resend(jobId, { by, why, dryRun: selected.dryRun })
    return performed(store, { command: 'resend', why }, selected, {
      one,
      all: async ({ workflow }, progress) => {
        const notices = await client.undelivered({ ...withoutUndefined({ workflow }), limit: mostNotices })
        const jobs = [...new Set(notices.map(({ jobId }) => jobId))].map((jobId) => ({ jobId }))
        return eachOf(jobs, { isDryRun: selected.dryRun, progress, clock }, one)
      },
    })
  },
})

const raise = route({
  method: 'POST',
  path: '/api/actions/raise',
  summary: 'Raises the event of a step that waits for one.',
  roles: ['Operator', 'Approver'],
  asked: z.strictObject({ job: jobName, step: z.string().min(1), payload: z.unknown().default(null) }),
  answer: report,
  handle: async ({ client }, { job: { jobId, ...where }, step, payload }) => {
    await client.raiseEvent(jobId, step, payload, withoutUndefined(where))
    return { isDryRun: false, done: [jobId], refused: [] }
  },
})

const submit = route({
  method: 'POST',
  path: '/api/actions/submit',
  summary: 'Submits a job of a workflow of the module that the page was started with.',
  asked: z.strictObject({
    workflow: z.string().min(1),
    input: z.unknown(),
    jobId: z.string().min(1).optional(),
  }),
  answer: z.strictObject({ jobId: z.string(), partitionKey: z.string() }),
  handle: async (store, { workflow: name, input, jobId }) => {
    const workflow = workflowNamed(store, name)
    const { parse } = workflow.submission
    const parsed = parse === undefined ? input : parsedBy(parse, input)
    const job = await store.client.submit(workflow, parsed, withoutUndefined({ jobId }))
    return { jobId: job.jobId, partitionKey: job.partitionKey }
  },
})

function workflowNamed({ workflows }: PageStore, name: string): PageStore['workflows'][number] {
  const found = workflows.find((workflow) => workflow.name === name)
  if (found !== undefined) return found
  const known = workflows.map((workflow) => JSON.stringify(workflow.name)).join(', ')
  const advice = known === '' ? 'start the page with --workflows MODULE' : `the module has ${known}`
  throw new RequestInvalid(`unknown workflow ${JSON.stringify(name)}: ${advice}`)
}

/** Reads an input with the function of the workflow, whose error is about the input. */
function parsedBy(parse: (value: unknown) => unknown, input: unknown): unknown {
  try {
    return parse(input)
  } catch (error) {
    throw new RequestInvalid(`input: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function copied({
  isDryRun,
  done,
  refused,
}: {
  readonly isDryRun: boolean
  readonly done: readonly string[]
  readonly refused: readonly { readonly jobId: string; readonly reason: string }[]
}): Report {
  return { isDryRun, done: [...done], refused: [...refused] }
}

/** The routes that change jobs. */
export const actions = [submit, resubmit, release, cancel, resend, raise]
