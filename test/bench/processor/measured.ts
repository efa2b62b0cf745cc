import type { Figure } from '../figure.js'
import { idleRequests } from './idle-requests.js'
import { latency } from './latency.js'
import { againstBareIterator } from './against-bare.js'
import { pagesReadAhead, rangesSideBySide } from './throughput.js'

/** The amount of measurement. */
export interface ProcessorEffort {
  /** Documents in each round of the throughput comparison. */
  readonly documents: number
  /** Rounds of the comparisons that are counted. */
  readonly rounds: number
  /** Pages for the slow delegate. */
  readonly slowPages: number
  /** Timed writes, with and without hints each. */
  readonly writes: number
}

export const fullProcessorEffort: ProcessorEffort = {
  documents: 100_000,
  rounds: 15,
  slowPages: 400,
  writes: 200,
}
export const quickProcessorEffort: ProcessorEffort = {
  documents: 20_000,
  rounds: 5,
  slowPages: 240,
  writes: 40,
}

/**
 * Makes all measurements, one after the other.
 *
 * @param cli the built program, which serves the store of the comparison over HTTP
 */
export async function measuredProcessor(effort: ProcessorEffort, cli: string): Promise<readonly Figure[]> {
  return [
    ...(await againstBareIterator(effort, cli)),
    ...(await rangesSideBySide(effort)),
    ...(await pagesReadAhead(effort)),
    ...(await idleRequests()),
    ...(await latency(effort)),
  ]
}
