import type { ChangePage, FeedPosition, ReadOptions } from '../../change-feed-processor/feed/change-feed.js'
import { rangeOf, type SentPage } from './door-messages.js'

interface Expected {
  readonly key: string
  page: ChangePage<unknown> | null
}

/**
 * The pages that readers of this process will read next. The store sends such a page with the news of a write by others. So the reader
 * has it without a request of its own. A page counts for one read, and only until there is news of a later write.
 */
export class ExpectedPages {
  /** By feed range. */
  private readonly expected = new Map<string, Expected>()

  /** Returns false if this page is expected already. */
  begin(from: FeedPosition, maxItemCount: number): boolean {
    const key = keyOf(from, maxItemCount)
    if (key === null || this.expected.get(rangeOf(from))?.key === key) return false
    this.expected.set(rangeOf(from), { key, page: null })
    return true
  }

  /**
   * Keeps the pages that came with the news of a write, unless this process has asked for their ranges since. Drops all earlier pages:
   * they may lack this write, and their readers may hear of it only once.
   */
  keep(pages: readonly SentPage[]): void {
    for (const expected of this.expected.values()) expected.page = null
    for (const [from, maxItemCount, page] of pages) {
      const expected = this.expected.get(rangeOf(from))
      if (expected?.key === keyOf(from, maxItemCount)) expected.page = page
    }
  }

  /** Returns the page that was sent for this read, or null. From now on, no page of this range is expected. */
  take(from: FeedPosition, { maxItemCount }: ReadOptions): ChangePage<unknown> | null {
    const expected = this.expected.get(rangeOf(from))
    this.expected.delete(rangeOf(from))
    return expected?.key === keyOf(from, maxItemCount) ? expected.page : null
  }

  /** Expects nothing, because the connection is another one. */
  clear(): void {
    this.expected.clear()
  }
}

/** Returns null for a position that may have another meaning later. */
function keyOf({ start }: FeedPosition, maxItemCount: number): string | null {
  return start.kind === 'continuation' ? `${maxItemCount} ${start.token}` : null
}
