import { checkpoint, isOwnedBy, release, renew, type Lease } from '../../../lease-store/index.js'
import type { Timer } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import { FeedError } from '../feed/errors.js'
import { isBefore, resumedFrom, type Resumed } from '../feed/resumed.js'
import { HandoverRequest, withoutDeadRequest } from './handover-request.js'
import { handledTo, seenTo, type PendingCheckpoint } from './pending-checkpoint.js'
import { retryDelayMs } from './retry-delay.js'
import { trustedUntilMs } from './trusted-until.js'
import type { Runtime } from '../runtime/runtime.js'

type Transition = (lease: Lease, now: number) => Lease

interface Acquisition {
  /** Whether other leases cover a part of the range. Default: false. */
  readonly isShared?: boolean
  /** The store's time at which its previous owner released the lease. Default: it was not released. */
  readonly releasedAtMs?: number | undefined
}

/**
 * The only writer of a lease that this instance holds. The holder renews, checkpoints and releases the lease,
 * one write at a time. Each write succeeds only if the etag of the previous write is unchanged.
 *
 * States: held → released (`release`), removed (`remove`) or lost. The lease is lost when another instance
 * owns the lease, or may own it because this instance has not written it for too long. That time counts from
 * the *start* of the last successful write, on this process's monotonic clock. The holder therefore needs no
 * answer to notice the loss. When the lease is lost, `lost` aborts and the holder writes nothing more.
 */
export class LeaseHolder {
  private readonly losing = new AbortController()
  private readonly request: HandoverRequest
  private readonly loop: BackgroundLoop
  private pending: PendingCheckpoint | null = null
  private writes: Promise<unknown> = Promise.resolve()
  private trustTimer: Timer | undefined
  private isClosed = false
  /** The work of an earlier owner that is delivered again, until its end is reached. Otherwise null. */
  private resumed: Resumed | null
  private unfinishedFrom: () => string | null = () => null
  /** The time by the store's clock after which no other instance has held the lease. */
  private readonly aloneSinceMs: number
  readonly isShared: boolean

  /** @param writtenAtMs the monotonic time at which the write that acquired the lease began */
  constructor(
    private readonly runtime: Runtime,
    private current: Lease,
    private writtenAtMs: number,
    { isShared = false, releasedAtMs = current.storedAtMs }: Acquisition = {},
  ) {
    this.isShared = isShared
    this.aloneSinceMs = releasedAtMs
    this.request = new HandoverRequest(runtime, current, writtenAtMs, () => this.write(renew))
    this.resumed = resumedFrom(current)
    const restMs = runtime.options.leaseRenewIntervalMs
    this.loop = new BackgroundLoop({
      clock: runtime.clock,
      turn: () => this.keep(),
      onError: (error) => {
        runtime.telemetry.emit({ type: 'loop.failed', loop: 'lease-holder', error })
        return restMs
      },
    })
  }

  start(): void {
    this.watchTrust()
    this.loop.start()
  }

  /** The lease as it was last written or read. */
  get lease(): Lease {
    return this.current
  }

  /** Uses this function to find the position before the unfinished work, whenever the lease is written. */
  watchUnfinished(unfinishedFrom: () => string | null): void {
    this.unfinishedFrom = unfinishedFrom
  }

  /** Aborts when another instance owns the lease, or may own it. */
  get lost(): AbortSignal {
    return this.losing.signal
  }

  /** Aborts when the lease is to be handed over to an instance that requested it. */
  get asked(): AbortSignal {
    return this.request.due
  }

  /** Returns whether no other instance can own the lease now. Reads the clock, because timers may be late. */
  isTrusted(): boolean {
    const { leaseExpirationIntervalMs, trustMarginMs } = this.runtime.options
    const until = trustedUntilMs(this.writtenAtMs, leaseExpirationIntervalMs, trustMarginMs)
    if (this.runtime.clock.monotonic() >= until) this.lose()
    return !this.losing.signal.aborted
  }

  /**
   * Returns true if it is certain that no other instance read the range in this second of the store's clock. The second must
   * be after the release by the previous owner or, if that is unknown, after the acquisition. It must be before another
   * instance may take the lease over. False after a close, and if another lease covers a part of the range.
   */
  wasHeldAt(second: number): boolean {
    const untilMs = this.current.storedAtMs + this.runtime.options.leaseExpirationIntervalMs
    const isInTime = second * 1_000 > this.aloneSinceMs && second * 1_000 < untilMs
    return isInTime && !this.isClosed && !this.isShared
  }

  /**
   * Records that all changes up to `token` were handled. Waits for the write if each page must be stored.
   *
   * @param newChanges the number of these changes that no earlier call has counted
   */
  async checkpoint(token: string, newChanges = 0): Promise<void> {
    if (this.isResuming(token)) return
    const { options, clock } = this.runtime
    const { checkpointIntervalMs: intervalMs } = options
    const plannedAtMs = this.pending?.dueAtMs ?? Infinity
    const times = { nowMs: clock.monotonic(), writtenAtMs: this.writtenAtMs, intervalMs }
    this.pending = handledTo(token, newChanges, this.pending, times)
    if (intervalMs === 0) await this.write(renew)
    // This method is called for every page, so it wakes the loop only if the loop's next turn is too late.
    else if (this.pending.dueAtMs < plannedAtMs) this.loop.wake()
  }

  /**
   * Records that nothing is new up to `token`. The position is stored with the next write, or soon if the
   * lease has no position at all.
   */
  async notePosition(token: string): Promise<void> {
    if (this.isResuming(token) || token === this.current.continuationToken) return
    if (this.current.continuationToken === null) await this.checkpoint(token)
    else this.pending = seenTo(token, this.pending)
  }

  /** Stores the pending position. Returns whether this instance still owns the lease. */
  async flush(): Promise<boolean> {
    await this.writes
    return this.pending === null ? this.isTrusted() : this.write(renew)
  }

  /** Releases the lease and stores the pending position, in one write. */
  async release(): Promise<void> {
    await this.loop.stop()
    await this.write(release)
    this.close()
  }

  /** Deletes the lease, because other leases have taken over its range. */
  async remove(): Promise<void> {
    await this.loop.stop()
    await this.attempt('deleted', async () => {
      const outcome = await this.runtime.leaseStore.delete(this.current)
      if (outcome.kind === 'conflict') await this.readAgain()
      return outcome.kind !== 'conflict'
    })
    this.close()
  }

  /** Stops without writing to the store. */
  abandon(): void {
    this.lose()
  }

  /** Renews the lease if a write is due. Returns the time until the next write is due. */
  private async keep(): Promise<number> {
    if (this.dueAtMs() <= this.runtime.clock.monotonic()) await this.write(renew)
    return Math.max(0, this.dueAtMs() - this.runtime.clock.monotonic())
  }

  private dueAtMs(): number {
    const renewalMs = this.writtenAtMs + this.runtime.options.leaseRenewIntervalMs
    return Math.min(renewalMs, this.pending?.dueAtMs ?? Infinity)
  }

  /** Writes after all earlier writes. Returns whether the write was applied. Otherwise the lease is lost. */
  private write(transition: Transition): Promise<boolean> {
    const write = this.writes.then(() => this.attempt('written', () => this.writeOnce(transition)))
    this.writes = write
    return write
  }

  private async writeOnce(transition: Transition): Promise<boolean> {
    // `pending` is cleared before the write, so that a position that arrives meanwhile keeps its due time.
    const { pending } = this
    this.pending = null
    let isWritten = false
    try {
      isWritten = await this.replace(transition, pending)
      return isWritten
    } finally {
      if (!isWritten) this.pending ??= pending
    }
  }

  private async replace(transition: Transition, pending: PendingCheckpoint | null): Promise<boolean> {
    const { clock, leaseStore, options } = this.runtime
    const startedAtMs = clock.monotonic()
    const now = clock.now()
    const unfinishedFrom = this.resumed?.from ?? this.unfinishedFrom()
    const report = options.report(this.current.leaseToken)
    const held = { ...withoutDeadRequest(this.current, options.processes), unfinishedFrom, report }
    const position = pending === null ? held : checkpoint(held, pending.token, now)
    const outcome = await leaseStore.replace(transition(position, now))
    switch (outcome.kind) {
      case 'written':
        this.accept(outcome.lease, startedAtMs, pending)
        return true
      case 'notFound':
        this.lose()
        return false
      case 'conflict':
      case 'unknownOutcome':
        await this.readAgain()
        return false
    }
  }

  /** Repeats `once` until it succeeds, the lease is lost, or the lease can no longer be trusted. */
  private async attempt(what: string, once: () => Promise<boolean>): Promise<boolean> {
    const { clock, random, notifications } = this.runtime
    let failures = 0
    while (this.isTrusted() && !this.isClosed) {
      let cause: unknown
      try {
        if (await once()) return true
      } catch (error) {
        cause = error
        const attempted = `lease ${JSON.stringify(this.current.leaseToken)} was not ${what}`
        notifications.failed(this.current.leaseToken, new FeedError(attempted, error))
      }
      failures += 1
      // The write is repeated immediately after the first conflict, because the new etag is known by then.
      if (failures > 1 || cause !== undefined)
        await clock.sleep(retryDelayMs(cause, failures, random), this.lost)
    }
    return false
  }

  /**
   * Reads the lease after a conflict, or after a write whose outcome is unknown. The lease stays held if this
   * instance still owns it.
   */
  private async readAgain(): Promise<void> {
    const stored = await this.runtime.leaseStore.read(this.current.leaseToken)
    if (stored === null || !isOwnedBy(stored, this.runtime.self)) {
      this.lose()
      return
    }
    this.current = stored
    this.request.note(stored)
  }

  private accept(lease: Lease, startedAtMs: number, stored: PendingCheckpoint | null): void {
    const { telemetry, notifications } = this.runtime
    const isNews = stored !== null && stored.token !== this.current.continuationToken
    this.current = lease
    this.writtenAtMs = startedAtMs
    this.request.noteWrite(lease, startedAtMs)
    this.watchTrust()
    const on = notifications.on(lease.leaseToken)
    if (isNews) telemetry.emit({ type: 'checkpoint.stored', ...on, continuationToken: stored.token })
    else if (lease.owner !== null) telemetry.emit({ type: 'lease.renewed', ...on })
  }

  /** Returns whether `token` is before an earlier owner's stored position. That position must not go back. */
  private isResuming(token: string): boolean {
    if (this.resumed !== null && !isBefore(token, this.resumed.until)) this.resumed = null
    return this.resumed !== null
  }

  private watchTrust(): void {
    const { clock, options } = this.runtime
    this.trustTimer?.cancel()
    if (this.isClosed || this.lost.aborted) return
    const until = trustedUntilMs(this.writtenAtMs, options.leaseExpirationIntervalMs, options.trustMarginMs)
    this.trustTimer = clock.schedule(until - clock.monotonic(), () => {
      this.lose()
    })
  }

  private lose(): void {
    if (this.isClosed || this.lost.aborted) return
    this.losing.abort()
    this.close()
  }

  private close(): void {
    this.isClosed = true
    this.trustTimer?.cancel()
    this.request.cancel()
    // The stop is not awaited, because a turn of the loop may call this method and would wait for itself. A
    // turn that hangs in the store must not block this method either.
    this.loop.stop().catch((error: unknown) => {
      this.runtime.telemetry.emit({ type: 'loop.failed', loop: 'lease-holder', error })
    })
  }
}
