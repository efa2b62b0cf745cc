/** The workflow of an awaited job, and the time of its acceptance in milliseconds since the epoch. */
export interface Accepted {
  readonly workflow: string
  readonly atMs: number
  /** The partition key range to which the job was written, or null if it is unknown. */
  readonly physicalRangeId?: string | null
}

const shortestMs = 5
const longestMs = 1_000
/**
 * Each wait of a client beyond this number adds to the shortest pause of all its waits, up to a limit. Otherwise
 * thousands of waits would read so often that the reads delay the jobs.
 */
const [fewWaits, msForEachWait, longestForMany] = [200, 5, 30_000]
/**
 * The time of the first read, as a multiple of the time that jobs usually take. If this process or a hint reported
 * the end of the last job (`heard`), the next first read is only a fallback, so it comes later.
 */
const firstReadAfter = { heard: 2, read: 0.8 }
/**
 * The weight of the newest job in the average of its workflow. A job that is quicker than the average counts
 * more, because the ends of quick jobs are noticed late while the average is too long.
 */
const newestCounts = { slower: 0.2, quicker: 0.5 }
const rememberedWorkflows = 1_000

/**
 * Decides on the pauses between reads of an awaited job. Each read is a request, so the first read is due
 * when jobs of that workflow have usually ended. The pauses between later reads are short at first and then
 * grow.
 */
export class WaitPace {
  /** The time from acceptance to the first read, by workflow. */
  private readonly firstReads = new Map<string, number>()

  note(workflow: string, tookMs: number, noticed: keyof typeof firstReadAfter): void {
    const newestMs = tookMs * firstReadAfter[noticed]
    const before = this.firstReads.get(workflow) ?? newestMs
    const counts = newestMs > before ? newestCounts.slower : newestCounts.quicker
    this.firstReads.delete(workflow)
    this.firstReads.set(workflow, before + (newestMs - before) * counts)
    const [oldest] = this.firstReads.keys()
    if (oldest !== undefined && this.firstReads.size > rememberedWorkflows) this.firstReads.delete(oldest)
  }

  /**
   * Returns the pause before the next read, in milliseconds.
   *
   * @param waits the number of waits of this client
   */
  restMs({ workflow, atMs }: Accepted, nowMs: number, waits = 1): number {
    const elapsedMs = nowMs - atMs
    const firstMs = this.firstReads.get(workflow) ?? 0
    const restMs = elapsedMs < firstMs ? firstMs - elapsedMs : Math.max(firstMs / 6, elapsedMs - firstMs)
    const sharedMs = Math.min(longestForMany, (waits - fewWaits) * msForEachWait)
    return Math.max(sharedMs, Math.min(longestMs, Math.max(shortestMs, restMs)))
  }
}
