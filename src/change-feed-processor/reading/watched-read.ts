import type { Timer } from '../../platform/index.js'
import type { ChangePage, FeedPosition, ReadOptions } from '../feed/change-feed.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { Runtime } from '../runtime/runtime.js'
import { TimeLimitError } from '../delivery/time-limit.js'

/**
 * The time after which a read counts as unanswered. This time is longer than any successful answer takes, and
 * shorter than the time for which a client silently retries throttled requests.
 */
const unansweredMs = 5_000

/** The longest time of a read, which is a little more than a client's silent retries may need. */
const readTimeoutMs = 65_000

/** A read that has no answer yet. */
interface UnderWay {
  readonly begunAtMs: number
  isReported: boolean
  readonly giveUp: () => void
}

/**
 * Reads the pages of one lease, and reports the retries and waits that the client hides. `@azure/cosmos`
 * silently retries a throttled request up to nine times, and cannot be interrupted. The last wait begins up to
 * 30 seconds after the first wait. A read rejects after `readTimeoutMs`, and immediately when its signal aborts.
 *
 * Most pages arrive within a millisecond. A timer and an abort signal for each page would take longer than the
 * delivery of the page, so all reads of the lease share them.
 */
export class WatchedReads {
  private readonly underWay = new Set<UnderWay>()
  private readonly endings = new WeakMap<AbortSignal, AbortController>()
  private timer: Timer | null = null
  /** The fields of all events, made once for all pages. */
  private readonly on: ReturnType<Runtime['notifications']['on']>

  constructor(
    private readonly runtime: Pick<Runtime, 'readPage' | 'clock' | 'telemetry' | 'notifications'>,
    leaseToken: string,
  ) {
    this.on = runtime.notifications.on(leaseToken)
  }

  read(from: FeedPosition, options: ReadOptions): Promise<ChangePage<AnyChange>> {
    return new Promise((resolve, reject) => {
      const ending = this.endingOf(options.signal)
      const reading = this.runtime.readPage(from, { ...options, signal: ending.signal })
      const giveUp = (): void => {
        const error = new TimeLimitError('a read of the change feed', readTimeoutMs)
        reject(error)
        ending.abort(error)
      }
      const one: UnderWay = { begunAtMs: this.runtime.clock.monotonic(), isReported: false, giveUp }
      this.underWay.add(one)
      this.timer ??= this.lookAfter(unansweredMs)
      reading.then(
        (page) => {
          if (this.underWay.delete(one)) this.report(page)
          resolve(page)
        },
        (error: unknown) => {
          this.underWay.delete(one)
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passes on what the feed threw
          reject(error)
        },
      )
    })
  }

  /** Ends the watch. Called when no read will begin any more. */
  close(): void {
    this.timer?.cancel()
    this.timer = null
    this.underWay.clear()
  }

  private report({ changes, charge, headers }: ChangePage<AnyChange>): void {
    const { telemetry } = this.runtime
    const { on } = this
    const retries = Number(headers['x-ms-throttle-retry-count'] ?? 0)
    const waitedMs = Number(headers['x-ms-throttle-retry-wait-time-ms'] ?? 0)
    if (retries > 0) telemetry.emit({ type: 'feed.throttled', ...on, retries, waitedMs })
    telemetry.emit({ type: 'feed.polled', ...on, count: changes.length, charge })
  }

  /**
   * Returns a controller that aborts together with the caller's signal. Successive reads share the controller
   * until it aborts.
   */
  private endingOf(signal: AbortSignal): AbortController {
    const known = this.endings.get(signal)
    if (known !== undefined && (!known.signal.aborted || signal.aborted)) return known
    const ending = new AbortController()
    const end = (): void => {
      ending.abort()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    this.endings.set(signal, ending)
    return ending
  }

  private lookAfter(ms: number): Timer {
    return this.runtime.clock.schedule(ms, () => {
      this.look()
    })
  }

  /** Reports reads that take long, and gives up reads that take too long. */
  private look(): void {
    const { clock, telemetry } = this.runtime
    const now = clock.monotonic()
    let nextMs = Infinity
    for (const one of this.underWay) {
      const waitedMs = now - one.begunAtMs
      if (waitedMs >= unansweredMs && !one.isReported) {
        one.isReported = true
        telemetry.emit({ type: 'feed.unanswered', ...this.on, waitedMs: unansweredMs })
      }
      if (waitedMs >= readTimeoutMs) {
        this.underWay.delete(one)
        one.giveUp()
      } else nextMs = Math.min(nextMs, (one.isReported ? readTimeoutMs : unansweredMs) - waitedMs)
    }
    this.timer = nextMs === Infinity ? null : this.lookAfter(nextMs)
  }
}
