import { performance } from 'node:perf_hooks'
import process from 'node:process'

/** The time of some work, and the longest turn of the event loop meanwhile, in ms. */
export interface Measured {
  readonly took: number
  readonly longestTurn: number
}

/**
 * Measures work. In a turn, the time counts for which this process had a processor, because the machine may have other
 * work.
 */
export async function measured(work: () => Promise<unknown>): Promise<Measured> {
  const started = performance.now()
  let longestTurn = 0
  let before = started
  let processorBefore = processorMs()
  let isDone = false
  const look = (): void => {
    const [now, processorNow] = [performance.now(), processorMs()]
    longestTurn = Math.max(longestTurn, Math.min(now - before, processorNow - processorBefore))
    before = now
    processorBefore = processorNow
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isDone = true
  look()
  return { took: performance.now() - started, longestTurn }
}

/** The processor time of this process so far. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** The memory of all that is reachable. Needs `node --expose-gc`. */
export function heapBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
