/**
 * # Lease store
 *
 * Decides and records which instance reads which feed range, and how far.
 *
 * A **lease** is one document per feed range in the lease container, in the shape of the .NET V3 SDK, so that a
 * deployment unit may mix Node and .NET hosts. Its life: *free* → acquired (owner set) → renewed or checkpointed every
 * few seconds by its owner → released (owner null) or *expired* (the store's clock minus `_ts` exceeds the expiration
 * interval) → acquired by another. While its owner lives, another may ask for it: the owner then finishes its page,
 * stores how far it came and releases, and the lease is kept a while for who asked. Every step of it is one conditional replace on the etag last seen: of two instances
 * that want the same lease one is told *conflict* and goes on. No wall clocks of two instances are compared.
 *
 * Files named by a verb or a rule are pure: leases and the time in, leases out.
 */
export type { FeedRange, FirstPosition, Lease, LeaseMode, LeaseOwner, NewLease } from './lease/lease.js'
export {
  decodeLease,
  encodeLease,
  encodeNewLease,
  foreignProperties,
  type DecodedLease,
  type DecodeOptions,
  type LeaseDocument,
  type LeasePartitioning,
  type LeaseRefusal,
} from './lease/lease-document.js'
export {
  initializationLock,
  initializationMarker,
  leaseDocumentId,
  leaseIdPrefix,
  javaLeasePrefix,
  leasePrefix,
  type LeasePrefix,
} from './lease/lease-naming.js'
export { cutRange, isEpkRange, leaseTokenOf } from './lease/feed-range.js'
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
  isSameOwner,
  release,
  renew,
  reposition,
  requestHandover,
} from './lease/transitions.js'
export { observe, type LeaseObservation, type LeaseObservations } from './lease/observation.js'
export { expired, expiredByObservation } from './lease/expiry.js'
export { lapsed, unanswered, type HandoverPatience } from './balance/handover.js'
export { givesWayTo, twinLease } from './balance/twin.js'
export { selectLeases, type Balance, type LeaseLimits, type Selection } from './balance/balance.js'
export { planLeases, type NamedRange, type PlannedLease } from './ranges/coverage.js'
export { findOverlaps, isCovered, type Overlaps, type ReplacedLease } from './ranges/overlap.js'
export { canMeet, planOverlapRepairs, staying, type OverlapRepair } from './ranges/overlap-repair.js'
export { cosmosErrorKind, isTransient, type CosmosErrorKind } from './cosmos/cosmos-errors.js'
export { accountHostOf, storeTimeMs } from './cosmos/cosmos-response.js'
export {
  failureOf,
  observeRequests,
  watchFailures,
  type RequestEnd,
  type RequestObserver,
} from './cosmos/cosmos-requests.js'
export { CosmosLeaseStore, type CosmosLeaseStoreOptions } from './cosmos/cosmos-lease-store.js'
export { RefusedLeaseError } from './lease/refused-lease-error.js'
