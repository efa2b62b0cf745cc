import type { Container } from '@azure/cosmos'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/platform/index.js'
import {
  createInProcessCosmos,
  startEmulator,
  type Emulator,
  type EmulatorOptions,
  type InProcessCosmos,
} from '../../../src/emulator/index.js'

/** What the suites need of an emulator. */
export type Door = Pick<
  InProcessCosmos,
  'client' | 'engine' | 'faults' | 'stats' | 'close' | 'splitPartition' | 'mergePartitions'
>

export interface DoorOptions {
  readonly partitionCount?: number
  readonly clock?: Clock
  readonly enforceThroughput?: boolean
}

/** Starts an emulator on a free port. It is closed after the test, unless the test has closed it. */
export async function anEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ port: 0, ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** The ways in which the unmodified SDK reaches the embedded Cosmos DB. Every suite uses each of them. */
export const doors: readonly (readonly [string, (options?: DoorOptions) => Promise<Door>])[] = [
  ['in process', async (options = {}) => createInProcessCosmos(options)],
  ['over HTTP', anEmulator],
]

/** Returns the container `shop/orders`, partitioned by `/pk`. Creates it if it does not exist. */
export async function ordersIn(door: Pick<Door, 'client'>): Promise<Container> {
  const { database } = await door.client().databases.createIfNotExists({ id: 'shop' })
  return (await database.containers.createIfNotExists({ id: 'orders', partitionKey: '/pk' })).container
}
