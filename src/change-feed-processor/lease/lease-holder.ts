import { checkpoint, isOwnedBy, release, renew, type Lease } from '../../../lease-store/index.js'
import { BackgroundLoop, type Timer } from '../../platform/index.js'
import { FeedError } from '../feed/errors.js'
import { retryDelayMs } from './retry-delay.js'
import type { Runtime } from '../runtime/runtime.js'

/** A position that is not stored yet, and when it shall be. */
interface PendingCheckpoint {
  readonly token: string
  readonly dueAtMs: number
}

type Transition = (lease: Lease, now: number) => Lease

/** Until when a lease that was last written at `writtenAtMs` is certainly nobody else's, on the same monotonic clock. */
export function trustedUntilMs(writtenAtMs: number, expirationMs: number, marginMs: number): number {
  return writtenAtMs + expirationMs - marginMs
}

/**
 * The only writer of a lease this instance holds: it renews, checkpoints and releases, one write at a time, each on
 * the etag of the one before.
 *
 * States: held → released (`release`), removed (`remove`) or lost. It is lost when somebody else is found to own it, or
 * when it was not written for so long that somebody may: counted from the *start* of the last write that succeeded, on
 * our own monotonic clock, so no answer is needed to know it. `lost` aborts then, and nothing is written any more.
 */
export class LeaseHolder {
  private readonly losing = new AbortController()
  private readonly asking = new AbortController()
  private readonly loop: BackgroundLoop
  private pending: PendingCheckpoint | null = null
  private writes: Promise<unknown> = Promise.resolve()
  private trustTimer: Timer | undefined
  private isClosed = false
  /** When it was acquired, by the store's clock. */
  private readonly acquiredAtMs: number

  /** @param writtenAtMs the monotonic time at which the write that acquired it began */
  constructor(
    private readonly runtime: Runtime,
    private current: Lease,
    private writtenAtMs: number,
  ) {
    this.acquiredAtMs = current.storedAtMs
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

  /** As it was last written. */
  get lease(): Lease {
    return this.current
  }

  /** Aborts when the lease is somebody else's, or may be. */
  get lost(): AbortSignal {
    return this.losing.signal
  }

  /** Aborts when another instance has asked for the lease: noticed by the next write, which its request refuses. */
  get asked(): AbortSignal {
    return this.asking.signal
  }

  /** Whether nobody else can have the lease at this moment. Asks the clock, since a blocked process fires timers late. */
  isTrusted(): boolean {
    const { leaseExpirationIntervalMs, trustMarginMs } = this.runtime.options
    const until = trustedUntilMs(this.writtenAtMs, leaseExpirationIntervalMs, trustMarginMs)
    if (this.runtime.clock.monotonic() >= until) this.lose()
    return !this.losing.signal.aborted
  }

  /**
   * Whether the lease was certainly ours in this second of the store's clock: after the second in which it was acquired,
   * and before another instance may take it over. False once closed, because another instance may own the lease then.
   */
  wasHeldAt(second: number): boolean {
    const { leaseExpirationIntervalMs } = this.runtime.options
    const atMs = second * 1_000
    const isInTime = atMs > this.acquiredAtMs && atMs < this.current.storedAtMs + leaseExpirationIntervalMs
    return isInTime && !this.isClosed
  }

  /** Everything up to `token` was handled. Resolves when it is noted, or stored if every page is to be. */
  async checkpoint(token: string): Promise<void> {
    const { checkpointIntervalMs } = this.runtime.options
    const plannedAtMs = this.pending?.dueAtMs ?? Infinity
    const dueAtMs = Math.min(plannedAtMs, this.runtime.clock.monotonic() + checkpointIntervalMs)
    this.pending = { token, dueAtMs }
    if (checkpointIntervalMs === 0) await this.write(renew)
    // Only what is due sooner than the loop knows of: this is called for every page.
    else if (dueAtMs < plannedAtMs) this.loop.wake()
  }

  /** Nothing new up to `token`: stored with the next write there is, unless no position is stored at all. */
  async notePosition(token: string): Promise<void> {
    if (token === this.current.continuationToken) return
    if (this.current.continuationToken === null) await this.checkpoint(token)
    else this.pending = { token, dueAtMs: this.pending?.dueAtMs ?? Infinity }
  }

  /** Stores what is pending. Answers whether the lease is still ours. */
  async flush(): Promise<boolean> {
    await this.writes
    return this.pending === null ? this.isTrusted() : this.write(renew)
  }

  /** Gives the lease back, with what is pending, in one write. */
  async release(): Promise<void> {
    await this.loop.stop()
    await this.write(release)
    this.close()
  }

  /** Deletes the lease, whose range others have taken over. */
  async remove(): Promise<void> {
    await this.loop.stop()
    await this.attempt('deleted', async () => {
      const outcome = await this.runtime.leaseStore.delete(this.current)
      if (outcome.kind === 'conflict') await this.readAgain()
      return outcome.kind !== 'conflict'
    })
    this.close()
  }

  /** Stops without a word to the store. */
  abandon(): void {
    this.lose()
  }

  /** One turn of the loop: writes what is due, answers how long nothing will be. */
  private async keep(): Promise<number> {
    if (this.dueAtMs() <= this.runtime.clock.monotonic()) await this.write(renew)
    return Math.max(0, this.dueAtMs() - this.runtime.clock.monotonic())
  }

  private dueAtMs(): number {
    const renewalMs = this.writtenAtMs + this.runtime.options.leaseRenewIntervalMs
    return Math.min(renewalMs, this.pending?.dueAtMs ?? Infinity)
  }

  /** Writes after the writes before it. Answers whether it was applied; if not, the lease is lost. */
  private write(transition: Transition): Promise<boolean> {
    const write = this.writes.then(() => this.attempt('written', () => this.writeOnce(transition)))
    this.writes = write
    return write
  }

  private async writeOnce(transition: Transition): Promise<boolean> {
    // Taken out, so that what comes while it is written waits for its own time.
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
    const { clock, leaseStore } = this.runtime
    const startedAtMs = clock.monotonic()
    const now = clock.now()
    const position = pending === null ? this.current : checkpoint(this.current, pending.token, now)
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

  /** Until it succeeds or the lease is lost; the trust window sees to it that this ends. */
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
      // The first conflict is answered at once: the etag is known again.
      if (failures > 1 || cause !== undefined)
        await clock.sleep(retryDelayMs(cause, failures, random), this.lost)
    }
    return false
  }

  /** Somebody wrote it, or perhaps we did: it is ours as long as it says so. */
  private async readAgain(): Promise<void> {
    const stored = await this.runtime.leaseStore.read(this.current.leaseToken)
    if (stored === null || !isOwnedBy(stored, this.runtime.self)) {
      this.lose()
      return
    }
    this.current = stored
    if (stored.handover !== null) this.asking.abort()
  }

  private accept(lease: Lease, startedAtMs: number, stored: PendingCheckpoint | null): void {
    const { telemetry, notifications } = this.runtime
    const isNews = stored !== null && stored.token !== this.current.continuationToken
    this.current = lease
    this.writtenAtMs = startedAtMs
    this.watchTrust()
    const on = notifications.on(lease.leaseToken)
    if (isNews) telemetry.emit({ type: 'checkpoint.stored', ...on, continuationToken: stored.token })
    else if (lease.owner !== null) telemetry.emit({ type: 'lease.renewed', ...on })
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
    // Not waited for: this may be a turn of the loop itself, and one that hangs in the store must not hold us.
    this.loop.stop().catch((error: unknown) => {
      this.runtime.telemetry.emit({ type: 'loop.failed', loop: 'lease-holder', error })
    })
  }
}
