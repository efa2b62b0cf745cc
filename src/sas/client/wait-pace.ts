/** Which kind of job is waited for, and since when it is there, milliseconds since the epoch. */
export interface Accepted {
  readonly workflow: string
  readonly atMs: number
}

/** What is known of how jobs of one workflow end. */
interface Usual {
  readonly tookMs: number
  /** Whether a host in this process reported the end; then looks are only a fallback. */
  readonly isHeard: boolean
}

/** Bounds of the rest between two looks at a job. */
const shortestMs = 5
const longestMs = 1_000
/** How much the newest job counts in what is usual for its workflow: more when it was quicker, or its end would be seen late. */
const newestCounts = { slower: 0.2, quicker: 0.5 }
/** Workflows remembered. */
const rememberedWorkflows = 1_000

/**
 * How long to rest between looks at a job that a caller waits for. Each look is a request, so the first comes about when
 * jobs of that workflow have usually ended, the next ones soon after it, then less and less often.
 */
export class WaitPace {
  private readonly usual = new Map<string, Usual>()

  /** A job of this workflow was waited for and has ended. */
  note(workflow: string, ended: Usual): void {
    const before = this.usual.get(workflow)?.tookMs ?? ended.tookMs
    const counts = ended.tookMs > before ? newestCounts.slower : newestCounts.quicker
    const tookMs = before + (ended.tookMs - before) * counts
    this.usual.delete(workflow)
    this.usual.set(workflow, { tookMs, isHeard: ended.isHeard })
    const [oldest] = this.usual.keys()
    if (oldest !== undefined && this.usual.size > rememberedWorkflows) this.usual.delete(oldest)
  }

  /** How long to rest before the next look, in milliseconds. */
  restMs(waitedFor: Accepted | null, nowMs: number): number {
    if (waitedFor === null) return shortestMs
    const elapsedMs = nowMs - waitedFor.atMs
    const { tookMs, isHeard } = this.usual.get(waitedFor.workflow) ?? { tookMs: 0, isHeard: false }
    const firstMs = tookMs * (isHeard ? 2 : 0.8)
    const restMs = elapsedMs < firstMs ? firstMs - elapsedMs : Math.max(tookMs / 8, elapsedMs - firstMs)
    return Math.min(longestMs, Math.max(shortestMs, restMs))
  }
}
