import type { Lease, LeaseListing, LeaseStore } from '../../lease-store/index.js'
import type { ChangePage, FeedPosition, PhysicalRange } from '../change-feed-processor/index.js'
import type { Container } from '../emulator/engine/index.js'
import { leaseIn } from './stored-lease.js'
import type { Network, Wiring } from './network.js'
import type { SimulatedProcess } from './simulated-process.js'

/** The number of answers by which a replica may be behind. */
const replicaLag = 3

/**
 * Creates the wiring of a lease store. The instances of a unit share the wiring, including its stale
 * replicas.
 */
export function leaseStoreWiring(party: string, leases: () => Container): Wiring {
  const listings: LeaseListing[] = []
  let isBootstrapped = false
  return {
    party,
    writePointOf: (method, args) => {
      if (method === 'delete') return 'L7'
      if (method === 'create') return isBootstrapped ? 'L6' : 'L1'
      if (method === 'replace') return replacePoint(leases(), args[0] as Lease)
      if (method === 'markDone') isBootstrapped = true
      return ['tryLock', 'markDone', 'unlock'].includes(method) ? 'L1' : null
    },
    lost: (method, cause) =>
      method === 'replace' ? Promise.resolve({ kind: 'unknownOutcome', cause }) : Promise.reject(cause),
    stale: ({ method, args }, answer) => {
      const [behind] = listings
      if (method === 'list') {
        listings.push(answer as LeaseListing)
        if (listings.length > replicaLag) listings.shift()
        // Only the documents are old. The time is from the newest answer.
        const { storeTimeMs } = answer as LeaseListing
        return { leases: behind?.leases ?? (answer as LeaseListing).leases, storeTimeMs }
      }
      if (method !== 'read') return answer
      return behind?.leases.find(({ leaseToken }) => leaseToken === args[0]) ?? answer
    },
  }
}

/** Returns a lease store as one process sees it. */
export function connectedLeaseStore(
  network: Network,
  store: LeaseStore,
  { process, wiring }: { readonly process: SimulatedProcess; readonly wiring: Wiring },
): LeaseStore {
  const initialization = network.connect(store.initialization, process, wiring)
  return new Proxy(network.connect(store, process, wiring), {
    get: (target, name): unknown => (name === 'initialization' ? initialization : Reflect.get(target, name)),
  })
}

/**
 * Returns the write point of a replace by its change: L2 acquires, L3 renews, L4 is a checkpoint, L5
 * releases. `ask` requests a hand-over, before L2.
 */
function replacePoint(leases: Container, lease: Lease): string {
  if (lease.owner === null) return 'L5'
  const id = String(lease.document['id'])
  const stored = leaseIn(leases.find([id], id)?.fields ?? null)
  if (stored?.timestampMs === lease.timestampMs) return 'ask'
  if (stored?.owner !== lease.owner || stored.incarnation !== lease.incarnation) return 'L2'
  return stored.continuationToken === lease.continuationToken ? 'L3' : 'L4'
}

export function feedWiring(party: string): Wiring {
  let earlierRanges: readonly PhysicalRange[] | undefined
  return {
    party,
    writePointOf: () => null,
    lost: (_method, cause) => Promise.reject(cause),
    stale: ({ method, args }, answer) => {
      if (method === 'physicalRanges') {
        const behind = earlierRanges ?? (answer as readonly PhysicalRange[])
        earlierRanges = answer as readonly PhysicalRange[]
        return behind
      }
      return unchanged(args[0] as FeedPosition, answer as ChangePage)
    },
  }
}

/**
 * Returns the page of a replica that has no newer changes. Returns the true page if the position is not a
 * continuation or the range was split.
 */
function unchanged(position: FeedPosition, page: ChangePage): ChangePage {
  if (position.start.kind !== 'continuation' || page.next.length !== 1) return page
  return { ...page, changes: [], next: [position], isDrained: true }
}
