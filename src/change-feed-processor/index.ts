/**
 * # Change feed processor
 *
 * Delivers the change feed of a Cosmos DB container to a delegate. Any number of instances share the work.
 *
 * The processor guarantees:
 *
 * - Every change is delivered **at least once**.
 * - Changes of one partition key are delivered **in order**.
 * - Each part of the feed has **one owner at a time**.
 * - A checkpoint passes a change **only after** the change was handled, or was set aside by the failure
 *   policy. With manual checkpoints, a checkpoint passes only changes that the delegate has reported.
 *
 * A page may be delivered more than once, for example after a crash, a takeover or a split. Unless all
 * versions are requested, only the latest version of a document is delivered.
 *
 * The feed is cut into ranges, and each range has a lease (`lease-store`). Every instance runs one load
 * balancer, which takes the instance's share of the leases. Each held lease has a *supervisor*, which reads
 * and delivers, and a *holder*, which is the only writer of the lease. The holder renews the lease and stores
 * its position. An owner stops automatically if it could not write its lease for almost the expiration
 * interval. The owner therefore stops before another instance may take over the lease. This rule needs no
 * message, only a clock that never goes back. Conditional writes settle all other conflicts.
 *
 * Between the supervisor and the user's code is a *delivery*, either of whole pages
 * (`delivery/page-delivery.ts`) or of single changes (`delivery/parallel.ts`). `options/failure-policy.ts`
 * decides what follows a failure. `delivery/page-positions.ts` finds the positions inside a page.
 * `delivery/progress.ts` decides which of these positions may be stored.
 *
 * The parts are:
 *
 * - `checks/`: the checks of containers, permissions and leases before a start.
 * - `ownership/`: the choice of the leases that this instance holds, and the check that the leases cover the
 *   feed.
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
 * `partition-controller.ts` in `ownership/`. Then read `reading/partition-supervisor.ts` and
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
export {
  ContainerReplacedError,
  DelegateError,
  FeedError,
  LeaseLostError,
  ProcessorOptionsError,
} from './feed/errors.js'
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
