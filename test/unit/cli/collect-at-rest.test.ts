import { expect, it } from 'vitest'
import { collectAtRest, ofThisProcess } from '../../../src/cli/running/collect-at-rest.js'
import { afterThisTurn } from '../../../src/platform/internal.js'
import { VirtualClock } from '../../../src/testing/index.js'

/** A process whose event loop works for these parts of the time, five seconds each, and then not at all. */
function processWith(parts: number[]) {
  const clock = new VirtualClock(0)
  const collectedAtMs: number[] = []
  const end = collectAtRest({
    clock,
    utilization: () => parts.shift() ?? 0,
    collect: () => collectedAtMs.push(clock.monotonic()),
  })
  return { clock, collectedAtMs, end }
}

it('collects once after work, when the process has been at rest for 25 seconds', async () => {
  const { clock, collectedAtMs, end } = processWith([0.5, 0.4, 0.01, 0.01, 0.01, 0.01, 0.01])
  const startMs = clock.monotonic()
  await clock.advance(60_000)
  expect(collectedAtMs.map((ms) => ms - startMs)).toEqual([35_000])
  end()
})

it('does not collect while a process works, or if it has not worked', async () => {
  const working = processWith([0.5, 0.01, 0.01, 0.01, 0.01, 0.3, 0, 0, 0, 0, 0.07])
  await working.clock.advance(55_000)
  expect(working.collectedAtMs).toEqual([])
  working.end()
  const resting = processWith([0.07, 0.07, 0.01])
  await resting.clock.advance(60_000)
  expect(resting.collectedAtMs).toEqual([])
  resting.end()
})

it('collects again after more work, but not after the caller has ended it', async () => {
  const { clock, collectedAtMs, end } = processWith([0.5, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0.5])
  await clock.advance(62_500)
  expect(collectedAtMs).toHaveLength(2)
  end()
  await clock.advance(60_000)
  expect(collectedAtMs).toHaveLength(2)
})

it('collects the garbage of this process', async () => {
  const clock = new VirtualClock(0)
  const rounds = 5
  const parts = Array.from({ length: rounds }, () => [1, 0, 0, 0, 0, 0]).flat()
  const { utilization, collect } = ofThisProcess()
  expect(utilization()).toBeGreaterThanOrEqual(0)
  // A register of the processor may keep one of them alive for a while.
  const garbage = Array.from({ length: 100 }, (_, index) => new WeakRef({ index }))
  const collected = (): number => garbage.filter((one) => one.deref() === undefined).length
  const end = collectAtRest({ clock, utilization: () => parts.shift() ?? 0, collect })
  for (let round = 0; round < rounds && collected() <= 90; round += 1) {
    // New references, and those that were looked at, keep their objects until this turn of the event loop has ended.
    await new Promise<void>((resolve) => afterThisTurn(resolve))
    await clock.advance(30_000)
  }
  end()
  expect(collected()).toBeGreaterThan(90)
})
