import { cosmosErrorKind, isTransient } from '../../lease-store/index.js'
import { backoffDelayMs, type Backoff } from '../platform/index.js'
import type { ChangePage, FeedPosition } from './change-feed.js'
import { DelegateError, FeedError } from './errors.js'
import type { LeaseHolder } from './lease-holder.js'
import { PollDelay } from './poll-delay.js'
import { retryDelayMs } from './retry-delay.js'
import type { Runtime } from './runtime.js'
import { startOf } from './start-position.js'

/** How the reading of a lease ended, with what is needed to close it. */
export type Closing =
  | { readonly reason: 'Shutdown' }
  | { readonly reason: 'LeaseLost' }
  /** `parts` are the positions of the children; everything before them was delivered. */
  | { readonly reason: 'Split'; readonly parts: readonly FeedPosition[] }
  | { readonly reason: 'FeedError'; readonly error: FeedError }

/** Between two deliveries of a page its delegate refuses. */
const delegateBackoff: Backoff = { minMs: 500, maxMs: 30_000 }

/**
 * Reads one lease: read a page, deliver it until the delegate accepts it, note the checkpoint, and again; rest when
 * nothing is new. Ends once, with one reason: asked to (`shutDown`), lease lost, range split, or feed unreadable. It
 * never moves past a page that was not accepted, and delivers nothing once the lease may be somebody else's.
 */
export class PartitionSupervisor {
  private readonly ending = new AbortController()
  private readonly pollDelay: PollDelay

  constructor(
    private readonly runtime: Runtime,
    private readonly holder: LeaseHolder,
  ) {
    this.pollDelay = new PollDelay(runtime.clock, runtime.options.pollInterval)
  }

  /** Ends soon: after the delegate that is running, which sees its signal abort. */
  shutDown(): void {
    this.ending.abort()
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
      this.holder.lost.removeEventListener('abort', onLost)
    }
  }

  private async readOn(): Promise<Closing> {
    const { lease } = this.holder
    const start = startOf(lease, this.runtime.options.startFrom)
    let position: FeedPosition = { feedRange: lease.feedRange, start }
    for (;;) {
      const page = await this.read(position)
      if ('reason' in page) return page
      const refused = await this.deliver(page)
      if (refused !== null) return refused
      const [next, ...others] = page.next
      if (next === undefined || others.length > 0) return { reason: 'Split', parts: page.next }
      await this.note(page, next)
      position = next
      if (page.isDrained) await this.pollDelay.rest(this.ending.signal)
    }
  }

  /** A page, however often it takes; or why no more pages are wanted. */
  private async read(position: FeedPosition): Promise<ChangePage | Closing> {
    const { feed, options, clock, random, notifications, telemetry } = this.runtime
    for (let failures = 1; ; failures += 1) {
      const closing = this.closing()
      if (closing !== null) return closing
      this.pollDelay.beginPoll()
      try {
        const page = await feed.readNext(position, {
          maxItemCount: options.maxItemCount,
          signal: this.ending.signal,
        })
        const { changes, charge } = page
        const on = notifications.on(this.holder.lease.leaseToken)
        telemetry.emit({ type: 'feed.polled', ...on, count: changes.length, charge })
        return page
      } catch (cause) {
        if (this.closing() !== null) continue
        const error =
          cause instanceof FeedError ? cause : new FeedError('the change feed was not read', cause)
        if (!isTransient(cosmosErrorKind(cause).kind)) return { reason: 'FeedError', error }
        notifications.failed(this.holder.lease.leaseToken, error)
        await clock.sleep(retryDelayMs(cause, failures, random), this.ending.signal)
      }
    }
  }

  /** Delivers a page until it is accepted: null then, or why it no longer shall be. */
  private async deliver(page: ChangePage): Promise<Closing | null> {
    if (page.changes.length === 0) return null
    const { clock, random, notifications, telemetry } = this.runtime
    const { leaseToken } = this.holder.lease
    for (let failures = 1; ; failures += 1) {
      const closing = this.closing()
      if (closing !== null) return closing
      try {
        await this.runtime.delegate(page.changes, this.contextOf(page))
        const count = page.changes.length
        telemetry.emit({
          type: 'page.delivered',
          ...notifications.on(leaseToken),
          count,
          charge: page.charge,
        })
        return null
      } catch (cause) {
        // A delegate that stops because it was told to has not failed.
        if (this.closing() !== null) continue
        notifications.failed(leaseToken, new DelegateError(leaseToken, cause))
        await clock.sleep(backoffDelayMs(failures, delegateBackoff, random), this.ending.signal)
      }
    }
  }

  private async note(page: ChangePage, next: FeedPosition): Promise<void> {
    if (next.start.kind !== 'continuation') return
    if (page.changes.length === 0) return this.holder.notePosition(next.start.token)
    this.pollDelay.reset()
    return this.holder.checkpoint(next.start.token)
  }

  private closing(): Closing | null {
    if (!this.holder.isTrusted()) return { reason: 'LeaseLost' }
    return this.ending.signal.aborted ? { reason: 'Shutdown' } : null
  }

  private contextOf(page: ChangePage): Parameters<Runtime['delegate']>[1] {
    const { leaseToken, feedRange } = this.holder.lease
    return {
      leaseToken,
      feedRange,
      requestCharge: page.charge,
      sessionToken: page.sessionToken,
      headers: page.headers,
      signal: this.ending.signal,
    }
  }
}
