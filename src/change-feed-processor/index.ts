/**
 * # Change feed processor
 *
 * Delivers the change feed of a Cosmos DB container to a delegate, shared among any number of instances.
 *
 * What is promised: every change is delivered **at least once**; changes of one partition key come **in order**; a part
 * of the feed has **one owner at a time**; a checkpoint **never passes** a change that was neither handled nor set aside by
 * the failure policy, and with manual checkpoints none that the delegate has not reported. What is not: a page may come
 * again after a crash, a takeover or a split, and unless all versions are asked for only the latest of a document comes.
 *
 * How: the feed is cut into ranges, each with a lease (`lease-store`). Every instance runs one load balancer that
 * takes its share of leases. For each lease it holds, a *supervisor* reads and delivers, and a *holder*, the only writer
 * of that lease, renews it and stores how far it was read. An owner that could not write its lease for almost the
 * expiration interval stops by itself, before anybody may take the lease over: no message is needed, only a clock that
 * runs forward. Everything else that can go wrong is settled by conditional writes.
 *
 * Between the supervisor and the user's code stands a *delivery*, of whole pages (`page-delivery.ts`) or of single changes
 * (`parallel.ts`). What a failure leads to is decided in `failure-policy.ts`, where in a page a position may lie in
 * `page-positions.ts`, and what of it may be stored in `progress.ts`.
 *
 * Files are read in this order: `change-feed-processor.ts`, `bootstrapper.ts`, `load-balancer.ts`,
 * `partition-controller.ts`, `partition-supervisor.ts`, `lease-holder.ts`. The SDK is met in `cosmos-change-feed.ts` only.
 */
export { ChangeFeedProcessor } from './change-feed-processor.js'
export { type LifecycleNotifications } from './feed/delegate.js'
export {
  resolveOptions,
  type AllVersionsOptions,
  type AnyProcessorOptions,
  type ChangeFeedMode,
  type ChangeFeedProcessorOptions,
  type LatestVersionOptions,
  type ProcessorOptions,
  type ResolvedOptions,
} from './options/options.js'
export type {
  ChangeDeliveryOptions,
  CheckpointMode,
  DeliveryOptions,
  FailurePolicy,
  PageDeliveryOptions,
} from './options/delivery-options.js'
export type {
  ChangeContext,
  ChangeDelegate,
  ChangeFeedContext,
  ChangeFeedDelegate,
  CloseReason,
  PageDelegate,
  StartPosition,
  DeadLetter,
} from './feed/delegate.js'
export { DelegateError, FeedError, LeaseLostError, ProcessorOptionsError } from './feed/errors.js'
export { ChangeFeedEstimator, type ChangeFeedEstimatorOptions, type LeaseEstimate } from './estimator.js'
export type { LeaseHealth, ProcessorHealth } from './health.js'
export { inspect, type Inspection, type InspectionOptions } from './doctor/cosmos-inspection.js'
export { diagnose, type DiagnosisOptions } from './doctor/diagnosis.js'
export type { Finding, FindingRule } from './doctor/finding.js'
export type { UnitDocuments } from './doctor/units.js'
export { FeedHints, type FeedHintListener } from './feed/feed-hints.js'
export type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  FeedStart,
  PhysicalRange,
  ReadOptions,
  VersionChange,
} from './feed/change-feed.js'
export { feedStartsFor } from './feed/cosmos-sdk-copy.js'
export { CosmosChangeFeed, type CosmosChangeFeedOptions } from './feed/cosmos-change-feed.js'
export type { DeadLetterContainer, LeaseContainer, MonitoredContainer } from './feed/cosmos-ports.js'
export { ProcessorRunningError, resetProcessor, type ResetOptions } from './reset-processor.js'
export type { PollInterval } from './options/poll-delay.js'
