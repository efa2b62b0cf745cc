import type { Figure } from '../figure.js'
import { idleRequests } from './idle-requests.js'
import { latency } from './latency.js'
import { againstBareIterator, rangesSideBySide } from './throughput.js'

/** How much is measured. */
export interface ProcessorEffort {
  /** Documents read in each round of the throughput comparison. */
  readonly documents: number
  /** Rounds of it that count, since the best of them does; one more warms up. */
  readonly rounds: number
  /** Pages that the slow delegate gets. */
  readonly slowPages: number
  /** Writes whose way to the delegate is timed, with and without hints each. */
  readonly writes: number
}

export const fullProcessorEffort: ProcessorEffort = {
  documents: 100_000,
  rounds: 20,
  slowPages: 400,
  writes: 200,
}
export const quickProcessorEffort: ProcessorEffort = {
  documents: 20_000,
  rounds: 8,
  slowPages: 240,
  writes: 40,
}

/** Measures everything, one after the other. */
export async function measuredProcessor(effort: ProcessorEffort): Promise<readonly Figure[]> {
  return [
    ...(await againstBareIterator(effort)),
    ...(await rangesSideBySide(effort)),
    ...(await idleRequests()),
    ...(await latency(effort)),
  ]
}
