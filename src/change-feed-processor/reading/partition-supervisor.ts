import { cosmosErrorKind, isTransient } from '../../../lease-store/internal.js'
import type { ChangePage, FeedPosition } from '../feed/change-feed.js'
import { madeAtMs, type AnyChange } from '../feed/change-identity.js'
import type { CloseReason } from '../delivery/close-reason.js'
import type { AfterPage, Delivery, DeliverySite } from '../delivery/delivery.js'
import { FeedError } from '../feed/errors.js'
import type { LeaseHolder } from '../lease-holding/lease-holder.js'
import { PageDelivery } from '../delivery/page-delivery.js'
import type { ReadPage } from '../delivery/page-positions.js'
import { PageSize } from './page-size.js'
import { ParallelDelivery } from '../delivery/parallel.js'
import { PollDelay, type RestOptions } from '../options/poll-delay.js'
import { Progress } from '../delivery/progress.js'
import { ReadAhead, type PageOrEnd } from './read-ahead.js'
import { retryDelayMs } from '../lease-holding/retry-delay.js'
import type { Runtime } from '../runtime/runtime.js'
import { resumedFrom } from '../feed/resumed.js'
import { sinceFirstPosition, startOf } from '../feed/start-position.js'
import { WatchedReads } from './watched-read.js'

/**
 * The age up to which a change counts as recent. It is two seconds, because the store's times are whole
 * seconds.
 */
const freshMs = 2_000

/**
 * The share of a pause within which another reader's poll serves as well. It is less than 1, because the next poll is
 * due when that poll is as old as the pause, and readers that poll together then share a request.
 */
const acceptedShare = 0.9

/**
 * The most changes of a page after which the next page may be sent with the news of a write. While there is much to read, such pages would be
 * many and small.
 */
const fewChanges = 8

/**
 * Reads one lease in a loop. The loop reads a page, passes the page to the delivery, and pauses if nothing is
 * new. While a page of a backlog is delivered, the next page is read. The loop ends once, with one reason: a
 * request to end (`shutDown`, `handOver`), a lost lease, a split range, an unreadable feed, or a delegate that
 * does not return. During transient failures the supervisor waits and keeps the lease. Nothing is delivered after the end, or once another instance may own the lease.
 */
export class PartitionSupervisor {
  private readonly ending = new AbortController()
  private readonly pollDelay: PollDelay
  private readonly pageSize: PageSize
  private isAskedFor = false
  private readonly progress: Progress
  private readonly delivery: Delivery
  private readonly readAhead: ReadAhead
  private readonly reads: WatchedReads
  private readonly onPagesWaiting = (): void => {
    this.pollDelay.end()
  }

  constructor(
    private readonly runtime: Runtime,
    private readonly holder: LeaseHolder,
  ) {
    const { delegates, options, clock } = runtime
    this.pollDelay = new PollDelay(clock, options.pollInterval)
    this.pageSize = new PageSize(options.maxItemCount)
    const start = resumedFrom(holder.lease)?.start ?? startOf(holder.lease, options.startFrom)
    this.progress = new Progress(holder, start)
    this.reads = new WatchedReads(runtime, holder.lease.leaseToken)
    this.readAhead = new ReadAhead(runtime.pagesAhead, clock, (from, signal) => this.read(from, signal))
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

  /** Aborts the signal of the running delegate, and ends as soon as the delegate has returned. */
  shutDown(): void {
    this.ending.abort()
    this.endReads()
  }

  /** Ends the reads at once, because a delegate may run on for long after them. */
  private endReads(): void {
    this.readAhead.drop()
    this.reads.close()
  }

  /**
   * Ends after the current page, even if the delegate takes a long time. Only then is the lease handed over.
   */
  handOver(): void {
    this.isAskedFor = true
    this.pollDelay.wake()
  }

  /** Ends the pause between polls, because a document of this range may have been written. */
  wake(): void {
    this.pollDelay.wake()
  }

  async run(): Promise<CloseReason> {
    const onLost = (): void => {
      this.shutDown()
    }
    this.holder.lost.addEventListener('abort', onLost, { once: true })
    try {
      return await this.readOn()
    } catch (error) {
      return {
        reason: 'FeedError',
        error: new FeedError('the reading of a feed range ended unexpectedly', error),
      }
    } finally {
      this.endReads()
      await this.delivery.ended()
      this.progress.close()
      this.holder.lost.removeEventListener('abort', onLost)
    }
  }

  private async readOn(): Promise<CloseReason> {
    const { feedRange } = this.holder.lease
    const { signal } = this.ending
    let position: FeedPosition = { feedRange, start: this.progress.start }
    let restedMs = 0
    for (;;) {
      const askedAtMs = this.runtime.clock.monotonic()
      const ahead = this.readAhead.isEmpty ? null : await this.readAhead.take(position)
      const page = ahead ?? (await this.read(position, signal, restedMs))
      restedMs = 0
      if ('reason' in page) return page
      const after = await this.deliver({ page, from: position })
      if (after.kind === 'close') return after.closing
      const [next, ...others] = page.next
      if (after.kind === 'readAgain') {
        this.progress.rewind()
        position = { feedRange, start: this.progress.start }
      } else if (next === undefined || others.length > 0) return this.split(page.next)
      else {
        position = next
        if (page.changes.length > 0) this.pollDelay.reset()
        // A page that another reader has found empty counts as a poll at the time of that reader's request.
        if (page.isDrained) {
          const now = this.runtime.clock.monotonic()
          const { begunAtMs = now } = page
          const ageMs = now - begunAtMs
          // A page that was read ahead may be old.
          if (ahead === null)
            this.runtime.options.onDrained(this.holder.lease.leaseToken, Math.max(ageMs, now - askedAtMs))
          restedMs = await this.rest(position, page, { ageMs })
        } else if (page.isFollowed !== true && this.isNearEnd(page)) {
          restedMs = await this.rest(position, page, { afterMs: this.runtime.options.restAfterPageMs })
        }
      }
    }
  }

  /** Pauses after a page, before the read of this position. Returns the length of the pause, as `PollDelay` does. */
  private rest(
    position: FeedPosition,
    { changes }: ChangePage<AnyChange>,
    options: RestOptions,
  ): Promise<number> {
    const {
      feed,
      options: { mode },
    } = this.runtime
    const isQuiet = changes.length <= fewChanges && !this.pollDelay.hasHint
    if (isQuiet && mode === 'latestVersion') feed.expect?.(position, { maxItemCount: this.pageSize.current })
    return this.pollDelay.rest(this.ending.signal, options)
  }

  /** Delivers a page. Meanwhile, the next page may be read. */
  private async deliver(read: ReadPage): Promise<AfterPage> {
    const [following] = read.page.next
    if (following !== undefined && this.isBacklog(read.page)) this.readAhead.begin(following)
    const startedAtMs = this.runtime.clock.monotonic()
    const after = await this.delivery.deliver(read)
    this.readAhead.delivered(after.kind === 'readOn', this.runtime.clock.monotonic() - startedAtMs)
    return after
  }

  /** Returns whether the next page can be read without a pause, because more changes most likely follow. */
  private isBacklog(page: ChangePage<AnyChange>): boolean {
    if (page.isDrained || page.changes.length === 0 || page.next.length > 1) return false
    return page.isFollowed === true || !this.isNearEnd(page)
  }

  /**
   * Returns whether a page is most likely the last page for now, because its changes are few and recent. A
   * read immediately after such a page is usually wasted. Few but older changes may be a backlog of large
   * documents.
   */
  private isNearEnd({ changes, headers }: ChangePage<AnyChange>): boolean {
    const newest = changes.at(-1)
    if (newest === undefined || changes.length >= this.runtime.options.maxItemCount / 2) return false
    const storeTimeMs = Date.parse(headers['date'] ?? '')
    return !(storeTimeMs - madeAtMs(newest) > freshMs)
  }

  /** Returns the children's positions. If changes are unhandled, every child begins before them (I10). */
  private async split(parts: readonly FeedPosition[]): Promise<CloseReason> {
    const unsettled = await this.delivery.settled()
    if (unsettled !== null) return unsettled
    const { isBehind, start } = this.progress
    return { reason: 'Split', parts: isBehind ? parts.map((part) => ({ ...part, start })) : parts }
  }

  /**
   * Returns a page, after as many attempts as necessary, or the reason to stop reading. When `signal` aborts,
   * the caller has dropped the page and does not use the result.
   *
   * @param restedMs the length of an undisturbed pause before the read, in which other readers may have found nothing
   */
  private async read(position: FeedPosition, signal: AbortSignal, restedMs = 0): Promise<PageOrEnd> {
    const { clock, random, notifications, gate } = this.runtime
    const { leaseToken } = this.holder.lease
    for (let failures = 1; ; failures += 1) {
      if (gate.isPaused) await gate.passed(signal)
      const ended = this.endOfRead(signal)
      if (ended !== null) return ended
      const emptyWithinMs = failures > 1 || this.pollDelay.hasHint ? 0 : restedMs * acceptedShare
      this.pollDelay.beginPoll()
      try {
        const maxItemCount = this.pageSize.current
        const { onPagesWaiting } = this
        const page = await this.reads.read(position, { signal, maxItemCount, emptyWithinMs, onPagesWaiting })
        const differs = this.runtime.sameContainer.check(page)
        if (differs !== null) await differs
        this.pageSize.grow()
        // The request of another reader may have missed the write that the last hint was about.
        if (page.begunAtMs !== undefined) this.pollDelay.polledAt(page.begunAtMs)
        return sinceFirstPosition(page, this.holder.lease.firstPosition)
      } catch (cause) {
        if (this.endOfRead(signal) !== null) continue
        const error =
          cause instanceof FeedError ? cause : new FeedError('the change feed could not be read', cause)
        const isSmaller = this.pageSize.shrinkFor(error)
        if (!isSmaller && !isTransient(cosmosErrorKind(cause).kind)) return { reason: 'FeedError', error }
        notifications.failed(leaseToken, error)
        await clock.sleep(retryDelayMs(cause, failures, random), signal)
      }
    }
  }

  private endOfRead(signal: AbortSignal): CloseReason | null {
    return this.closing() ?? (signal.aborted ? { reason: 'Shutdown' } : null)
  }

  private closing(): CloseReason | null {
    if (!this.holder.isTrusted()) return { reason: 'LeaseLost' }
    if (this.ending.signal.aborted) return { reason: 'Shutdown' }
    return this.isAskedFor ? { reason: 'HandedOver' } : null
  }
}
