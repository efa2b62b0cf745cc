/** Called after a write. Returns whether the listener reads this range, if it knows. See {@link FeedHints}. */
export type FeedHintListener = (physicalRangeId: string | null) => unknown

/**
 * Informs local readers of the feed about a write, so that they need not wait for their next poll. A hint
 * changes only the time of a read, so a wrong or repeated hint costs at most one read. A lost hint costs only
 * a delay.
 *
 * If a write concerns only one group of readers, the writer notifies only the `part` of that group. Listeners
 * that belong to no part receive every hint.
 */
export class FeedHints {
  private readonly listeners = new Set<FeedHintListener>()
  private readonly parts = new Map<string, FeedHints>()

  /** @param heard called with every hint, before the listeners */
  constructor(private readonly heard: FeedHintListener = () => undefined) {}

  /**
   * Returns the hints for one group of readers, by name. Hints that are given to no part reach every part.
   */
  part(name: string): FeedHints {
    const part = this.parts.get(name) ?? new FeedHints((physicalRangeId) => this.tell(physicalRangeId))
    this.parts.set(name, part)
    return part
  }

  /**
   * Informs the listeners that a document was written.
   *
   * @param physicalRangeId the partition key range that took the write, or null if it is unknown
   * @returns whether one of the listeners has said that it reads this range
   */
  notify(physicalRangeId: string | null): boolean {
    let isRead = this.tell(physicalRangeId)
    for (const part of this.parts.values()) isRead = part.tellOwn(physicalRangeId) || isRead
    return isRead
  }

  /** Adds a listener and returns a function that removes it. */
  subscribe(listener: FeedHintListener): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  private tell(physicalRangeId: string | null): boolean {
    this.heard(physicalRangeId)
    return this.tellOwn(physicalRangeId)
  }

  private tellOwn(physicalRangeId: string | null): boolean {
    let isRead = false
    for (const listener of this.listeners) isRead = listener(physicalRangeId) === true || isRead
    return isRead
  }
}
