import { z } from 'zod'
import { causeOfNotice } from '../../operations/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import {
  mostCancelPlans,
  newInputWarnings,
  readCancelPlans,
  type JobCancelPlan,
  tagsByName,
  withoutSecretsOf,
} from '../../sas/internal.js'
import { cause, filterShape, selectedBy, tagRule } from './filters.js'
import type { PageStore } from './page-store.js'
import {
  eachOf,
  jobName,
  performed,
  reason,
  reasonUnlessDry,
  report,
  selectionShape,
  whyOf,
  type JobName,
  type Report,
  type Selected,
} from './performed.js'
import { RequestInvalid, route } from './route.js'

/** Refuses parts that are about one job, if the action is on several. */
export function refuseParts(selected: Selected, parts: Readonly<Record<string, unknown>>): void {
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
    why: reasonUnlessDry,
  }),
  answer: report,
  handle: async (store, { step, input, why: given, ...selected }) => {
    const { client, by, clock } = store
    refuseParts(selected, { step, input })
    const { dryRun } = selected
    const why = whyOf(given, dryRun)
    const { job } = selected
    const warnings = input === undefined || job === undefined ? [] : await newInputWarnings(client, job, step)
    const found = await performed(store, 'resubmit', selected, {
      one: ({ jobId, ...where }) =>
        client.resubmit(jobId, { by, why, dryRun, ...withoutUndefined({ ...where, step, input }) }),
      all: async (filter, progress) =>
        copied(
          await client.select(selectedBy(filter, clock.now())).resubmit({ by, why, dryRun, ...progress }),
        ),
    })
    return warnings.length === 0 ? found : { ...found, warnings }
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
    refuseParts(selected, { step })
    const { dryRun } = selected
    return performed(store, 'release', selected, {
      one: ({ jobId, ...where }) =>
        client.release(jobId, { by, why, dryRun, ...withoutUndefined({ ...where, step }) }),
      all: async (filter, progress) =>
        copied(
          await client.select(selectedBy(filter, clock.now())).release({ by, why, dryRun, ...progress }),
        ),
    })
  },
})

const cancelPlans = z
  .array(
    z.strictObject({
      jobId: z.string(),
      stopped: z.array(z.string()).meta({ description: 'The steps under way.' }),
      undone: z.array(z.string()).meta({ description: 'The steps whose effects are undone.' }),
      kept: z
        .array(z.string())
        .meta({ description: 'The steps that have, or may have, an effect that no undo removes.' }),
      uncertain: z.array(z.string()).meta({
        description: 'Those of the undone and kept steps whose attempts may have acted without a success.',
      }),
    }),
  )
  .optional()
  .meta({
    description: `What would become of the steps of the first ${mostCancelPlans} jobs. Only the report of a dry run has it.`,
  })

const cancel = route({
  method: 'POST',
  path: '/api/actions/cancel',
  summary: 'Stops jobs, and undoes what was done.',
  asked: z.strictObject({ ...selectionShape, why: reasonUnlessDry }),
  answer: report.extend({ plans: cancelPlans }),
  handle: async (store, { why: given, ...selected }) => {
    const { client, by, clock } = store
    const { dryRun } = selected
    const why = whyOf(given, dryRun)
    const named: JobName[] = []
    const found = await performed(store, 'cancel', selected, {
      one: async (name) => {
        const { jobId, ...where } = name
        await client.cancel(jobId, why, { by, dryRun, ...withoutUndefined(where) })
        named.push(name)
      },
      all: async (filter, progress) =>
        copied(await client.select(selectedBy(filter, clock.now())).cancel(why, { by, dryRun, ...progress })),
    })
    if (!dryRun) return found
    const jobs = selected.filter === undefined ? named : found.done.map((jobId) => ({ jobId }))
    return { ...found, plans: plainPlans(await readCancelPlans(client, jobs)) }
  },
})

/** Returns copies of the plans, because the lists of an answer are not readonly. */
function plainPlans(plans: readonly JobCancelPlan[]) {
  return plans.map(({ jobId, stopped, undone, kept, uncertain }) => ({
    jobId,
    stopped: [...stopped],
    undone: [...undone],
    kept: [...kept],
    uncertain: [...uncertain],
  }))
}

const mostNotices = 1_000

const resend = route({
  method: 'POST',
  path: '/api/actions/resend',
  summary: 'Sends again the notices of jobs that were given up.',
  asked: z.strictObject({
    ...selectionShape,
    filter: z.strictObject({ workflow: filterShape.workflow, cause }).optional(),
    why: reason.default('sent again'),
  }),
  answer: report,
  handle: async (store, { why, ...selected }) => {
    const { client, by, clock } = store
    const one = ({ jobId }: JobName) => client.resend(jobId, { by, why, dryRun: selected.dryRun })
    return performed(store, 'resend', selected, {
      one,
      all: async ({ workflow, cause }, progress) => {
        const notices = await client.undelivered({ ...withoutUndefined({ workflow }), limit: mostNotices })
        const wanted = notices.filter((notice) => cause === undefined || causeOfNotice(notice) === cause)
        const jobs = [...new Set(wanted.map(({ jobId }) => jobId))].map((jobId) => ({ jobId }))
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
  asked: z.strictObject({
    job: jobName,
    step: z.string().min(1),
    payload: z.unknown().default(null),
    eventKey: z
      .string()
      .optional()
      .meta({ description: 'The name of the event, if the step collects events.' }),
  }),
  answer: report,
  handle: async ({ client }, { job: { jobId, ...where }, step, payload, eventKey }) => {
    await client.raiseEvent(jobId, step, payload, withoutUndefined({ ...where, key: eventKey }))
    return { isDryRun: false, done: [jobId], refused: [] }
  },
})

/** An option of a job. The library checks its value. */
const term = z.string().trim().min(1).optional()

const submit = route({
  method: 'POST',
  path: '/api/actions/submit',
  summary: 'Submits a job of a workflow of the module that the page was started with.',
  asked: z.strictObject({
    workflow: z.string().min(1),
    input: z.unknown(),
    jobId: term,
    partitionKey: term,
    tag: z
      .array(z.string().regex(/^[^=]+=./, tagRule))
      .default([])
      .meta({ description: 'Tags as NAME=VALUE.' }),
    priority: z.number().optional().meta({ description: 'Jobs with a larger number go first.' }),
    completeWithin: term.meta({ description: 'The time for the job, such as 2h.' }),
    retainFor: term.meta({ description: 'How long the ended job is kept, such as 30d.' }),
  }),
  answer: z.strictObject({ jobId: z.string(), partitionKey: z.string() }),
  handle: async (store, { workflow: name, input, tag, ...terms }) => {
    const workflow = workflowNamed(store, name)
    const parsed = parsedBy(workflow, input)
    const tags = tag.length === 0 ? {} : { tags: tagsByName(tag) }
    const job = await store.client.submit(workflow, parsed, { ...withoutUndefined(terms), ...tags })
    return { jobId: job.jobId, partitionKey: job.partitionKey }
  },
})

/** Returns the workflow with this name, of the module that the page was started with. */
export function workflowNamed({ workflows }: PageStore, name: string): PageStore['workflows'][number] {
  const found = workflows.find((workflow) => workflow.name === name)
  if (found !== undefined) return found
  const known = workflows.map((workflow) => JSON.stringify(workflow.name)).join(', ')
  const advice = known === '' ? 'start the page with --workflows MODULE' : `the module has ${known}`
  throw new RequestInvalid(`unknown workflow ${JSON.stringify(name)}: ${advice}`)
}

/** Reads an input with the function of the workflow, whose error is about the input. */
export function parsedBy(
  { submission: { parse }, plan }: PageStore['workflows'][number],
  input: unknown,
): unknown {
  if (parse === undefined) return input
  try {
    return parse(input)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new RequestInvalid(`input: ${withoutSecretsOf(plan, input, message)}`)
  }
}

/** Returns a report that may be changed. */
export function copied({
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
