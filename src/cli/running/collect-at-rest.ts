import { Session } from 'node:inspector'
import { performance } from 'node:perf_hooks'
import { systemClock, type Clock } from '../../platform/index.js'

/** How often the process is looked at. */
const lookEveryMs = 5_000

/** The part of the time in which the event loop works, from which on a process is busy, and below which it is at rest. */
const [busyPart, restPart] = [0.1, 0.02]

/** How often in a row the process must be at rest. A store lets documents leave its memory after ten seconds of rest. */
const looksAtRest = 3

/** What this code needs of the process. */
export interface CollectingProcess {
  readonly clock: Pick<Clock, 'schedule'>
  /** Returns the part of the time since the last call in which the event loop worked. */
  readonly utilization: () => number
  readonly collect: () => void
}

/**
 * Collects garbage each time the process has come to rest after work. Node does so only when it needs more memory, so a
 * process would keep the memory of its busiest minute. Returns a function that ends this.
 */
export function collectAtRest(
  { clock, utilization, collect }: CollectingProcess = ofThisProcess(),
): () => void {
  let hasWorked = false
  let atRest = 0
  const look = (): void => {
    const part = utilization()
    hasWorked ||= part >= busyPart
    atRest = part < restPart ? atRest + 1 : 0
    if (hasWorked && atRest >= looksAtRest) {
      hasWorked = false
      collect()
    }
    timer = clock.schedule(lookEveryMs, look)
  }
  let timer = clock.schedule(lookEveryMs, look)
  return () => {
    timer.cancel()
  }
}

export function ofThisProcess(): CollectingProcess {
  let last = performance.eventLoopUtilization()
  return {
    clock: systemClock,
    utilization: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    collect: () => {
      // The inspector is the only way to this that needs no option at the start of the process.
      const session = new Session()
      session.connect()
      session.post('HeapProfiler.collectGarbage')
      // Node hangs if a session ends while it answers.
      systemClock.schedule(0, () => {
        session.disconnect()
      })
    },
  }
}
