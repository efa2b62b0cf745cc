/** How long items usually take, and whether this process hears of their ends. */
export interface UsualItem {
  readonly tookMs: number
  /** Whether the end of the last item was reported, so that reads are only a fallback. */
  readonly isHeard: boolean
}

/** The pauses between reads of an item, if no item of its kind has ended yet. */
const unknown = { firstMs: 500, longestMs: 5_000 }
const shortestMs = 50
/** The first read comes after this many times the usual time, and the pauses grow from this share of it. */
const pauses = { heard: { first: 2, next: 1 }, read: { first: 1, next: 0.25 } } as const
/** The weight of the newest item in the average. Quick items count more, because their ends are noticed late. */
const newestCounts = { slower: 0.2, quicker: 0.5 }
const rememberedWorkflows = 1_000

/**
 * Returns the pause between a look at an item and its next read. Each read is a request, so the first is due when
 * items usually end.
 *
 * @param elapsedMs the time from the submission of the item to the look
 */
export function restOfItemMs(elapsedMs: number, usual: UsualItem | null): number {
  if (usual === null) return Math.min(unknown.longestMs, Math.max(unknown.firstMs, elapsedMs))
  const { first, next } = usual.isHeard ? pauses.heard : pauses.read
  const firstMs = Math.max(usual.isHeard ? unknown.firstMs : shortestMs, usual.tookMs * first)
  const nextMs = Math.max(shortestMs, usual.tookMs * next)
  if (elapsedMs < firstMs) return Math.max(shortestMs, firstMs - elapsedMs)
  const growingMs = Math.max(nextMs, elapsedMs - firstMs)
  return usual.isHeard ? growingMs : Math.min(Math.max(unknown.longestMs, nextMs), growingMs)
}

/** Remembers how long the items of a workflow take, for all rounds of a process. */
export class ItemPace {
  private readonly known = new Map<string, UsualItem>()

  usual(workflow: string): UsualItem | null {
    return this.known.get(workflow) ?? null
  }

  note(workflow: string, newestMs: number, isHeard: boolean): void {
    const beforeMs = this.known.get(workflow)?.tookMs ?? newestMs
    const counts = newestMs > beforeMs ? newestCounts.slower : newestCounts.quicker
    this.known.delete(workflow)
    this.known.set(workflow, { tookMs: beforeMs + (newestMs - beforeMs) * counts, isHeard })
    const [oldest] = this.known.keys()
    if (oldest !== undefined && this.known.size > rememberedWorkflows) this.known.delete(oldest)
  }
}
