import type { Change, ChangeFeed, FeedPosition } from '../../change-feed-processor/index.js'
import type { Clock, Timer } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'

export interface FeedFollowerOptions {
  readonly clock: Clock
  /** Returns a feed for one reader. */
  readonly changeFeed: () => ChangeFeed
  /** Calls `onWrite` after writes, if the store reports them. Returns a function that ends this. */
  readonly watch: (onWrite: () => void) => () => void
  readonly onChanges: (changes: readonly Change[]) => void
  /** Called once the follower knows its position, so that no later change is lost. */
  readonly onReady: () => void
  /** Called if a read failed, and with null when a read succeeds again. */
  readonly onTrouble: (error: unknown) => void
}

/** The pause between two reads without a change, in milliseconds. */
const restMs = 1_000
/** The pause after a failed read, in milliseconds. */
const restAfterFailureMs = 2_000
/** The time during which writes gather before a read, in milliseconds. */
const gatherMs = 30
const maxItemCount = 500

/**
 * Reads all changes of a container from now on, without leases.
 *
 * States: idle → following (`start`) → idle (`stop`). Each start begins with the changes of that moment. After
 * a failed read, the same position is read again.
 */
export class FeedFollower {
  private feed: ChangeFeed
  private positions: readonly FeedPosition[] | null = null
  private isReady = false
  private isTroubled = false
  private endWatch: (() => void) | undefined
  private gathering: Timer | undefined
  private readonly loop: BackgroundLoop

  constructor(private readonly options: FeedFollowerOptions) {
    this.feed = options.changeFeed()
    this.loop = new BackgroundLoop({
      clock: options.clock,
      turn: (signal) => this.turn(signal),
      onError: (error) => {
        this.trouble(error)
        return restAfterFailureMs
      },
    })
  }

  start(): void {
    this.feed = this.options.changeFeed()
    this.positions = null
    this.isReady = false
    this.isTroubled = false
    this.endWatch = this.options.watch(() => this.wakeSoon())
    this.loop.start()
  }

  async stop(): Promise<void> {
    this.endWatch?.()
    this.endWatch = undefined
    this.gathering?.cancel()
    this.gathering = undefined
    await this.loop.stop()
  }

  /** Reads after a moment, so that the writes of that moment are one page and one message. */
  private wakeSoon(): void {
    this.gathering ??= this.options.clock.schedule(gatherMs, () => {
      this.gathering = undefined
      this.loop.wake()
    })
  }

  private async turn(signal: AbortSignal): Promise<number> {
    const from = this.positions ?? (await this.beginning())
    const reads = await Promise.allSettled(
      from.map((position) => this.feed.readNext(position, { maxItemCount, signal })),
    )
    if (signal.aborted) return 0
    this.positions = reads.flatMap((read, index) =>
      read.status === 'fulfilled' ? read.value.next : from.slice(index, index + 1),
    )
    const pages = reads.flatMap((read) => (read.status === 'fulfilled' ? [read.value] : []))
    for (const { changes } of pages) if (changes.length > 0) this.options.onChanges(changes)
    const failed = reads.find((read) => read.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    this.trouble(null)
    if (!this.isReady) {
      this.isReady = true
      this.options.onReady()
    }
    return pages.some(({ isDrained, changes }) => !isDrained && changes.length > 0) ? 0 : restMs
  }

  private async beginning(): Promise<readonly FeedPosition[]> {
    const ranges = await this.feed.physicalRanges()
    return ranges.map(({ min, max }) => ({ feedRange: { min, max }, start: { kind: 'now' } }))
  }

  private trouble(error: unknown): void {
    if (error === null && !this.isTroubled) return
    this.isTroubled = error !== null
    this.options.onTrouble(error)
  }
}
