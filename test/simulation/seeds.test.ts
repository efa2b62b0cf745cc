import { afterAll, describe, expect, it } from 'vitest'
import { commandOf, simulateSeed } from './run-seeds.js'
import { simulateJobs } from './simulate-jobs.js'
import { Totals } from './totals.js'

const runs = [
  ...[1, 2, 3, 4].map((seed) => ({ world: 'processor', seed, size: 0 }) as const),
  ...[1, 2, 3].map((seed) => ({ world: 'jobs', seed, size: 20 }) as const),
]

describe('a seed of many jobs', () => {
  it('has most of them done while faults last', async () => {
    const { acknowledged, endedUnderFaults, problems } = await simulateJobs(4, 100)
    expect(problems).toEqual([])
    expect(acknowledged).toBe(100)
    expect(endedUnderFaults).toBeGreaterThan(50)
  })
})

describe('R9: everything going wrong at once', () => {
  const totals = new Totals()

  afterAll(() => {
    process.stdout.write(`simulated: ${String(totals)}\n`)
  })

  it.each(runs.map((run) => [commandOf(run), run] as const))(
    'keeps I1 to I18 and I20 to I22, and happens the same way twice: npm run simulate -- %s',
    async (_command, run) => {
      const report = await simulateSeed(run)
      totals.add(report)
      expect(report.problems).toEqual([])
      expect(report).toMatchObject(run.world === 'jobs' ? { lost: 0, lateOutcomes: 0 } : {})
      expect((await simulateSeed(run)).hash).toBe(report.hash)
    },
  )
})
