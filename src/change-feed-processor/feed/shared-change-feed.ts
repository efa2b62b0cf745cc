import type { Clock } from '../../platform/index.js'
import type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  PhysicalRange,
  ReadOptions,
  VersionChange,
} from './change-feed.js'
import { SharedReads } from './shared-reads.js'

/** The feed to share, and the bounds of the pages that are kept. */
export interface SharedChangeFeedOptions {
  readonly feed: ChangeFeed
  readonly clock: Pick<Clock, 'monotonic'>
  /** The estimated size in bytes of the pages that are kept. Default 4 MiB. */
  readonly maxBytes?: number
  /** The time in milliseconds for which a page is kept. Default 30 s. */
  readonly maxAgeMs?: number
}

/**
 * Shares the pages of one feed among the readers of a process, so that the process pays for a page once.
 * Several readers that ask for the same page at the same time share one request. A reader that is behind gets
 * the pages that another reader has just read, in one larger page if they fit.
 *
 * A reader always gets what it could have read itself. A page without changes is returned only to readers that
 * asked before its request began. Readers receive the same objects, so they must not change them. A shared
 * page has the charge 0, because the reader that caused the request has already counted the charge.
 */
export class SharedChangeFeed implements ChangeFeed {
  private readonly latest: SharedReads<Change>
  private readonly versions: SharedReads<VersionChange>

  constructor(private readonly options: SharedChangeFeedOptions) {
    const { feed, clock, maxBytes = 4 * 1024 * 1024, maxAgeMs = 30_000 } = options
    const bounds = { clock, maxBytes, maxAgeMs }
    this.latest = new SharedReads({
      ...bounds,
      read: (from, reading) => feed.readNext(from, reading),
      merged: newestVersions,
    })
    this.versions = new SharedReads({
      ...bounds,
      read: (from, reading) => feed.readAllVersions(from, reading),
      merged: (changes) => changes,
    })
  }

  physicalRanges(): Promise<readonly PhysicalRange[]> {
    return this.options.feed.physicalRanges()
  }

  partitionKeyPaths(): Promise<readonly string[]> {
    return this.options.feed.partitionKeyPaths()
  }

  async containerRid(): Promise<string | null> {
    return (await this.options.feed.containerRid?.()) ?? null
  }

  readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage> {
    return this.latest.readNext(from, options)
  }

  expect(from: FeedPosition, options: Pick<ReadOptions, 'maxItemCount'>): void {
    this.options.feed.expect?.(from, options)
  }

  readAllVersions(from: FeedPosition, options: ReadOptions): Promise<ChangePage<VersionChange>> {
    return this.versions.readNext(from, options)
  }
}

/** Drops each change that a later change of the same document replaces, as a single read would. */
function newestVersions(changes: readonly Change[]): readonly Change[] {
  const last = new Map<unknown, Change>()
  for (const change of changes) last.set(change['_rid'] ?? change, change)
  return changes.filter((change) => last.get(change['_rid'] ?? change) === change)
}
