import { Session } from 'node:inspector'
import { performance } from 'node:perf_hooks'
import { systemClock, type Clock } from '../../platform/index.js'

/** The time between two looks at the process. */
const lookEveryMs = 5_000

/**
 * Two limits for the part of the time in which the event loop works. From the first limit on, the process is busy.
 * Below the second one, it is at rest.
 */
const [busyPart, restPart] = [0.1, 0.05]

/**
 * The number of successive looks that must find the process at rest. A store removes documents from its memory at most
 * 20 seconds after its last work, so these looks take longer.
 */
const looksAtRest = 5

/** What this code needs of the process. */
export interface CollectingProcess {
  readonly clock: Pick<Clock, 'schedule'>
  /** Returns the part of the time since the last call in which the event loop worked. */
  readonly utilization: () => number
  readonly collect: () => void
}

/**
 * Collects garbage each time the process has come to rest after work. Node collects only when it needs more
 * memory. Without this function, a process would keep the memory of its busiest time. Returns a function that ends
 * this.
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
      // Only the inspector can collect garbage without an option at the start of the process.
      const session = new Session()
      session.connect()
      session.post('HeapProfiler.collectGarbage')
      // Node hangs if the session disconnects while the inspector answers.
      systemClock.schedule(0, () => {
        session.disconnect()
      })
    },
  }
}
