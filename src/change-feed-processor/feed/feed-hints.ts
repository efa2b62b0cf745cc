/** Hears of writes; see {@link FeedHints}. */
export type FeedHintListener = (physicalRangeId: string | null) => void

/**
 * Carries the news of a write from who made it to the local readers of the feed, so that they need not wait for their
 * next poll. A hint changes only when something is read: one that is lost, wrong or repeated costs at most a read.
 *
 * Where it is known whom a write is for, only a `part` is told; whoever listens to the whole hears of that, too.
 */
export class FeedHints {
  private readonly listeners = new Set<FeedHintListener>()
  private readonly parts = new Map<string, FeedHints>()

  /** @param heard called with every hint beside the listeners */
  constructor(private readonly heard: FeedHintListener = () => undefined) {}

  /** Hints for some readers only; the same name is the same part. What the whole is told, every part is. */
  part(name: string): FeedHints {
    const part = this.parts.get(name) ?? new FeedHints((physicalRangeId) => this.tell(physicalRangeId))
    this.parts.set(name, part)
    return part
  }

  /**
   * Says that something was written.
   *
   * @param physicalRangeId the partition key range that took the write, or null when nobody knows
   */
  notify(physicalRangeId: string | null): void {
    this.tell(physicalRangeId)
    for (const part of this.parts.values()) for (const listener of part.listeners) listener(physicalRangeId)
  }

  /** Answers how to stop listening. */
  subscribe(listener: FeedHintListener): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  private tell(physicalRangeId: string | null): void {
    this.heard(physicalRangeId)
    for (const listener of this.listeners) listener(physicalRangeId)
  }
}
