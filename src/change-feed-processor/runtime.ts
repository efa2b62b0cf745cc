import type { LeaseOwner, LeaseStore } from '../../lease-store/index.js'
import type { Clock, Random } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import type { ChangeFeed } from './change-feed.js'
import type { ChangeFeedDelegate } from './delegate.js'
import type { Notifications } from './notifications.js'
import type { ResolvedOptions } from './options.js'

/** What the parts of one running processor share. */
export interface Runtime {
  readonly options: ResolvedOptions
  readonly delegate: ChangeFeedDelegate<Record<string, unknown>>
  readonly feed: ChangeFeed
  readonly leaseStore: LeaseStore
  /** This instance, in this life. */
  readonly self: LeaseOwner
  readonly notifications: Notifications
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
}
