import type { LeaseOwner, LeaseStore } from '../../../lease-store/index.js'
import type { Clock, Random } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { ChangeFeed, ChangePage, FeedPosition, ReadOptions } from '../feed/change-feed.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { SameContainer } from '../feed/same-container.js'
import type { ChangeDelegate, PageDelegate, DeadLetter } from '../feed/delegate.js'
import type { Notifications } from './notifications.js'
import type { ChangeFeedMode, ResolvedOptions } from '../options/options.js'
import type { PagesAhead } from './pages-ahead.js'
import type { PauseGate } from './pause-gate.js'

/** The user's code for whole pages. */
export interface PageDelegates {
  readonly kind: 'pages'
  readonly onChanges: PageDelegate<AnyChange>
}

/** The user's code for single changes. */
export interface ChangeDelegates {
  readonly kind: 'changes'
  readonly onChange: ChangeDelegate<AnyChange>
  /** Returns the key of a change. Changes with the same key are delivered one after another. */
  readonly keyOf: (change: AnyChange) => string
  readonly concurrency: number
}

/** The services that the parts of one running processor share. */
export interface Runtime {
  readonly options: ResolvedOptions
  readonly delegates: PageDelegates | ChangeDelegates
  /** Stores a change that is set aside. Called only if the option `failurePolicy` is set. */
  readonly deadLetter: DeadLetter<AnyChange>
  readonly feed: ChangeFeed
  /** Reads a page of the feed in the mode of the processor. */
  readonly readPage: (from: FeedPosition, options: ReadOptions) => Promise<ChangePage<AnyChange>>
  readonly sameContainer: SameContainer
  readonly leaseStore: LeaseStore
  /** The name of this instance, and the id that it has from this start until the next stop. */
  readonly self: LeaseOwner
  readonly gate: PauseGate
  readonly pagesAhead: PagesAhead
  readonly notifications: Notifications
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
}

/** Returns the function that reads the feed of a mode. */
export function pageReader(feed: ChangeFeed, mode: ChangeFeedMode): Runtime['readPage'] {
  return mode === 'latestVersion'
    ? (from, options) => feed.readNext(from, options)
    : (from, options) => feed.readAllVersions(from, options)
}
