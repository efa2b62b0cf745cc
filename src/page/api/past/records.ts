import { z } from 'zod'
import { instantOf, readAudit } from '../../../operations/index.js'
import { report } from '../performed.js'
import { rowLimit } from '../filters.js'
import { RequestInvalid, route } from '../route.js'

const auditRow = z.strictObject({
  at: z.string(),
  by: z.string(),
  command: z.string(),
  why: z.string(),
  about: z.enum(['job', 'schedule', 'limit', 'workflow', 'agent', 'fleet']),
  id: z.string(),
  partitionKey: z.string(),
  workflow: z.string(),
  stepId: z.string().nullable(),
  target: z
    .string()
    .nullable()
    .meta({ description: 'The machine or the app, if the decision is about instances.' }),
})

const audit = route({
  method: 'GET',
  path: '/api/audit',
  summary:
    'The decisions of operators about all jobs, schedules, limits, pauses and instances, by the newest decision about each.',
  asked: z.strictObject({
    before: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'An age, a date, or the value of `next` of the previous page.' }),
    limit: rowLimit(50),
  }),
  answer: z.strictObject({
    rows: z.array(auditRow),
    next: z.string().nullable().meta({
      description: 'The next page. Only decisions at this time or later are certainly all known.',
    }),
  }),
  handle: async ({ ports, clock }, { before, limit }) => {
    const beforeMs = before === undefined ? null : instantOf(before, clock.now())
    if (before !== undefined && beforeMs === null) {
      throw new RequestInvalid(`before ${JSON.stringify(before)} must be an age such as 2h, or a date`)
    }
    return readAudit(ports.queries, { beforeMs, limit })
  },
})

const operations = route({
  method: 'GET',
  path: '/api/operations',
  summary: 'The actions on many jobs that this server carries out or has carried out, the newest first.',
  asked: z.strictObject({}),
  answer: z.array(
    z.strictObject({
      id: z.string(),
      command: z.string(),
      filter: z
        .record(z.string(), z.string())
        .nullable()
        .meta({ description: 'The filter that selected the jobs. Null if they were named.' }),
      by: z.string(),
      startedAt: z.string(),
      endedAt: z.string().nullable(),
      state: z.enum(['running', 'done', 'stopped', 'failed']),
      reached: z.number(),
      total: z.number().nullable(),
      refused: z.number(),
      message: z.string(),
    }),
  ),
  handle: async ({ operations: log }) => log.list(),
})

const stop = route({
  method: 'POST',
  path: '/api/operations/stop',
  summary: 'Stops an action on many jobs, or its dry run. No more jobs are begun.',
  asked: z.strictObject({ id: z.string().min(1) }),
  answer: report,
  handle: async ({ operations: log }, { id }) => ({
    isDryRun: false,
    done: log.stop(id) ? [id] : [],
    refused: [],
  }),
})

/** The routes about what was done: decisions, and actions on many jobs. */
export const records = [audit, operations, stop]
