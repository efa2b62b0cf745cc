import { describe, expect, it } from 'vitest'
import { usageReport, type Usage } from '../../../src/operations/usage-report.js'
import { costReport } from '../../../src/operations/cost-report.js'
import { idleCharge, idleCost, jobCharge, jobCost } from '../../../src/sas/internal.js'
import type { JobSummary } from '../../../src/sas/index.js'

const now = Date.parse('2026-11-24T12:00:00Z')
const hour = 3_600_000

function ended(workflow: string, hoursAgo: number, stepCount = 3): JobSummary {
  const at = new Date(now - hoursAgo * hour).toISOString()
  return {
    jobId: `${workflow}-${hoursAgo}`,
    orderId: 'order',
    partitionKey: 'order',
    workflow,
    state: 'Processed',
    submittedAt: at,
    endedAt: at,
    stepsDone: stepCount,
    stepCount,
    attention: null,
    triage: null,
    paused: null,
    restartedAs: null,
    tags: {},
  }
}

const question = {
  documentKilobytes: 1.1,
  indexing: 'lean',
  isTogether: true,
  partitions: 1,
  instances: 1,
  hasNotifier: true,
} as const

function usage(parts: Partial<Usage>): Usage {
  const throughput = { requestUnits: 400, kind: 'manual', of: 'container', reason: null } as const
  return {
    jobs: [],
    isCut: false,
    shapes: new Map(),
    sinceMs: now - 10 * hour,
    nowMs: now,
    question,
    throughput,
    ...parts,
  }
}

describe('the usage of a store', () => {
  it.each([true, false])(
    'is the same in total by role and by workflow, with roles together: %j',
    (isTogether) => {
      const asked = { ...question, isTogether }
      const { roles, workflows, feeds, forecast } = usageReport(
        usage({ jobs: [ended('big', 1, 9), ended('small', 2), ended('small', 3)], question: asked }),
      )
      const total = roles.reduce((sum, role) => sum + role.total, 0)
      const forJobs = workflows.reduce((sum, { charge }) => sum + charge, 0)
      const idle = idleCharge(idleCost({ ...asked, steps: 1, claimedSteps: 0 }))
      expect(total).toBeCloseTo(forJobs + idle, 6)
      expect(forecast.mean).toBeCloseTo(total, 6)
      expect(forecast.idle).toBeCloseTo(idle, 6)
      const read = feeds.reduce((sum, { changes }) => sum + changes, 0)
      expect(read).toBeCloseTo(
        roles.reduce((sum, { changes }) => sum + changes, 0),
        6,
      )
      expect(roles.map(({ role, writes }) => [role, writes > 0])).toEqual([
        ['submitters', true],
        ['scheduler', true],
        ['agents', true],
        ['supervisor', false],
        ['notifier', false],
      ])
    },
  )

  it('counts items of large lists, and the limits, claims and rounds of the jobs of a workflow', () => {
    const shape = { steps: 9, claimedSteps: 1, limits: 1, isLimitedFirst: true, rounds: 2, pausedRounds: 3 }
    const item = { ...ended('item', 1, 1), jobId: 'night/each/7', tags: { parent: 'night' } }
    const asked = usage({ jobs: [ended('claim', 1), item], shapes: new Map([['claim', shape]]) })
    const { workflows, roles, forecast } = usageReport(asked)
    const chargeOf = (name: string) => workflows.find(({ workflow }) => workflow === name)?.jobCharge
    expect(chargeOf('claim')).toBeCloseTo(jobCharge({ ...question, ...shape, steps: 3 }), 6)
    const one = { ...question, steps: 1, claimedSteps: 0 }
    expect(chargeOf('item')).toBeCloseTo(jobCharge({ ...one, isItem: true }), 6)
    expect(jobCost({ ...one, isItem: true }).readCharge - jobCost(one).readCharge).toBe(3)
    expect(roles.reduce((sum, role) => sum + role.total, 0)).toBeCloseTo(forecast.mean, 6)
    expect(roles.find(({ role }) => role === 'supervisor')?.writes).toBeGreaterThan(0)
  })

  it('has the price of a job that the command cost prints, and its rate', () => {
    const jobs = Array.from({ length: 20 }, (_, index) => ended('order', index / 10))
    const { workflows, forecast } = usageReport(usage({ jobs }))
    const price = costReport({ ...question, steps: 3, claimedSteps: 0 }, 0).jobs.together.totalCharge
    expect(workflows).toHaveLength(1)
    expect(workflows[0]).toMatchObject({ workflow: 'order', ended: 20, steps: 3 })
    expect(workflows[0]?.perHour).toBeCloseTo(2, 6)
    expect(workflows[0]?.jobCharge).toBeCloseTo(price, 6)
    expect(workflows[0]?.charge).toBeCloseTo((2 * price) / 3_600, 6)
    // Ten jobs ended within each of two hours.
    expect(forecast.busiest - forecast.idle).toBeCloseTo((10 * price) / 3_600, 6)
    expect(forecast.busiestHour).toMatch(/^2026-11-24T1[01]:00/)
    expect(forecast.share).toBeCloseTo(forecast.busiest / 400, 6)
    expect(forecast.jobsPerHour).toBe(Math.floor(((400 - forecast.idle) * 3_600) / price))
  })

  it('begins at the oldest job that was read, if there were more', () => {
    const { since, workflows } = usageReport(
      usage({ jobs: [ended('order', 0), ended('order', 2)], isCut: true }),
    )
    expect(since).toBe(new Date(now - 2 * hour).toISOString())
    expect(workflows[0]?.perHour).toBeCloseTo(1, 6)
  })

  it('compares with nothing if the throughput is not known, or no job has ended', () => {
    const throughput = { requestUnits: null, kind: 'unknown', of: null, reason: 'not told' } as const
    expect(usageReport(usage({ jobs: [ended('order', 1)], throughput })).forecast).toMatchObject({
      share: null,
      jobsPerHour: null,
    })
    const running = { ...ended('order', 1), endedAt: null }
    expect(usageReport(usage({ jobs: [running] }))).toMatchObject({
      jobs: 1,
      ended: 0,
      workflows: [],
      forecast: { busiestHour: null, jobsPerHour: null },
    })
  })
})
