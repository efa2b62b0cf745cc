import type { Clock } from '../../../src/platform/index.js'
import { createInProcessCosmos, startEmulator, type InProcessCosmos } from '../../../src/emulator/index.js'

/** What the suites need of an emulator, whichever door it is behind. */
export type Door = Pick<
  InProcessCosmos,
  'client' | 'engine' | 'faults' | 'stats' | 'close' | 'splitPartition' | 'mergePartitions'
>

export interface DoorOptions {
  readonly partitionCount?: number
  readonly clock?: Clock
  readonly enforceThroughput?: boolean
}

/** The ways the unmodified SDK reaches the embedded Cosmos DB; every suite runs through each. */
export const doors: readonly (readonly [string, (options?: DoorOptions) => Promise<Door>])[] = [
  ['in process', async (options = {}) => createInProcessCosmos(options)],
  ['over HTTP', (options = {}) => startEmulator({ port: 0, ...options })],
]
