import type { Container } from '@azure/cosmos'
import { CosmosLeaseStore, type LeaseStore } from '../../lease-store/index.js'
import type { ChangeFeed } from './change-feed.js'
import { CosmosChangeFeed } from './cosmos-change-feed.js'
import { brokenRules } from './option-rules.js'

/** Whose changes are read: a container of `@azure/cosmos`, or anything that behaves like its feed. */
export type MonitoredContainer = Container | ChangeFeed

/** Where leases are kept: a container of `@azure/cosmos`, or anything that behaves like a lease store. */
export type LeaseContainer = Container | LeaseStore

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

/** What is wrong with where changes and leases are, given by whom no compiler has told, perhaps. */
export function portProblems(
  options: Pick<PortOptions, 'monitoredContainer' | 'leaseContainer' | 'processorName'>,
): string[] {
  const { monitoredContainer: monitored, leaseContainer: leases, processorName } = options
  const [hasFeed, hasLeases] = [isObject(monitored), isObject(leases)]
  return brokenRules([
    [
      hasFeed,
      `monitoredContainer is ${shown(monitored)}; it must be a Container of @azure/cosmos, or a ChangeFeed`,
    ],
    [
      hasLeases,
      `leaseContainer is ${shown(leases)}; it must be a Container of @azure/cosmos, or a LeaseStore`,
    ],
    [
      typeof (processorName as unknown) === 'string' && !/[/\\?#]/.test(processorName),
      `processorName is ${shown(processorName)}; it becomes part of document ids, so it must be text without / \\ ? #`,
    ],
    [
      !hasFeed || !hasLeases || !isChangeFeed(monitored) || isLeaseStore(leases),
      'leaseContainer is a Container beside a monitoredContainer that is not; pass both Containers, or a LeaseStore',
    ],
  ])
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Never more of an object than that it is one: a Container is one of thousands of fields, and in circles. */
function shown(value: unknown): string {
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** Whether it is a port already. */
export function isChangeFeed(monitored: MonitoredContainer): monitored is ChangeFeed {
  return 'readNext' in monitored
}

/** Whether it is a port already. */
export function isLeaseStore(leases: LeaseContainer): leases is LeaseStore {
  return 'initialization' in leases
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
