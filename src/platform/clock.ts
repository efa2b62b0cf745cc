import { uptime } from 'node:os'
import { AwakeTime } from './awake-time.js'

/** A pending timer. */
export interface Timer {
  cancel(): void
}

/**
 * The time as a process sees it. `now` is the time that is written into documents. `monotonic` measures
 * intervals (expiry, trust windows, deadlines of running work) and never jumps.
 */
export interface Clock {
  /** Returns the time of the wall clock, in milliseconds since the Unix epoch. */
  now(): number
  /** Returns milliseconds since an arbitrary start. Never goes back. */
  monotonic(): number
  /**
   * Resolves after `ms`, or immediately when `signal` aborts. Never rejects, so the caller must check the
   * signal.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `action` once after `ms`. The timer keeps the process alive until it fires or is cancelled. */
  schedule(ms: number, action: () => void): Timer
}

/** The longest delay of Node's timers. Longer delays would end immediately, so they are divided. */
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

/** A pause, and the function that ends it early. */
interface Pause {
  readonly over: Promise<void>
  readonly end: () => void
}

/** Begins a pause of `ms`. Ends early when `signal` aborts, or with `end`. */
export function beginPause(clock: Pick<Clock, 'schedule'>, ms: number, signal?: AbortSignal): Pause {
  let end = (): void => undefined
  const over = new Promise<void>((resolve) => {
    end = () => {
      timer.cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.schedule(ms, end)
    signal?.addEventListener('abort', end, { once: true })
  })
  return { over, end }
}

/** Sleeps until the timer that `set` starts fires. Resolves early when `signal` aborts. */
export function sleepOn(set: Clock['schedule'], ms: number, signal?: AbortSignal): Promise<void> {
  return signal?.aborted === true ? Promise.resolve() : beginPause({ schedule: set }, ms, signal).over
}

const awakeTime = new AwakeTime({
  precise: () => performance.now(),
  sinceStart: () => uptime() * 1_000,
  wall: () => Date.now(),
})

/** The machine's own clock. While the machine sleeps, timers stop, but `now` and `monotonic` continue. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => awakeTime.now(),
  sleep: (ms, signal) => sleepOn(schedule, ms, signal),
  schedule,
}

/** Runs a function after all events that have arrived by now, so that it can gather their results. */
export function afterThisTurn(run: () => void): void {
  setImmediate(run)
}
