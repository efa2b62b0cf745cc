import type { Container } from '@azure/cosmos'
import { CosmosLeaseStore, type LeaseStore } from '../../../lease-store/index.js'
import type { ChangeFeed } from './change-feed.js'
import { CosmosChangeFeed } from './cosmos-change-feed.js'

/** Whose changes are read: a container of `@azure/cosmos`, or anything that behaves like its feed. */
export type MonitoredContainer = Container | ChangeFeed

/** Where leases are kept: a container of `@azure/cosmos`, or anything that behaves like a lease store. */
export type LeaseContainer = Container | LeaseStore

/** A container of `@azure/cosmos` that keeps what could not be handled. */
export type DeadLetterContainer = Container

/** What is needed to make ports of containers. */
export interface PortOptions {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  readonly onCharge: (operation: string, charge: number) => void
}

/** What a processor works on. */
export interface Ports {
  readonly feed: ChangeFeed
  readonly leaseStore: LeaseStore
}

/** Whether it is a port already. */
export function isChangeFeed(monitored: MonitoredContainer): monitored is ChangeFeed {
  return 'readNext' in monitored
}

/** Whether it is a port already. */
export function isLeaseStore(leases: LeaseContainer): leases is LeaseStore {
  return 'initialization' in leases
}

/** Whether it is a container of `@azure/cosmos`, of whichever copy of it. */
export function isContainer(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null) return false
  return 'items' in value && 'database' in value && 'read' in value && typeof value.read === 'function'
}

/** The ports of both containers; rejects when one of them is missing. */
export async function openPorts(options: PortOptions): Promise<Ports> {
  const { monitoredContainer, leaseContainer, processorName, onCharge } = options
  if (isChangeFeed(monitoredContainer)) {
    if (isLeaseStore(leaseContainer)) return { feed: monitoredContainer, leaseStore: leaseContainer }
    throw new TypeError(
      'leases in a Container are named after the monitored Container: pass both, or a LeaseStore',
    )
  }
  const leaseStore = isLeaseStore(leaseContainer)
    ? leaseContainer
    : await CosmosLeaseStore.open({ leaseContainer, monitoredContainer, processorName, onCharge })
  return { feed: new CosmosChangeFeed({ container: monitoredContainer, onCharge }), leaseStore }
}
