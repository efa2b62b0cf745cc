/**
 * # Change feed processor
 *
 * Delivers the change feed of a Cosmos DB container to a delegate, shared among any number of instances.
 *
 * What is promised: every change is delivered **at least once**; changes of one partition key come **in order**; a part
 * of the feed has **one owner at a time**; a checkpoint **never passes** a page that the delegate has not accepted. What is
 * not: a page may come again after a crash, a takeover or a split, and only the latest version of a document comes.
 *
 * How: the feed is cut into ranges, each with a lease (`lease-store`). Every instance runs one load balancer that
 * takes its share of leases. For each lease it holds, a *supervisor* reads and delivers, and a *holder*, the only writer
 * of that lease, renews it and stores how far it was read. An owner that could not write its lease for almost the
 * expiration interval stops by itself, before anybody may take the lease over: no message is needed, only a clock that
 * runs forward. Everything else that can go wrong is settled by conditional writes.
 *
 * Files are read in this order: `change-feed-processor.ts`, `bootstrapper.ts`, `load-balancer.ts`,
 * `partition-controller.ts`, `partition-supervisor.ts`, `lease-holder.ts`. The SDK is met in `cosmos-change-feed.ts` only.
 */
export { ChangeFeedProcessor } from './change-feed-processor.js'
export {
  resolveOptions,
  type ChangeFeedProcessorOptions,
  type LifecycleNotifications,
  type ResolvedOptions,
} from './options.js'
export type { ChangeFeedContext, ChangeFeedDelegate, CloseReason, StartPosition } from './delegate.js'
export { DelegateError, FeedError, ProcessorOptionsError } from './errors.js'
export { ChangeFeedEstimator, type ChangeFeedEstimatorOptions, type LeaseEstimate } from './estimator.js'
export type { LeaseHealth, ProcessorHealth } from './health.js'
export { inspect, type Inspection, type InspectionOptions } from './doctor/cosmos-inspection.js'
export { diagnose, type DiagnosisOptions } from './doctor/diagnosis.js'
export type { Finding, FindingRule } from './doctor/finding.js'
export type { UnitDocuments } from './doctor/units.js'
export { FeedHints, type FeedHintListener } from './feed-hints.js'
export type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  FeedStart,
  PhysicalRange,
  ReadOptions,
} from './change-feed.js'
export { CosmosChangeFeed, type CosmosChangeFeedOptions } from './cosmos-change-feed.js'
export type { LeaseContainer, MonitoredContainer } from './cosmos-ports.js'
export type { PollInterval } from './poll-delay.js'
