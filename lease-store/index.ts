/**
 * # Lease store
 *
 * Decides and records which instance reads which feed range, and how far it has read.
 *
 * A **lease** is one document per feed range in the lease container. It has the shape of the .NET V3 SDK, so
 * a deployment unit may mix Node and .NET hosts.
 *
 * States of a lease:
 *
 * - *Free*: it has no owner. Any instance may acquire it.
 * - *Owned*: its owner renews or checkpoints it every few seconds.
 * - *Expired*: the store's clock minus `_ts` exceeds the expiration interval by more than its resolution of a
 *   second. Another instance may acquire it.
 * - *Requested*: its owner lives, and another instance has asked for it. The owner finishes its page, stores
 *   its position and releases the lease. The free lease is then kept for the requester for a while.
 *
 * Every step is one conditional replace on the etag last seen. If two instances want the same lease, one of
 * them gets *conflict* and goes on. The wall clocks of two instances are never compared.
 *
 * Parts:
 *
 * - `lease/`: the lease, its document, ids, transitions and expiry, and the role of its container.
 * - `balance/`: which leases an instance takes or requests, how long a request is valid, processes with the
 *   same name.
 * - `ranges/`: which leases are missing, and which overlap.
 * - `cosmos/`: the store in a Cosmos DB container, and the errors of Cosmos DB.
 *
 * Files named by a verb or a rule are pure: they take leases and the time, and return leases.
 *
 * Start with `lease/lease.ts` and `lease/transitions.ts`, then read `balance/balance.ts`.
 */
export type { FeedRange, FirstPosition, Lease, LeaseMode, LeaseOwner, NewLease } from './lease/lease.js'
export type {
  LeaseCreation,
  LeaseDeletion,
  LeaseInitialization,
  LeaseListing,
  LeaseStore,
  LeaseWrite,
} from './lease/lease-store.js'
export {
  acquire,
  checkpoint,
  isOwnedBy,
  release,
  renew,
  reposition,
  requestHandover,
} from './lease/transitions.js'
export { expired } from './lease/expiry.js'
export { RefusedLeaseError } from './lease/refused-lease-error.js'
export { CosmosLeaseStore, type CosmosLeaseStoreOptions } from './cosmos/cosmos-lease-store.js'
