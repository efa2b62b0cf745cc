/** The workflow of an awaited job, and when the job was accepted, in milliseconds since the epoch. */
export interface Accepted {
  readonly workflow: string
  readonly atMs: number
}

/** How jobs of one workflow usually end. */
interface Usual {
  readonly tookMs: number
  /** Whether a host in this process reported the end. Then reads are only a fallback. */
  readonly isHeard: boolean
}

/** Bounds of the pause between two reads of a job. */
const shortestMs = 5
const longestMs = 1_000
/**
 * The weight of the newest job in the average of its workflow. A quicker job counts more, because its end would be
 * noticed late.
 */
const newestCounts = { slower: 0.2, quicker: 0.5 }
const rememberedWorkflows = 1_000

/**
 * Decides the pauses between reads of a job that a caller waits for. Each read is a request, so the first one is due
 * when jobs of that workflow have usually ended. The next reads follow soon, then less and less often.
 */
export class WaitPace {
  private readonly usual = new Map<string, Usual>()

  /** Notes that an awaited job of this workflow has ended. */
  note(workflow: string, ended: Usual): void {
    const before = this.usual.get(workflow)?.tookMs ?? ended.tookMs
    const counts = ended.tookMs > before ? newestCounts.slower : newestCounts.quicker
    const tookMs = before + (ended.tookMs - before) * counts
    this.usual.delete(workflow)
    this.usual.set(workflow, { tookMs, isHeard: ended.isHeard })
    const [oldest] = this.usual.keys()
    if (oldest !== undefined && this.usual.size > rememberedWorkflows) this.usual.delete(oldest)
  }

  /** Returns the pause before the next read, in milliseconds. */
  restMs(waitedFor: Accepted | null, nowMs: number): number {
    if (waitedFor === null) return shortestMs
    const elapsedMs = nowMs - waitedFor.atMs
    const { tookMs, isHeard } = this.usual.get(waitedFor.workflow) ?? { tookMs: 0, isHeard: false }
    const firstMs = tookMs * (isHeard ? 2 : 0.8)
    const restMs = elapsedMs < firstMs ? firstMs - elapsedMs : Math.max(tookMs / 8, elapsedMs - firstMs)
    return Math.min(longestMs, Math.max(shortestMs, restMs))
  }
}
