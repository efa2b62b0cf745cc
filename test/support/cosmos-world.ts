import {
  ChangeFeedPolicy,
  ChangeFeedRetentionTimeSpan,
  type Container,
  type CosmosClient,
  type CosmosClientOptions,
} from '@azure/cosmos'
import type { LeaseStore } from '../../lease-store/index.js'
import { CosmosLeaseStore } from '../../lease-store/index.js'
import { CosmosChangeFeed, type ChangeFeed } from '../../src/change-feed-processor/index.js'
import { enginePorts } from '../../src/embedded/index.js'
import { createInProcessCosmos, type Faults } from '../../src/emulator/index.js'
import { seededRandom, VirtualClock } from '../../src/platform/index.js'

/** A monitored container and a lease container on one embedded Cosmos DB whose time stands still. */
export interface CosmosWorld {
  readonly clock: VirtualClock
  readonly monitoredContainer: Container
  readonly leaseContainer: Container
  /** Another client of the same account. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  /** What goes wrong on its way to the SDK's containers. */
  readonly faults: Faults
  /** A new instance's view of the feed. */
  feed(): ChangeFeed
  /** A new instance's view of the leases of a deployment unit. */
  leaseStore(processorName?: string): Promise<LeaseStore>
  /** Writes a document into the monitored container. */
  put(id: string, fields?: Readonly<Record<string, unknown>>): Promise<void>
  /** Deletes a document from the monitored container; its partition key is its id, unless said. */
  remove(id: string, pk?: string): Promise<void>
  /** Splits a physical partition of the monitored container. */
  split(rangeId: string): void
  /** Makes one of two neighbouring physical partitions of the monitored container. */
  merge(rangeIds: readonly [string, string]): void
}

/** How the world is built. */
export interface WorldOptions {
  readonly partitionCount?: number
  readonly leasePartitioning?: '/id' | '/partitionKey'
  /** Null for a lease container in which nothing expires. Default -1: documents may say so. */
  readonly leaseTtl?: number | null
  /** Whether the monitored container keeps every version, for a day, and lets documents expire. Default false. */
  readonly keepsVersions?: boolean
}

/** The ways to the ports: straight on the engine, or through the unmodified SDK. */
export const doors = ['engine ports', 'SDK in process'] as const

export async function cosmosWorld(
  door: (typeof doors)[number],
  options: WorldOptions = {},
): Promise<CosmosWorld> {
  const { partitionCount = 1, leasePartitioning = '/id', leaseTtl = -1, keepsVersions = false } = options
  const clock = new VirtualClock()
  const cosmos = createInProcessCosmos({ clock, random: seededRandom(1), partitionCount })
  const { database } = await cosmos.client().databases.create({ id: 'shop' })
  const { container: monitoredContainer } = await database.containers.create({
    id: 'orders',
    partitionKey: '/pk',
    ...(keepsVersions
      ? {
          changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(1_440)),
          defaultTtl: -1,
        }
      : {}),
  })
  const { container: leaseContainer } = await database.containers.create({
    id: 'leases',
    partitionKey: leasePartitioning,
    ...(leaseTtl === null ? {} : { defaultTtl: leaseTtl }),
  })
  const ports = enginePorts(cosmos.engine, 'shop')
  const isEngine = door === 'engine ports'
  return {
    clock,
    monitoredContainer,
    leaseContainer,
    client: (clientOptions) => cosmos.client(clientOptions),
    faults: cosmos.faults,
    feed: () =>
      isEngine ? ports.changeFeed('orders') : new CosmosChangeFeed({ container: monitoredContainer }),
    leaseStore: async (processorName = 'unit') =>
      isEngine
        ? ports.leaseStore({ leaseContainer: 'leases', monitoredContainer: 'orders', processorName })
        : CosmosLeaseStore.open({ leaseContainer, monitoredContainer, processorName }),
    put: async (id, fields = {}) => {
      await monitoredContainer.items.upsert({ id, pk: id, ...fields })
    },
    remove: async (id, pk = id) => {
      await monitoredContainer.item(id, pk).delete()
    },
    split: (rangeId) => {
      cosmos.engine.container('shop', 'orders').splitPartition(rangeId)
    },
    merge: (rangeIds) => {
      cosmos.engine.container('shop', 'orders').mergePartitions(rangeIds)
    },
  }
}
