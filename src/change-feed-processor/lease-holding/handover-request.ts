import { withdrawRequest, type Lease, type LeaseOwner } from '../../../lease-store/index.js'
import { isSameOwner } from '../../../lease-store/internal.js'
import type { Timer } from '../../platform/index.js'
import type { Processes } from '../../platform/internal.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * The part of an acquire interval that passes between a request and the hand-over by the owner. The requester looks
 * again after nine tenths of the interval at the earliest. The store gives the time of the request in whole seconds.
 */
const partOfInterval = 0.85

/** The shortest pause between two looks of the requester, as a part of an acquire interval. */
const shortestPause = 0.9

/**
 * The request of another instance for a lease that this instance holds. The owner reads on until shortly before its
 * requester looks for the lease again. Otherwise the range would have no reader for most of an acquire interval.
 *
 * The requester may withdraw its request, and another instance may replace it. So the owner makes sure (`confirm`) that the
 * request is still there. The owner ignores a requester whose process has ended. Otherwise the range would have no reader
 * until the request lapses.
 *
 * States: none → noted (`note`) → being confirmed → due, or none again.
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
    /** Writes the lease, so that a change of its request is noted. Resolves to false if the lease is lost. */
    private readonly confirm: () => Promise<boolean>,
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
    const { requester } = this
    this.requester = handover
    if (handover !== null && requester !== null && isSameOwner(handover, requester)) return
    this.cancel()
    if (handover === null) return
    const { clock } = this.runtime
    const askedAtMs = this.written.atMs + storedAtMs - this.written.storedAtMs
    this.timer = clock.schedule(Math.max(0, this.dueAtMs(askedAtMs) - clock.monotonic()), () => {
      this.ask(handover).catch(() => undefined)
    })
  }

  cancel(): void {
    this.timer?.cancel()
  }

  /** Returns the next time shortly before a look of the requester, which looked when it asked. */
  private dueAtMs(askedAtMs: number): number {
    const { clock, options } = this.runtime
    const intervalMs = options.leaseAcquireIntervalMs
    const margin = shortestPause - partOfInterval
    const passed = (clock.monotonic() - askedAtMs) / intervalMs
    const look = Math.max(1, Math.ceil((passed + margin) / shortestPause))
    return askedAtMs + (look * shortestPause - margin) * intervalMs
  }

  private async ask(requester: LeaseOwner): Promise<void> {
    if (!(await this.confirm())) return
    const now = this.requester
    const isSame = now !== null && isSameOwner(now, requester)
    if (isSame && !hasEnded(requester, this.runtime.options.processes)) this.asking.abort()
  }
}

/** Returns the lease without the request of a process that has ended. */
export function withoutDeadRequest(lease: Lease, processes: Pick<Processes, 'hasEnded'>): Lease {
  const { handover } = lease
  return handover !== null && hasEnded(handover, processes) ? withdrawRequest(lease) : lease
}

function hasEnded({ process }: LeaseOwner, processes: Pick<Processes, 'hasEnded'>): boolean {
  return process !== undefined && processes.hasEnded(process)
}
