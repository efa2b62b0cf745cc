import { expect, it } from 'vitest'
import { EventLoopWatch } from '../../../src/host/event-loop-watch.js'
import { VirtualClock } from '../../../src/platform/index.js'

it('an event loop that was blocked is reported, and is unhealthy for a minute', async () => {
  const clock = new VirtualClock()
  const watching = new AbortController()
  // Every timer fires 15 seconds late, as in a busy process.
  const late = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms: number) => clock.sleep(ms + 15_000),
    schedule: (ms: number, action: () => void) => clock.schedule(ms, action),
  }
  const eventLoop = new EventLoopWatch(late)
  expect([eventLoop.blockedMs, eventLoop.unhealthyReason()]).toEqual([null, null])
  const watch = eventLoop.watch(watching.signal)
  await clock.advance(16_000)
  expect(eventLoop.blockedMs).toBe(15_000)
  expect(eventLoop.unhealthyReason()).toBe('the event loop was blocked 0 ms ago')
  watching.abort()
  await clock.advance(16_000)
  await watch
  await clock.advance(59_999)
  expect(eventLoop.unhealthyReason()).toBe('the event loop was blocked 59999 ms ago')
  await clock.advance(1)
  expect(eventLoop.unhealthyReason()).toBeNull()
})
