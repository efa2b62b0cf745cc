/** Further exports of this folder, for use only inside the library. */
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
  containerFindings,
  findingText,
  leaseContainerRole,
  leasePartitioningOf,
  type ContainerFinding,
  type ContainerRole,
  type ContainerSettings,
} from './lease/container-role.js'
export { probeContainer, type ProbedContainer } from './cosmos/cosmos-container-probe.js'
export {
  initializationLock,
  initializationMarker,
  javaLeasePrefix,
  leaseDocumentId,
  leaseIdPrefix,
  leasePrefix,
} from './lease/lease-naming.js'
export { cutRange, isEpkRange, leaseTokenOf } from './lease/feed-range.js'
export { isSameOwner } from './lease/transitions.js'
export { observe, type LeaseObservations } from './lease/observation.js'
export { expiredByObservation } from './lease/expiry.js'
export { lapsed, unanswered, type HandoverPatience } from './balance/handover.js'
export { duplicateInstanceLease, yieldsTo } from './balance/duplicate-instance.js'
export { selectLeases, type Balance, type LeaseLimits, type Selection } from './balance/balance.js'
export { planLeases, type PlannedLease } from './ranges/coverage.js'
export { findOverlaps, isCovered, overlap, sharesItsRange } from './ranges/overlap.js'
export { canMeet, planOverlapRepairs, staying, type OverlapRepair } from './ranges/overlap-repair.js'
export { cosmosErrorKind, isTransient, type CosmosErrorKind } from './cosmos/cosmos-errors.js'
export { accountHostOf, storeTimeMs } from './cosmos/cosmos-response.js'
export { contextOf } from './cosmos/cosmos-client-context.js'
export { askAgainForRanges } from './cosmos/cosmos-known-ranges.js'
export { failureOf, observeRequests, watchFailures, type RetryPause } from './cosmos/cosmos-requests.js'
