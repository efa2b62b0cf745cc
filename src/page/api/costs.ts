import { z } from 'zod'
import { costReport } from '../../operations/index.js'
import { route } from './route.js'

const number = (least: number, most: number, fallback: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback)

const perJob = z.strictObject({
  writeRequests: z.number(),
  writeCharge: z.number(),
  feedCharge: z.number(),
  totalCharge: z.number(),
})

const cost = route({
  method: 'GET',
  path: '/api/cost',
  summary: 'The request units of jobs and of instances without work, computed without a request.',
  asked: z.strictObject({
    steps: number(1, 1_000, 3),
    claimedSteps: number(0, 1_000, 0),
    documentKb: z.coerce.number().positive().max(2_048).default(1.1),
    indexing: z.enum(['lean', 'full']).default('lean'),
    partitions: number(1, 10_000, 1),
    instances: number(1, 1_000, 1),
    jobsPerDay: number(0, 1e9, 10_000),
    notifier: z.enum(['true', 'false']).default('true'),
  }),
  answer: z.strictObject({
    jobs: z.strictObject({ together: perJob, apart: perJob }),
    tickCharge: z.number(),
    idle: z.strictObject({
      polls: z.number(),
      renewals: z.number(),
      looksAtLeases: z.number(),
      sweeps: z.number(),
      pauses: z.number(),
      total: z.number(),
    }),
    meanCharge: z.number(),
    monthlyCharge: z.number(),
    workflows: z
      .array(z.strictObject({ name: z.string(), steps: z.number(), together: z.number(), apart: z.number() }))
      .meta({ description: 'The request units of a job of each workflow of the module.' }),
  }),
  handle: async ({ workflows }, { documentKb, jobsPerDay, notifier, ...rest }) => {
    const shared = { ...rest, documentKilobytes: documentKb, hasNotifier: notifier === 'true' }
    const rows = workflows.map(({ name, plan }) => {
      const steps = plan.steps.length
      const { jobs } = costReport({ ...shared, steps, claimedSteps: 0 }, 0)
      return { name, steps, together: jobs.together.totalCharge, apart: jobs.apart.totalCharge }
    })
    return { ...costReport(shared, jobsPerDay), workflows: rows }
  },
})

const charges = route({
  method: 'GET',
  path: '/api/charges',
  summary: 'The request units that this server has used on the state container.',
  asked: z.strictObject({}),
  answer: z.strictObject({
    since: z.string(),
    rows: z.array(z.strictObject({ operation: z.string(), requests: z.number(), charge: z.number() })),
  }),
  handle: async ({ charges: known }) => ({ since: known.since, rows: known.list() }),
})

/** The routes about request units. */
export const costs = [cost, charges]
