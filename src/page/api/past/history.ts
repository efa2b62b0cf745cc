import { z } from 'zod'
import { withoutUndefined } from '../../../platform/internal.js'
import { JobNotFound, type Job } from '../../../sas/index.js'
import type { PageStore } from '../page-store.js'
import { rowLimit } from '../filters.js'
import { route } from '../route.js'

const ofJob = { jobId: z.string().min(1), partitionKey: z.string().min(1).optional() }

const change = {
  document: z.string().meta({ description: 'The id of the document.' }),
  stepId: z.string().nullable().meta({ description: 'Null for the document of the job.' }),
  kind: z.enum(['created', 'changed', 'deleted']),
  what: z.array(z.string()).meta({ description: 'What changed, in plain words.' }),
}

const charge = z.number().meta({ description: 'The request units of the reads.' })
const source = z
  .enum(['versions', 'record'])
  .meta({ description: 'Whether the store keeps all versions, or only the record of the job was read.' })
const note = z.string().nullable().meta({ description: 'What is missing, and how to get it.' })

const history = route({
  method: 'GET',
  path: '/api/history',
  summary: 'What each transaction of a job changed, oldest first, page by page.',
  asked: z.strictObject({
    ...ofJob,
    after: z.string().min(1).optional().meta({ description: 'The value of `next` of the previous page.' }),
    limit: rowLimit(100),
  }),
  answer: z.strictObject({
    source,
    note,
    moments: z.array(
      z.strictObject({
        moment: z.string().nullable(),
        at: z.string(),
        by: z.string().nullable(),
        changes: z.array(z.strictObject(change)),
      }),
    ),
    next: z.string().nullable(),
    charge,
  }),
  handle: async (store, { jobId, partitionKey, ...options }) =>
    measured(store, { jobId, partitionKey }, (job) =>
      job.history({ ...withoutUndefined(options), hidesSecrets: true }),
    ),
})

const moment = route({
  method: 'GET',
  path: '/api/history/moment',
  summary: 'The documents that one transaction of a job wrote, before and after it, without secret values.',
  asked: z.strictObject({ ...ofJob, moment: z.string().min(1) }),
  answer: z.strictObject({
    moment: z.string(),
    at: z.string(),
    by: z.string().nullable(),
    documents: z.array(
      z.strictObject({
        ...change,
        before: z.looseObject({}).nullable(),
        after: z.looseObject({}).nullable(),
      }),
    ),
    charge,
  }),
  handle: async (store, { jobId, partitionKey, moment: name }) =>
    measured(store, { jobId, partitionKey }, (job) => job.historyAt(name, { hidesSecrets: true })),
})

const attempts = route({
  method: 'GET',
  path: '/api/attempts',
  summary: 'The attempts of a step with their inputs, outputs and errors, oldest first.',
  asked: z.strictObject({ ...ofJob, step: z.string().min(1) }),
  answer: z.strictObject({
    source,
    note,
    attempts: z.array(
      z.strictObject({
        attempt: z.number(),
        direction: z.enum(['do', 'undo']),
        generation: z.number(),
        round: z.number().nullable(),
        from: z.string().nullable(),
        to: z.string().nullable(),
        by: z.string().nullable(),
        outcome: z.enum(['success', 'failed', 'permanent', 'noAnswer']).nullable(),
        input: z.unknown(),
        output: z.unknown(),
        error: z.string().nullable(),
      }),
    ),
    charge,
  }),
  handle: async (store, { jobId, partitionKey, step }) =>
    measured(store, { jobId, partitionKey }, (job) => job.attempts(step, { hidesSecrets: true })),
})

/** Reads from a job, and counts all requests of this, also those that find the job. */
async function measured<T extends object>(
  { client, charges }: PageStore,
  { jobId, partitionKey }: { readonly jobId: string; readonly partitionKey: string | undefined },
  read: (job: Job) => Promise<T>,
): Promise<T> {
  const { value, charge: all } = await charges.summed(async () => {
    const found = await client.get(jobId, withoutUndefined({ partitionKey }))
    if (found === null) throw new JobNotFound(jobId)
    return read(found)
  })
  return { ...value, charge: all }
}

/** The routes about the past of a job. */
export const historyRoutes = [history, moment, attempts]
