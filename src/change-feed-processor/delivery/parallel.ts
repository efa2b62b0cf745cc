import { setMaxListeners } from 'node:events'
import { backoffDelayMs } from '../../platform/internal.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { CloseReason } from './close-reason.js'
import { setAside } from './dead-letter.js'
import { callDelegate } from './delegate-call.js'
import type { ChangeContext } from '../feed/delegate.js'
import { contextOf, reportDelivered, type AfterPage, type Delivery, type DeliverySite } from './delivery.js'
import { FeedError } from '../feed/errors.js'
import { afterFailure, type Slice } from '../options/failure-policy.js'
import { LowWaterMark, type Ticket } from './low-water-mark.js'
import type { ReadPage } from './page-positions.js'
import type { ChangeDelegates } from '../runtime/runtime.js'

interface Job {
  readonly change: AnyChange
  readonly key: string
  readonly ticket: Ticket
  readonly call: (context: ChangeContext) => Promise<void> | void
}

/**
 * Delivers single changes, several at the same time. Changes with the same key are delivered one after
 * another in the order of the feed. Pages are read ahead as long as fewer than `maxItemCount` changes come
 * after the low-water mark. This mark is the last place before which all changes were handled, and its
 * position is the checkpoint (I10). While a failing change is retried, it occupies its key and one slot.
 * Other changes are delivered until reading ahead reaches its limit.
 *
 * States: delivering → stopped, with one reason. Once delivery has stopped, no call begins. The signal of
 * running calls aborts, unless the reason is that another instance has requested the lease. In that case the
 * calls may finish, because no other instance gets the lease before the calls end.
 */
export class ParallelDelivery implements Delivery {
  private readonly site: DeliverySite
  /** Ends the pauses between attempts. */
  private readonly stopping = new AbortController()
  /** Aborts the running calls. */
  private readonly breakingOff = new AbortController()
  private stopped: CloseReason | null = null
  private readonly mark = new LowWaterMark()
  /** The changes that wait for an earlier change with the same key, by key. */
  private readonly behind = new Map<string, Job[]>()
  /** The changes that wait only for a slot: the first change of each key that has no running change. */
  private readonly ready: Job[] = []
  private running = 0
  private watchers: (() => void)[] = []

  constructor(
    site: DeliverySite,
    private readonly delegates: ChangeDelegates,
  ) {
    this.site = {
      ...site,
      signal: this.breakingOff.signal,
      closing: () => site.closing() ?? this.stopped,
    }
    // Every running call and every pause adds a listener. The slots limit the number, so this is no leak.
    setMaxListeners(0, this.stopping.signal, this.breakingOff.signal)
    const breakOff = (): void => {
      this.stopping.abort()
      this.breakingOff.abort()
    }
    if (site.signal.aborted) breakOff()
    else site.signal.addEventListener('abort', breakOff, { once: true })
  }

  async deliver(read: ReadPage): Promise<AfterPage> {
    const { runtime, progress } = this.site
    if (read.page.changes.length === 0) await progress.nothingNew(read)
    else this.enqueue(read)
    await this.until(() => this.mark.size < runtime.options.maxItemCount)
    return this.stopped === null ? { kind: 'readOn' } : { kind: 'close', closing: this.stopped }
  }

  async settled(): Promise<CloseReason | null> {
    await this.until(() => this.mark.size === 0)
    return this.stopped
  }

  async ended(): Promise<void> {
    this.stop(this.site.closing() ?? { reason: 'Shutdown' })
    while (this.running > 0) await this.someEnd()
  }

  private enqueue(read: ReadPage): void {
    const page = this.site.progress.track(read)
    for (const [index, change] of read.page.changes.entries()) {
      const job = { change, ticket: this.mark.add(page, index), ...this.keyed(change) }
      const behind = this.behind.get(job.key)
      if (behind === undefined) {
        this.behind.set(job.key, [])
        this.ready.push(job)
      } else behind.push(job)
    }
    this.fillSlots()
  }

  /** If the user's `orderBy` throws an error, the change fails. */
  private keyed(change: AnyChange): Pick<Job, 'key' | 'call'> {
    const { keyOf, onChange } = this.delegates
    try {
      return { key: keyOf(change), call: (context) => onChange(change, context) }
    } catch (cause) {
      const failed = (): never => {
        throw new Error('orderBy threw an error instead of returning the key of a change', { cause })
      }
      return { key: '', call: failed }
    }
  }

  private fillSlots(): void {
    while (this.stopped === null && this.running < this.delegates.concurrency) {
      const job = this.ready.shift()
      if (job === undefined) return
      this.begin(job)
    }
  }

  private begin(job: Job): void {
    const end = (): void => {
      this.running -= 1
      this.fillSlots()
      for (const watcher of this.watchers.splice(0)) watcher()
    }
    this.running += 1
    this.run(job).then(end, (cause: unknown) => {
      const error = new FeedError('the delivery of a change ended unexpectedly', cause)
      this.stop({ reason: 'FeedError', error })
      end()
    })
  }

  private async run(job: Job): Promise<void> {
    const closing = await this.handle(job)
    if (closing === null) await this.finish(job)
    else this.stop(closing)
  }

  /** Returns null if the change was handled or set aside, and otherwise the reason to stop. */
  private async handle({ change, ticket, call }: Job): Promise<CloseReason | null> {
    const { runtime, signal } = this.site
    const { clock, random, options } = runtime
    let slice: Slice = { from: ticket.index, to: ticket.index + 1, failures: 0, isPart: true }
    for (;;) {
      const called = await callDelegate(this.site, (limited) =>
        call(contextOf(this.site, ticket.page, limited)),
      )
      if (called.kind === 'handled') return null
      if (called.kind === 'close') return called.closing
      const next = afterFailure(slice, options.failureLimits)
      if (next.kind !== 'retry') {
        const context = contextOf(this.site, ticket.page, signal)
        return setAside({ change, error: called.error, attempts: slice.failures + 1, context }, this.site)
      }
      slice = next.slice
      const pauseMs = backoffDelayMs(slice.failures, options.failureLimits.backoff, random)
      await clock.sleep(pauseMs, this.stopping.signal)
    }
  }

  private async finish({ key, ticket }: Job): Promise<void> {
    const following = this.behind.get(key)?.shift()
    if (following === undefined) this.behind.delete(key)
    else this.ready.push(following)
    const reached = this.mark.done(ticket)
    for (const { page, count } of reached)
      if (count === page.page.changes.length) reportDelivered(this.site, page.page.changes, page.page.charge)
    const furthest = reached.at(-1)
    if (furthest !== undefined) await this.site.progress.handledUpTo(furthest.page, furthest.count)
  }

  private stop(closing: CloseReason): void {
    this.stopped ??= closing
    this.stopping.abort()
    this.site.wake()
    if (closing.reason !== 'HandedOver') this.breakingOff.abort()
  }

  private async until(isReached: () => boolean): Promise<void> {
    while (this.stopped === null && !isReached()) await this.someEnd()
  }

  /** Resolves when a call of the delegate has ended. */
  private someEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.watchers.push(resolve)
    })
  }
}
