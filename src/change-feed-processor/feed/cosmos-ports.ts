import type { Container } from '@azure/cosmos'
import { CosmosLeaseStore, type LeaseStore } from '../../../lease-store/index.js'
import type { ChangeFeed } from './change-feed.js'
import { feedStartsFor } from './cosmos-sdk-copy.js'
import { CosmosChangeFeed } from './cosmos-change-feed.js'

/** A container of `@azure/cosmos` whose changes are read, or an object with a change feed's interface. */
export type MonitoredContainer = Container | ChangeFeed

/** A container of `@azure/cosmos` that stores the leases, or an object with a lease store's interface. */
export type LeaseContainer = Container | LeaseStore

/** A container of `@azure/cosmos` that stores the changes that were set aside. */
export type DeadLetterContainer = Container

export interface PortOptions {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  readonly onCharge: (operation: string, charge: number) => void
}

export interface Ports {
  readonly feed: ChangeFeed
  readonly leaseStore: LeaseStore
}

/** Returns whether the option is a feed and not a container. */
export function isChangeFeed(monitored: MonitoredContainer): monitored is ChangeFeed {
  return 'readNext' in monitored
}

/** Returns whether the option is a lease store and not a container. */
export function isLeaseStore(leases: LeaseContainer): leases is LeaseStore {
  return 'initialization' in leases
}

/** Returns whether a value is a container of `@azure/cosmos`, from any copy of that package. */
export function isContainer(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null) return false
  return 'items' in value && 'database' in value && 'read' in value && typeof value.read === 'function'
}

/** Returns the ports of both containers. Rejects if a container is missing. */
export async function openPorts(options: PortOptions): Promise<Ports> {
  const { monitoredContainer, leaseContainer, processorName, onCharge } = options
  if (isChangeFeed(monitoredContainer)) {
    if (isLeaseStore(leaseContainer)) return { feed: monitoredContainer, leaseStore: leaseContainer }
    throw new TypeError(
      'leases in a Container are named after the monitored Container: pass both Containers, or a LeaseStore',
    )
  }
  const leaseStore = isLeaseStore(leaseContainer)
    ? leaseContainer
    : await CosmosLeaseStore.open({ leaseContainer, monitoredContainer, processorName, onCharge })
  // A container of an unknown copy of the SDK stops the start, before anything is read.
  await feedStartsFor(monitoredContainer)
  return { feed: new CosmosChangeFeed({ container: monitoredContainer, onCharge }), leaseStore }
}
