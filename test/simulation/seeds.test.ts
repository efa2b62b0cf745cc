import { afterAll, describe, expect, it } from 'vitest'
import { commandOf, simulateSeed } from './run-seeds.js'
import { simulateJobs } from './simulate-jobs.js'
import { Totals } from './totals.js'

const runs = [
  ...[1, 2, 3].map((seed) => ({ world: 'processor', seed, size: 0 }) as const),
  { world: 'jobs', seed: 1, size: 20 } as const,
  // In this run, an old page of a parent range arrives while the scheduler works on a page of its child.
  { world: 'jobs', seed: 766411295, size: 40 } as const,
]

describe('runs with many jobs', () => {
  it('complete most of them while faults last', async () => {
    // With twice as many jobs, from a tenth to nine tenths of a run end by then.
    const { acknowledged, problems, endedUnderFaults } = await simulateJobs(12, 50)
    expect([acknowledged, problems]).toEqual([50, []])
    expect(endedUnderFaults).toBeGreaterThan(25)
  })
})

describe('a run with all faults at once (R9)', () => {
  const totals = new Totals()

  afterAll(() => {
    process.stdout.write(`simulated: ${String(totals)}\n`)
  })

  it.each(runs.map((run) => [commandOf(run), run] as const))(
    'keeps the invariants: npm run simulate -- %s (I1 to I18, I20 to I22)',
    async (_command, run) => {
      const report = await simulateSeed(run)
      totals.add(report)
      expect(report.problems).toEqual([])
      expect(report).toMatchObject(run.world === 'jobs' ? { lost: 0, lateOutcomes: 0 } : {})
    },
  )

  it.each(['processor', 'jobs'] as const)('runs the same way twice in the world %s (R9)', async (world) => {
    const run = { world, seed: 1, size: 10 } as const
    expect((await simulateSeed(run)).hash).toBe((await simulateSeed(run)).hash)
  })
})
