import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../../platform/index.js'
import { errorMessage } from '../../platform/internal.js'
import { FeedFollower, type FeedFollowerOptions } from './feed-follower.js'
import { toldChanges } from './told-changes.js'

export type ViewersOptions = Pick<FeedFollowerOptions, 'clock' | 'changeFeed' | 'watch'>

/** The largest number of streams. The tabs of a browser share one if it has shared workers and locks. */
const mostViewers = 50
/** A viewer with more unsent bytes is disconnected. Its browser connects again and reads what it missed. */
const mostUnsentBytes = 1_000_000
/** The interval at which a comment keeps an idle stream open, in milliseconds. */
const keepAliveMs = 15_000

/**
 * The streams of all browsers, which one reader of the feed serves.
 *
 * States: idle (no viewer, no reads) → watching (at least one viewer). The reader starts with the first viewer
 * and stops after the last.
 */
export class Viewers {
  private readonly streams = new Set<ServerResponse>()
  private readonly follower: FeedFollower
  private readonly clock: Clock
  private isFollowing = false
  private isReady = false
  private trouble: string | null = null
  private keepAlive: Timer | undefined
  /** Starts and stops follow one another. */
  private turns: Promise<void> = Promise.resolve()

  constructor(options: ViewersOptions) {
    this.clock = options.clock
    this.follower = new FeedFollower({
      ...options,
      onChanges: (changes) => {
        const told = toldChanges(changes)
        if (told !== null) this.tellAll('changes', told)
      },
      onReady: () => {
        this.isReady = true
        this.tellAll('ready', {})
      },
      onTrouble: (error) => {
        this.trouble = error === null ? null : errorMessage(error)
        this.tellAll('trouble', { message: this.trouble })
      },
    })
  }

  get count(): number {
    return this.streams.size
  }

  /**
   * Adds a viewer, whose headers were not sent yet. The stream ends at `untilMs`, because the viewer must then
   * sign in again. Returns false if there are too many.
   */
  add(stream: ServerResponse, headers: Readonly<Record<string, string>>, untilMs = Infinity): boolean {
    if (this.streams.size >= mostViewers) return false
    stream.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    })
    this.streams.add(stream)
    const end = Number.isFinite(untilMs)
      ? this.clock.schedule(Math.max(0, untilMs - this.clock.now()), () => stream.end())
      : null
    stream.once('close', () => {
      end?.cancel()
      this.streams.delete(stream)
      this.follow()
    })
    stream.write('retry: 2000\n\n')
    this.follow()
    if (this.trouble !== null) tell(stream, messageOf('trouble', { message: this.trouble }))
    if (this.isReady) tell(stream, messageOf('ready', {}))
    return true
  }

  async close(): Promise<void> {
    for (const stream of this.streams) stream.destroy()
    this.streams.clear()
    this.follow()
    await this.turns
  }

  /** Starts or stops the reader, if the number of viewers requires it. */
  private follow(): void {
    this.turns = this.turns.then(async () => {
      const isWanted = this.streams.size > 0
      if (isWanted === this.isFollowing) return
      this.isFollowing = isWanted
      if (isWanted) {
        this.follower.start()
        this.keepOpen()
      } else {
        this.isReady = false
        this.trouble = null
        this.keepAlive?.cancel()
        await this.follower.stop()
      }
    })
  }

  private keepOpen(): void {
    this.keepAlive?.cancel()
    this.keepAlive = this.clock.schedule(keepAliveMs, () => {
      for (const stream of this.streams) stream.write(': still here\n\n')
      this.keepOpen()
    })
  }

  private tellAll(event: string, data: unknown): void {
    const message = messageOf(event, data)
    for (const stream of this.streams) tell(stream, message)
  }
}

function messageOf(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function tell(stream: ServerResponse, message: string): void {
  if (stream.writableLength > mostUnsentBytes) stream.destroy()
  else stream.write(message)
}
