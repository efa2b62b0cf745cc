/**
 * # Lease store
 *
 * Decides which instance reads which feed range. Records that instance and the position that it has reached.
 *
 * A **lease** is one document per feed range in the lease container. The document has the same format as in
 * the .NET V3 SDK, so a deployment unit may have both Node hosts and .NET hosts.
 *
 * States of a lease:
 *
 * - *Free*: the lease has no owner. Any instance may acquire the lease.
 * - *Owned*: the owner renews the lease, or stores a position, every few seconds.
 * - *Expired*: the owner has not written the lease for longer than the expiration interval. Another instance
 *   may then acquire the lease. The time since the last write is the store's time minus `_ts`. Both are whole
 *   seconds, so this time must exceed the interval by at least one second.
 * - *Requested*: the owner is alive, and another instance has requested the lease. The owner finishes its
 *   page, stores its position and releases the lease. For a limited time, the free lease is then kept for the
 *   requester.
 *
 * Every change of a lease is one conditional replace. It succeeds only if the lease still has the etag that
 * the writer last read. If two instances write the same lease at the same time, one of them gets *conflict*
 * and continues without the lease.
 * The wall clocks of two instances are never compared.
 *
 * Parts:
 *
 * - `lease/` contains the lease with its document, ids, transitions and expiry. The folder also contains the
 *   requirements for the lease container.
 * - `balance/` decides which leases an instance takes or requests, and how long a request is valid. The
 *   folder also contains the check for processes with the same name.
 * - `ranges/` finds missing leases and overlapping leases.
 * - `cosmos/` contains the lease store for a Cosmos DB container, and the classification of Cosmos DB's
 *   errors.
 *
 * The functions in `balance/`, `ranges/` and `lease/transitions.ts` are pure: they receive leases and the
 * time, and return their decision.
 *
 * Start with `lease/lease.ts` and `lease/transitions.ts`, then read `balance/balance.ts`.
 */
export type {
  FeedRange,
  FirstPosition,
  Lease,
  LeaseMode,
  LeaseOwner,
  LeaseReport,
  NewLease,
} from './lease/lease.js'
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
  releaseOfDead,
  renew,
  reposition,
  requestHandover,
  withdrawRequest,
} from './lease/transitions.js'
export { expired } from './lease/expiry.js'
export { RefusedLeaseError } from './lease/refused-lease-error.js'
export { CosmosLeaseStore, type CosmosLeaseStoreOptions } from './cosmos/cosmos-lease-store.js'
