import type { Clock } from '../../src/platform/index.js'

/** Returns a clock whose wall time is off by `offsetMs`. Intervals are measured as before. */
export function correctedClock(clock: Clock, offsetMs: number): Clock {
  return {
    now: () => clock.now() + offsetMs,
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, action) => clock.schedule(ms, action),
  }
}
