/**
 * # Change feed processor
 *
 * Delivers the change feed of a Cosmos DB container to a delegate, shared among any number of instances.
 *
 * What it guarantees:
 *
 * - Every change is delivered **at least once**.
 * - Changes of one partition key are delivered **in order**.
 * - Each part of the feed has **one owner at a time**.
 * - A checkpoint **never passes** a change that was neither handled nor set aside by the failure policy. With
 *   manual checkpoints it passes only changes that the delegate has reported.
 *
 * What it does not guarantee: a page may be delivered again after a crash, a takeover or a split. Unless all
 * versions are requested, only the latest version of a document is delivered.
 *
 * How it works: the feed is cut into ranges, each with a lease (`lease-store`). Every instance runs one load
 * balancer that takes its share of leases. For each lease it holds, a *supervisor* reads and delivers. A
 * *holder*, the only writer of that lease, renews it and stores its position. An owner that could not write
 * its lease for almost the expiration interval stops by itself, before another instance may take the lease
 * over. This needs no message, only a clock that runs forward. Conditional writes settle all other conflicts.
 *
 * Between the supervisor and the user's code is a *delivery*: of whole pages (`delivery/page-delivery.ts`) or
 * of single changes (`delivery/parallel.ts`). `options/failure-policy.ts` decides what follows a failure.
 * `delivery/page-positions.ts` finds the positions inside a page, and `delivery/progress.ts` decides which
 * may be stored.
 *
 * Parts:
 *
 * - `checks/`: the checks of containers, permissions and leases before a start.
 * - `ownership/`: which leases this instance holds, and whether the leases cover the feed.
 * - `reading/`: the loop that reads one lease.
 * - `delivery/`: calls of the delegate, failures and progress.
 * - `lease-holding/`: the writes of one held lease.
 * - `feed/`: the feed itself and the types of the delegate. Only `feed/cosmos-change-feed.ts` uses the SDK's
 *   iterator.
 * - `options/`: the options, their defaults and rules.
 * - `runtime/`: the services that the parts of one running processor share.
 * - `doctor/`: the inspection of a deployment unit from outside.
 *
 * Start with `change-feed-processor.ts`. Continue with `bootstrapper.ts`, `load-balancer.ts` and
 * `partition-controller.ts` in `ownership/`, then `reading/partition-supervisor.ts` and
 * `lease-holding/lease-holder.ts`.
 */
export { ChangeFeedProcessor } from './change-feed-processor.js'
export type {
  AllVersionsOptions,
  AnyProcessorOptions,
  ChangeFeedProcessorOptions,
  LatestVersionOptions,
  ProcessorOptions,
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
  DeadLetter,
  LifecycleNotifications,
  PageDelegate,
  StartPosition,
} from './feed/delegate.js'
export { DelegateError, FeedError, LeaseLostError, ProcessorOptionsError } from './feed/errors.js'
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
export type { DeadLetterContainer, LeaseContainer, MonitoredContainer } from './feed/cosmos-ports.js'
export { ChangeFeedEstimator, type ChangeFeedEstimatorOptions, type LeaseEstimate } from './estimator.js'
export type { LeaseHealth, ProcessorHealth } from './health.js'
export { ProcessorRunningError, resetProcessor, type ResetOptions } from './reset-processor.js'
export type { Duration, DurationRange, Retry } from '../platform/index.js'
export type { ProcessorTiming } from './options/timing.js'
