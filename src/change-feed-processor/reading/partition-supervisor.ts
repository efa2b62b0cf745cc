import { cosmosErrorKind, isTransient } from '../../../lease-store/index.js'
import type { ChangePage, FeedPosition } from '../feed/change-feed.js'
import { madeAtMs, type AnyChange } from '../feed/change-identity.js'
import type { Closing } from '../delivery/closing.js'
import type { Delivery, DeliverySite } from '../delivery/delivery.js'
import { FeedError } from '../feed/errors.js'
import type { LeaseHolder } from '../lease/lease-holder.js'
import { PageDelivery } from '../delivery/page-delivery.js'
import { PageSize } from './page-size.js'
import { ParallelDelivery } from '../delivery/parallel.js'
import { PollDelay } from '../options/poll-delay.js'
import { Progress } from '../delivery/progress.js'
import { retryDelayMs } from '../lease/retry-delay.js'
import type { Runtime } from '../runtime/runtime.js'
import { sinceFirstPosition, startOf } from '../feed/start-position.js'
import { watchedRead } from './watched-read.js'

/** Times of the store are whole seconds. */
const freshMs = 2_000

/**
 * Reads one lease: read a page, hand it to the delivery, and again; rest when nothing is new. Ends once, with one
 * reason: asked to (`shutDown`), lease lost, range split, feed unreadable, or a delegate that does not return. What
 * passes by itself is waited for in place, with the lease in hand. Nothing is delivered once the lease may be somebody
 * else's, nor after the end.
 */
export class PartitionSupervisor {
  private readonly ending = new AbortController()
  private readonly pollDelay: PollDelay
  private readonly pageSize: PageSize
  private isAskedFor = false
  private readonly progress: Progress
  private readonly delivery: Delivery

  constructor(
    private readonly runtime: Runtime,
    private readonly holder: LeaseHolder,
  ) {
    const { delegates, options, clock } = runtime
    this.pollDelay = new PollDelay(clock, options.pollInterval)
    this.pageSize = new PageSize(options.maxItemCount)
    this.progress = new Progress(holder, startOf(holder.lease, options.startFrom))
    const site: DeliverySite = {
      runtime,
      holder,
      progress: this.progress,
      signal: this.ending.signal,
      closing: () => this.closing(),
      wake: () => {
        this.wake()
      },
    }
    this.delivery =
      delegates.kind === 'pages' ? new PageDelivery(site, delegates) : new ParallelDelivery(site, delegates)
  }

  /** Ends soon: after the delegate that is running, which sees its signal abort. */
  shutDown(): void {
    this.ending.abort()
  }

  /** Ends after the page under way, however long its delegate takes: nobody else has the lease until then. */
  handOver(): void {
    this.isAskedFor = true
    this.pollDelay.wake()
  }

  /** Something was written that this lease may be about. */
  wake(): void {
    this.pollDelay.wake()
  }

  async run(): Promise<Closing> {
    const onLost = (): void => {
      this.ending.abort()
    }
    this.holder.lost.addEventListener('abort', onLost, { once: true })
    try {
      return await this.readOn()
    } catch (error) {
      return { reason: 'FeedError', error: new FeedError('reading the lease ended unexpectedly', error) }
    } finally {
      await this.delivery.ended()
      this.progress.close()
      this.holder.lost.removeEventListener('abort', onLost)
    }
  }

  private async readOn(): Promise<Closing> {
    const { feedRange } = this.holder.lease
    let position: FeedPosition = { feedRange, start: this.progress.start }
    for (;;) {
      const page = await this.read(position)
      if ('reason' in page) return page
      const after = await this.delivery.deliver({ page, from: position })
      if (after.kind === 'close') return after.closing
      const [next, ...others] = page.next
      if (after.kind === 'readAgain') {
        this.progress.rewind()
        position = { feedRange, start: this.progress.start }
      } else if (next === undefined || others.length > 0) return this.split(page.next)
      else {
        position = next
        if (page.changes.length > 0) this.pollDelay.reset()
        if (page.isDrained) await this.pollDelay.rest(this.ending.signal)
        else if (this.isNearEnd(page)) {
          await this.pollDelay.rest(this.ending.signal, this.runtime.options.restAfterPageMs)
        }
      }
    }
  }

  /**
   * A page with little on it that was written just now is most likely the last for now: to read again at once would cost a
   * poll for nothing. What has waited is a backlog, whose pages may have little on them because documents are large.
   */
  private isNearEnd({ changes, headers }: ChangePage<AnyChange>): boolean {
    const newest = changes.at(-1)
    if (newest === undefined || changes.length >= this.runtime.options.maxItemCount / 2) return false
    const storeTimeMs = Date.parse(headers['date'] ?? '')
    return !(storeTimeMs - madeAtMs(newest) > freshMs)
  }

  /** The children begin where everything was handled (I10), which with manual checkpoints may be before the split. */
  private async split(parts: readonly FeedPosition[]): Promise<Closing> {
    const unsettled = await this.delivery.settled()
    if (unsettled !== null) return unsettled
    const { isBehind, start } = this.progress
    return { reason: 'Split', parts: isBehind ? parts.map((part) => ({ ...part, start })) : parts }
  }

  /** A page, however often it takes; or why no more pages are wanted. */
  private async read(position: FeedPosition): Promise<ChangePage<AnyChange> | Closing> {
    const { clock, random, notifications, gate } = this.runtime
    const { leaseToken } = this.holder.lease
    for (let failures = 1; ; failures += 1) {
      await gate.passed(this.ending.signal)
      const closing = this.closing()
      if (closing !== null) return closing
      this.pollDelay.beginPoll()
      try {
        const { signal } = this.ending
        const maxItemCount = this.pageSize.current
        const page = await watchedRead(this.runtime, position, { leaseToken, signal, maxItemCount })
        this.pageSize.grow()
        return sinceFirstPosition(page, this.holder.lease.firstPosition)
      } catch (cause) {
        if (this.closing() !== null) continue
        const error =
          cause instanceof FeedError ? cause : new FeedError('the change feed was not read', cause)
        const isSmaller = this.pageSize.shrinkFor(error)
        if (!isSmaller && !isTransient(cosmosErrorKind(cause).kind)) return { reason: 'FeedError', error }
        notifications.failed(leaseToken, error)
        await clock.sleep(retryDelayMs(cause, failures, random), this.ending.signal)
      }
    }
  }

  private closing(): Closing | null {
    if (!this.holder.isTrusted()) return { reason: 'LeaseLost' }
    if (this.ending.signal.aborted) return { reason: 'Shutdown' }
    return this.isAskedFor ? { reason: 'HandedOver' } : null
  }
}
