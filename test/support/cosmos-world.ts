import {
  ChangeFeedPolicy,
  ChangeFeedRetentionTimeSpan,
  type Container,
  type CosmosClient,
  type CosmosClientOptions,
} from '@azure/cosmos'
import { type LeaseStore, CosmosLeaseStore } from '../../lease-store/index.js'
import type { ChangeFeed } from '../../src/change-feed-processor/index.js'
import { CosmosChangeFeed } from '../../src/change-feed-processor/internal.js'
import { enginePorts } from '../../src/engine-ports/index.js'
import { createInProcessCosmos, type Faults } from '../../src/emulator/index.js'
import { seededRandom, VirtualClock } from '../../src/platform/index.js'
import { portsThrough, servedDoor } from './local-door.js'

/** A monitored container and a lease container on one embedded Cosmos DB with a virtual clock. */
export interface CosmosWorld {
  readonly clock: VirtualClock
  readonly monitoredContainer: Container
  readonly leaseContainer: Container
  /** Returns another client of the same account. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  /** The faults between the account and the SDK's containers. */
  readonly faults: Faults
  /** Returns a new instance's view of the feed. */
  feed(): ChangeFeed
  /** Returns a new instance's view of the leases of a deployment unit. */
  leaseStore(processorName?: string): Promise<LeaseStore>
  /** Writes a document into the monitored container. */
  put(id: string, fields?: Readonly<Record<string, unknown>>): Promise<void>
  /** Deletes a document from the monitored container. Its partition key is its id by default. */
  remove(id: string, pk?: string): Promise<void>
  /** Splits a physical partition of the monitored container. */
  split(rangeId: string): void
  /** Merges two neighbouring physical partitions of the monitored container. */
  merge(rangeIds: readonly [string, string]): void
}

export interface WorldOptions {
  readonly partitionCount?: number
  readonly leasePartitioning?: '/id' | '/partitionKey'
  /**
   * The default TTL of the lease container. Null: no document expires. Default -1: only documents with a
   * `ttl` expire.
   */
  readonly leaseTtl?: number | null
  /**
   * Whether the monitored container keeps every version for a day, and lets documents expire. Default false.
   */
  readonly keepsVersions?: boolean
}

/** The ways to use the ports: directly on the engine, through a socket, or through the unmodified SDK. */
export const doors = ['engine ports', 'local door', 'SDK in process'] as const

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
  const attached =
    door === 'local door'
      ? await portsThrough(await servedDoor(cosmos), { database: 'shop', container: 'orders' })
      : null
  const isEngine = door === 'engine ports'
  return {
    clock,
    monitoredContainer,
    leaseContainer,
    client: (clientOptions) => cosmos.client(clientOptions),
    faults: cosmos.faults,
    feed: () =>
      attached?.changeFeed() ??
      (isEngine ? ports.changeFeed('orders') : new CosmosChangeFeed({ container: monitoredContainer })),
    leaseStore: async (processorName = 'unit') =>
      attached?.leases(processorName) ??
      (isEngine
        ? ports.leaseStore({ leaseContainer: 'leases', monitoredContainer: 'orders', processorName })
        : CosmosLeaseStore.open({ leaseContainer, monitoredContainer, processorName })),
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
