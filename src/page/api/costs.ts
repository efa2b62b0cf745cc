import { z } from 'zod'
import { costReport, readUsage } from '../../operations/index.js'
import { shapeOfWorkflow, usualDocumentKilobytes } from '../../sas/internal.js'
import { wholeNumber } from './filters.js'
import { route } from './route.js'

const number = (least: number, most: number, fallback: number) => wholeNumber(least, most).default(fallback)

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
    documentKb: z.coerce.number().positive().max(2_048).default(usualDocumentKilobytes),
    indexing: z.enum(['lean', 'full']).default('lean'),
    partitions: number(1, 10_000, 1),
    instances: number(1, 1_000, 1),
    jobsPerDay: number(0, 1e9, 10_000),
    notifier: z.enum(['true', 'false']).default('true'),
  }),
  answer: z.strictObject({
    jobs: z.strictObject({ together: perJob, apart: perJob }),
    tickCharge: z.number(),
    limitCharge: z.number(),
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
    const rows = workflows.map((workflow) => {
      const shape = shapeOfWorkflow(workflow)
      const { jobs } = costReport({ ...shared, ...shape }, 0)
      const { steps } = shape
      return {
        name: workflow.name,
        steps,
        together: jobs.together.totalCharge,
        apart: jobs.apart.totalCharge,
      }
    })
    return { ...costReport(shared, jobsPerDay), workflows: rows }
  },
})

const throughput = z.strictObject({
  requestUnits: z.number().nullable(),
  kind: z.enum(['manual', 'autoscale', 'given', 'unknown']),
  of: z.enum(['container', 'database']).nullable(),
  reason: z.string().nullable(),
})

const usage = route({
  method: 'GET',
  path: '/api/usage',
  summary:
    'The request units per second of the jobs of the last hours, by workflow, role and feed, and the provisioned throughput. All are computed.',
  asked: z.strictObject({
    hours: number(1, 24 * 31, 24),
    documentKb: z.coerce.number().positive().max(2_048).default(usualDocumentKilobytes),
    provisioned: z.coerce
      .number()
      .positive()
      .max(1e9)
      .optional()
      .meta({ description: 'The throughput in RU a second. Default: what the store tells.' }),
  }),
  answer: z.strictObject({
    since: z.string(),
    until: z.string(),
    jobs: z.number(),
    ended: z.number(),
    isCut: z.boolean(),
    assumed: z.strictObject({ isTogether: z.boolean(), instances: z.number(), partitions: z.number() }),
    workflows: z.array(
      z.strictObject({
        workflow: z.string(),
        ended: z.number(),
        perHour: z.number(),
        steps: z.number(),
        jobCharge: z.number(),
        charge: z.number(),
      }),
    ),
    roles: z.array(
      z.strictObject({
        role: z.string(),
        writes: z.number(),
        changes: z.number(),
        idle: z.number(),
        total: z.number(),
      }),
    ),
    feeds: z.array(
      z.strictObject({ role: z.string(), changes: z.number(), polls: z.number(), leases: z.number() }),
    ),
    forecast: z.strictObject({
      mean: z.number(),
      busiest: z.number(),
      idle: z.number(),
      busiestHour: z.string().nullable(),
      throughput,
      share: z.number().nullable(),
      jobsPerHour: z.number().nullable(),
    }),
    charge: z.number().meta({ description: 'The request units of reading the jobs.' }),
  }),
  handle: async ({ client, ports, selection, clock, charges: known }, { documentKb, ...rest }) => {
    const question = { ...rest, documentKilobytes: documentKb, nowMs: clock.now() }
    const { value, charge } = await known.summed(() =>
      readUsage({ client, state: ports.state }, selection, question),
    )
    return { ...value, charge }
  },
})

const charged = z.strictObject({
  since: z.string(),
  rows: z.array(z.strictObject({ operation: z.string(), requests: z.number(), charge: z.number() })),
})

const charges = route({
  method: 'GET',
  path: '/api/charges',
  summary: 'The request units that this server, and the host in its process, have measured.',
  asked: z.strictObject({}),
  answer: charged.extend({
    host: charged
      .extend({
        users: z
          .array(z.strictObject({ user: z.string(), requests: z.number(), charge: z.number() }))
          .meta({ description: 'By role, of the client, of the feed that the roles share, and of others.' }),
      })
      .nullable()
      .meta({ description: 'Null if the process runs no roles.' }),
  }),
  handle: async ({ charges: known, hostCharges }) => ({
    since: known.since,
    rows: known.list(),
    host: hostCharges?.() ?? null,
  }),
})

/** The routes about request units. */
export const costs = [cost, usage, charges]
