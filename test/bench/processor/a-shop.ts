import type { Container } from '@azure/cosmos'
import {
  ChangeFeedProcessor,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import type { ProcessorInternals } from '../../../src/change-feed-processor/internal.js'
import { createInProcessCosmos, startEmulator, type InProcessCosmos } from '../../../src/emulator/index.js'
import type { Container as EngineContainer } from '../../../src/emulator/engine/index.js'
import type { Clock } from '../../../src/platform/index.js'

/** A monitored container and one for leases. */
export interface Shop {
  readonly cosmos: Pick<InProcessCosmos, 'client' | 'engine' | 'faults' | 'stats' | 'close'>
  readonly orders: Container
  readonly leases: Container
}

/** Without a socket. */
export function aShop(partitionCount: number, clock?: Clock): Promise<Shop> {
  return shopIn(createInProcessCosmos({ partitionCount, ...(clock === undefined ? {} : { clock }) }))
}

/** Of one partition, behind a socket of this machine: to be closed. */
export async function aShopOverHttp(): Promise<Shop> {
  return shopIn(await startEmulator({ port: 0, partitionCount: 1 }))
}

async function shopIn(cosmos: Shop['cosmos']): Promise<Shop> {
  const { database } = await cosmos.client().databases.create({ id: 'shop' })
  const { container: orders } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
  const { container: leases } = await database.containers.create({
    id: 'leases',
    partitionKey: '/id',
    defaultTtl: -1,
    // As the page on the processor tells: nothing is looked for but the id.
    indexingPolicy: { excludedPaths: [{ path: '/*' }] },
  })
  mergeAll(cosmos.engine.container('shop', 'leases'))
  return { cosmos, orders, leases }
}

/** Leases fill one partition, however many the feed has; a query is charged for each. */
function mergeAll(container: EngineContainer): void {
  const [one, other] = container.partitions
  if (one === undefined || other === undefined) return
  container.mergePartitions([one.id, other.id])
  mergeAll(container)
}

/** Stores `count` small documents past the SDK, which would take longer than what is measured. */
export function fill({ cosmos }: Shop, count: number): void {
  const container = cosmos.engine.container('shop', 'orders')
  for (let number = 0; number < count; number += 1) {
    const pk = `customer-${number % 1_000}`
    container.execute([pk], { kind: 'upsert', document: { id: `order-${number}`, pk, number } })
  }
}

let units = 0

/** An instance of a unit of its own, which reads from the beginning unless told otherwise. */
export function aProcessor(
  { orders, leases }: Shop,
  options: Pick<ChangeFeedProcessorOptions<Record<string, unknown>>, 'onChanges'> &
    Partial<ChangeFeedProcessorOptions<Record<string, unknown>>>,
  internals: ProcessorInternals = {},
): ChangeFeedProcessor {
  units += 1
  return new ChangeFeedProcessor(
    {
      monitoredContainer: orders,
      leaseContainer: leases,
      processorName: `unit-${units}`,
      instanceName: 'bench',
      startFrom: 'beginning',
      ...options,
    },
    internals,
  )
}
