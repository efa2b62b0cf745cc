import { expect, it } from 'vitest'
import { EventLoopWatch } from '../../../src/host/event-loop-watch.js'
import { VirtualClock } from '../../../src/platform/index.js'

/** Watches a process whose timers fire 15 seconds late. */
async function watched(processorMs: (clock: VirtualClock) => number) {
  const clock = new VirtualClock()
  const watching = new AbortController()
  const late = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms: number) => clock.sleep(ms + 15_000),
    schedule: (ms: number, action: () => void) => clock.schedule(ms, action),
  }
  const eventLoop = new EventLoopWatch(late, () => processorMs(clock))
  expect([eventLoop.blockedMs, eventLoop.unhealthyReason()]).toEqual([null, null])
  const watch = eventLoop.watch(watching.signal)
  await clock.advance(16_000)
  const end = async (): Promise<void> => {
    watching.abort()
    await clock.advance(16_000)
    await watch
  }
  return { clock, eventLoop, end }
}

it('an event loop that was blocked is reported, and is unhealthy for a minute', async () => {
  const { clock, eventLoop, end } = await watched((now) => now.monotonic() / 1.5)
  expect(eventLoop.blockedMs).toBe(15_000)
  const rest = 'so no new work is taken for 60 s'
  expect(eventLoop.unhealthyReason()).toBe(`the event loop was blocked for 15 s until 0 s ago, ${rest}`)
  await end()
  await clock.advance(59_999)
  expect(eventLoop.unhealthyReason()).toBe(`the event loop was blocked for 15 s until 60 s ago, ${rest}`)
  await clock.advance(1)
  expect(eventLoop.unhealthyReason()).toBeNull()
})

it('a process that was paused is healthy afterwards', async () => {
  const { eventLoop, end } = await watched((now) => now.monotonic() / 4)
  expect([eventLoop.blockedMs, eventLoop.unhealthyReason()]).toEqual([null, null])
  await end()
})
