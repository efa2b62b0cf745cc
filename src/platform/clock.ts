import { uptime } from 'node:os'
import { AwakeTime } from './awake-time.js'

/** A timer that has been set and may be cancelled. */
export interface Timer {
  cancel(): void
}

/**
 * Time as a process is given it. Two methods tell the time, so that nobody mixes them: `now` goes into documents,
 * `monotonic` measures intervals (expiry, trust windows, deadlines of running work) and never jumps.
 */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects: look at the signal afterwards. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `action` once after `ms`. Keeps the process alive until it fired or was cancelled. */
  schedule(ms: number, action: () => void): Timer
}

/** The longest delay Node's timers take; longer ones fire at once, so they are set in legs. */
const longestTimerMs = 2 ** 31 - 1

function schedule(ms: number, action: () => void): Timer {
  let handle: NodeJS.Timeout
  const set = (left: number): void => {
    const leg = Math.min(left, longestTimerMs)
    handle = setTimeout(() => {
      if (left > leg) set(left - leg)
      else action()
    }, leg)
  }
  set(Math.max(0, ms))
  return {
    cancel: () => {
      clearTimeout(handle)
    },
  }
}

/** Sleeping, in terms of any clock's timers. */
export function sleepOn(set: Clock['schedule'], ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const wake = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = set(ms, wake)
    signal?.addEventListener('abort', wake, { once: true })
  })
}

const awakeTime = new AwakeTime(
  () => performance.now(),
  () => uptime() * 1_000,
)

/** The machine's own clock. While the machine sleeps, its timers stand still; `now` and `monotonic` go on. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => awakeTime.now(),
  sleep: (ms, signal) => sleepOn(schedule, ms, signal),
  schedule,
}
