/** Hears of writes; see {@link FeedHints}. */
export type FeedHintListener = (physicalRangeId: string | null) => void

/**
 * Carries the news of a write from who made it to the local readers of the feed, so that they need not wait for their
 * next poll. A hint changes only when something is read: one that is lost, wrong or repeated costs at most a read.
 */
export class FeedHints {
  private readonly listeners = new Set<FeedHintListener>()

  /** @param physicalRangeId the partition key range that took the write, or null when nobody knows */
  notify(physicalRangeId: string | null): void {
    for (const listener of this.listeners) listener(physicalRangeId)
  }

  /** Answers how to stop listening. */
  subscribe(listener: FeedHintListener): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }
}
