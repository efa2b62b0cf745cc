import { expect, it } from 'vitest'
import { simulateSchedules } from './simulate-schedules.js'

it.each([1])(
  'no tick of a schedule is lost or doubled under all faults: npm run simulate -- --world schedules --seed %d (I23)',
  async (seed) => {
    const report = await simulateSchedules(seed)
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(40)
    expect((await simulateSchedules(seed)).hash).toBe(report.hash)
  },
)
