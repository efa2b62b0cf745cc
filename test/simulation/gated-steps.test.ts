import { expect, it } from 'vitest'
import { simulateGatedSteps } from './gated-steps.js'
import { faultCostMs } from './job-scene.js'

// STEPWARD_GATED_STEPS=100000 runs the long version.
const steps = Number(process.env['STEPWARD_GATED_STEPS'] ?? 600)
const stepsPerRun = 10_000
const runs = Array.from({ length: Math.ceil(steps / stepsPerRun) }, (_, index) => index + 1)

it.each(runs)(
  'steps at limits are never too many, keep their turns and all end while processes die, run %d (I25, I26)',
  { timeout: 60_000 + steps * 60 },
  async (seed) => {
    const size = Math.min(steps, stepsPerRun)
    const report = await simulateGatedSteps(seed, size)
    expect(report.problems).toEqual([])
    expect(report.acknowledged * 20).toBe(size)
    expect(report.dispatched).toBeGreaterThanOrEqual(size)
    expect(report.called).toBeGreaterThan(size / 5)
    expect(report.longestQueue).toBeGreaterThan(50)
    expect(report.reserved).toBeGreaterThan(size / 20)
    expect(report.deaths).toBeGreaterThan(0)
    expect(report.lostAnswers).toBeGreaterThan(0)
    // Most steps are called at once. If a process dies before that, a supervisor repeats the call.
    expect(report.lateCalls).toBeLessThan(report.called / 10)
    // A lost call is repeated after 30 s. If that check reads a version from before the step waited, the next one
    // follows after 60 s. Besides, one fault may delay the step. The longest call of 7,200 steps took 46 s.
    expect(report.longestCallMs).toBeLessThan(90_000 + faultCostMs)
    expect(report.longestFreeMs).toBeLessThan(120_000)
  },
)

it.each(runs)(
  'steps at limits of their partition are never too many, keep their turns and all end, run %d (I25, I26)',
  { timeout: 60_000 + steps * 60 },
  async (seed) => {
    const size = Math.min(steps / 2, stepsPerRun)
    const report = await simulateGatedSteps(seed, size, true)
    expect(report.problems).toEqual([])
    expect(report.acknowledged * 20).toBe(size)
    expect(report.dispatched).toBeGreaterThanOrEqual(size)
    expect(report.called).toBeGreaterThan(size / 5)
    expect(report.longestQueue).toBeGreaterThan(5)
    expect(report.reserved).toBeGreaterThan(size / 20)
    expect(report.deaths).toBeGreaterThan(0)
    expect(report.lostAnswers).toBeGreaterThan(0)
    // More processes die than above.
    expect(report.lateCalls).toBeLessThan(report.called / 4)
    expect(report.longestCallMs).toBeLessThan(90_000 + faultCostMs)
    expect(report.longestFreeMs).toBeLessThan(120_000)
  },
)
