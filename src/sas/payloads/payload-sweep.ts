import type { Clock } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { StateStore } from '../store/state-store.js'
import type { PayloadStore, StoredPayload } from './payload-store.js'

export interface PayloadSweepOptions {
  readonly payloads: PayloadStore
  readonly store: Pick<StateStore, 'read'>
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** The interval between sweeps. */
const sweepEveryMs = 6 * 3_600_000
/**
 * The age from which a payload may be removed. A submission writes its payload before its job exists, and must
 * write the job within this time.
 */
const removableAfterMs = 24 * 3_600_000
const retryAfterMs = 60_000

/**
 * Removes the payloads of jobs that do not exist any more, and of submissions that wrote no job. Documents
 * expire by the store's clock, so no role sees their end. Only the owner of the first range sweeps.
 *
 * The object is idle, runs after `start`, and is idle again after `stop`.
 */
class PayloadSweep {
  private readonly loop: BackgroundLoop
  private readonly firstRanges = new Set<string>()
  private nextAtMs: number | null = null

  constructor(private readonly options: PayloadSweepOptions) {
    const { telemetry } = options
    this.loop = new BackgroundLoop({
      clock: options.clock,
      turn: (signal) => this.turn(signal),
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'payload sweep', error })
        return retryAfterMs
      },
    })
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  leaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    if (!isFirstRange) return
    this.firstRanges.add(leaseToken)
    this.loop.wake()
  }

  leaseReleased(leaseToken: string): void {
    this.firstRanges.delete(leaseToken)
  }

  /** Sweeps if a sweep is due. A host that restarts often does not sweep more often than it lives. */
  private async turn(signal: AbortSignal): Promise<number> {
    const { clock, telemetry } = this.options
    const now = clock.now()
    this.nextAtMs ??= now + firstAfterMs
    if (now < this.nextAtMs) return this.nextAtMs - now
    this.nextAtMs = now + sweepEveryMs
    if (this.firstRanges.size === 0) return sweepEveryMs
    try {
      const removed = await sweepPayloads(this.options, signal)
      if (removed > 0) telemetry.emit({ type: 'payloads.removed', removed })
    } catch (error) {
      this.nextAtMs = now + retryAfterMs
      throw error
    }
    return sweepEveryMs
  }
}

/** The parts of a role through which its instance also sweeps payloads. */
interface SweepingRole {
  onLeaseAcquired?(leaseToken: string, feedRange: { readonly min: string }): void
  onLeaseReleased?(leaseToken: string): void
  start?(): void
  stop?(releasedInMs: number): Promise<void>
}

/** Returns a role that also sweeps payloads if there is a payload store. */
export function withPayloadSweep<R extends SweepingRole>(
  role: R,
  {
    payloads,
    ...options
  }: Omit<PayloadSweepOptions, 'payloads'> & { readonly payloads: PayloadStore | undefined },
): R {
  if (payloads === undefined) return role
  const sweep = new PayloadSweep({ ...options, payloads })
  return {
    ...role,
    onLeaseAcquired: (leaseToken: string, range: { readonly min: string }) => {
      role.onLeaseAcquired?.(leaseToken, range)
      sweep.leaseAcquired(leaseToken, range.min === '')
    },
    onLeaseReleased: (leaseToken: string) => {
      role.onLeaseReleased?.(leaseToken)
      sweep.leaseReleased(leaseToken)
    },
    start: () => {
      role.start?.()
      sweep.start()
    },
    stop: async (releasedInMs) => {
      await Promise.all([role.stop?.(releasedInMs), sweep.stop()])
    },
  }
}

/** The time from the start of a role to its first sweep. */
const firstAfterMs = 600_000

/**
 * Removes every payload whose job does not exist. Reads each job once, which costs 1 RU. Returns the number of
 * removed payloads.
 */
export async function sweepPayloads(
  { payloads, store, clock }: Omit<PayloadSweepOptions, 'telemetry'>,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  let last: { readonly of: StoredPayload; readonly isGone: boolean } | null = null
  for await (const payload of payloads.list()) {
    if (signal?.aborted === true) return removed
    if (clock.now() - payload.writtenAtMs < removableAfterMs) continue
    const { partitionKey: pk, jobId } = payload
    if (last?.of.partitionKey !== pk || last.of.jobId !== jobId) {
      const job = await store.read({ pk, id: jobDocumentId(jobId) })
      last = { of: payload, isGone: job === null }
    }
    if (!last.isGone) continue
    await payloads.remove(payload)
    removed += 1
  }
  return removed
}
