import { withdrawRequest, type Lease, type LeaseOwner } from '../../../lease-store/index.js'
import { isSameOwner } from '../../../lease-store/internal.js'
import type { Timer } from '../../platform/index.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * The part of an acquire interval that passes between a request and the hand-over by the owner. The requester looks
 * again after nine tenths of the interval at the earliest. The store gives the time of the request in whole seconds.
 */
const partOfInterval = 0.85

/**
 * The request of another instance for a lease that this instance holds. The owner reads on until shortly before its requester
 * looks for the lease again. Otherwise the range would have no reader for most of an acquire interval.
 *
 * The owner ignores a requester whose process has ended. Otherwise the range would have no reader until the request
 * lapses.
 *
 * States: none → noted (`note`) → due, or none again when the requester has withdrawn its request.
 */
export class HandoverRequest {
  private readonly asking = new AbortController()
  private timer: Timer | undefined
  private requester: LeaseOwner | null = null

  /** The last write by this instance, on its monotonic clock and on the clock of the store. */
  private written: { readonly atMs: number; readonly storedAtMs: number }

  constructor(
    private readonly runtime: Pick<Runtime, 'clock' | 'options'>,
    { storedAtMs }: Lease,
    writtenAtMs: number,
  ) {
    this.written = { atMs: writtenAtMs, storedAtMs }
  }

  /** Aborts when the lease is to be handed over. */
  get due(): AbortSignal {
    return this.asking.signal
  }

  /** Notes a write by this instance, which began at `atMs` on its monotonic clock. */
  noteWrite({ storedAtMs }: Lease, atMs: number): void {
    this.written = { atMs, storedAtMs }
  }

  /** Notes the request in the lease, or its absence. The requester wrote the lease after this instance's last write. */
  note({ handover, storedAtMs }: Lease): void {
    const { requester, written } = this
    this.requester = handover
    if (handover !== null && requester !== null && isSameOwner(handover, requester)) return
    this.cancel()
    if (handover === null) return
    const { clock, options } = this.runtime
    const askedAtMs = written.atMs + storedAtMs - written.storedAtMs
    const dueAtMs = askedAtMs + options.leaseAcquireIntervalMs * partOfInterval
    this.timer = clock.schedule(Math.max(0, dueAtMs - clock.monotonic()), () => {
      if (!this.hasEnded(handover)) this.asking.abort()
    })
  }

  /** Returns the lease without the request of a process that has ended. */
  living(lease: Lease): Lease {
    return lease.handover !== null && this.hasEnded(lease.handover) ? withdrawRequest(lease) : lease
  }

  cancel(): void {
    this.timer?.cancel()
  }

  private hasEnded({ process }: LeaseOwner): boolean {
    return process !== undefined && this.runtime.options.processes.hasEnded(process)
  }
}
