import { CosmosClient, type Container } from '@azure/cosmos'
import {
  ChangeFeedProcessor,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import type { ProcessorInternals } from '../../../src/change-feed-processor/internal.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import type { Container as EngineContainer } from '../../../src/emulator/engine/index.js'
import type { Clock } from '../../../src/platform/index.js'
import { startEmulatorProcess } from '../server-process.js'

/** A monitored container and one for leases. */
export interface Containers {
  readonly orders: Container
  readonly leases: Container
}

/** Containers in this process. */
export interface Shop extends Containers {
  readonly cosmos: InProcessCosmos
}

/** Containers in a process of their own. */
export interface ShopApart extends Containers {
  close(): Promise<void>
}

/** Without a socket. */
export async function aShop(partitionCount: number, clock?: Clock): Promise<Shop> {
  const cosmos = createInProcessCosmos({ partitionCount, ...(clock === undefined ? {} : { clock }) })
  const containers = await containersOf(cosmos.client())
  mergeAll(cosmos.engine.container('shop', 'leases'))
  return { cosmos, ...containers }
}

/** Of one partition with `count` documents, in a process of its own, as every store outside tests is. */
export async function aShopApart(cli: string, count: number): Promise<ShopApart> {
  const server = await startEmulatorProcess(cli, ['--partitions', '1'])
  const client = new CosmosClient({ endpoint: server.endpoint, key: server.key })
  const containers = await containersOf(client)
  const close = async (): Promise<void> => {
    client.dispose()
    await server.kill()
  }
  for (let number = 0; number < count; number += largestBatch) {
    const pk = `customer-${number}`
    const numbers = Array.from(
      { length: Math.min(largestBatch, count - number) },
      (_, index) => number + index,
    )
    const operations = numbers.map((one) => ({
      operationType: 'Create' as const,
      resourceBody: { id: `order-${one}`, pk, number: one },
    }))
    await containers.orders.items.batch(operations, pk)
  }
  return { ...containers, close }
}

async function containersOf(client: CosmosClient): Promise<Containers> {
  const { database } = await client.databases.create({ id: 'shop' })
  const { container: orders } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
  const { container: leases } = await database.containers.create({
    id: 'leases',
    partitionKey: '/id',
    defaultTtl: -1,
    // As the page on the processor tells: nothing is looked for but the id.
    indexingPolicy: { excludedPaths: [{ path: '/*' }] },
  })
  return { orders, leases }
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

/** The most operations that the service takes in one batch. */
const largestBatch = 100

let units = 0

/** An instance of a unit of its own, which reads from the beginning unless told otherwise. */
export function aProcessor(
  { orders, leases }: Containers,
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
