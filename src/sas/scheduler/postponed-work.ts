import type { Clock, Random } from '../../platform/index.js'
import { backoffDelayMs } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { StoreUnavailable } from '../model/errors.js'

/** Work on one logical partition that the store refused temporarily. */
export interface RefusedWork {
  readonly pk: string
  readonly error: StoreUnavailable
  /** Tries the work again. Rejects after another failure. */
  readonly again: () => Promise<void>
}

export interface PostponedWorkOptions {
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
}

interface PostponedJob {
  readonly leaseToken: string
  readonly stopping: AbortController
  readonly waiting: { readonly again: RefusedWork['again']; readonly release: () => void }[]
  error: StoreUnavailable
}

/**
 * The largest number of partitions with waiting work. If more partitions fail, the whole store has a problem.
 * Then the page waits, and the feed waits with it.
 */
const maxPartitions = 16
/** The largest number of waiting pieces of work in all partitions together. */
const maxWaiting = 1_000
const backoff = { minMs: 500, maxMs: 10_000 }

/**
 * Retries work outside the feed, so that a throttled logical partition delays only its own jobs (F-X2).
 * Pauses grow, the work of one partition stays in order, and the amount of waiting work is limited.
 *
 * The work is kept only in memory, but it cannot be lost. The checkpoint stays before the page of the work
 * until the work is done (I10). So after a crash, a hand-over or a split, the next owner of the lease gets
 * the work again.
 */
export class PostponedWork {
  private readonly lines = new Map<string, PostponedJob>()

  constructor(private readonly options: PostponedWorkOptions) {}

  /** Returns the reason why work on this partition waits, or null. New work should wait as well. */
  refusalOf(leaseToken: string, pk: string): StoreUnavailable | null {
    return this.lines.get(keyOf(leaseToken, pk))?.error ?? null
  }

  /**
   * Accepts all of the refused work. Each piece of work holds the checkpoint back separately. If this would
   * exceed the limits, returns false and accepts nothing.
   */
  take(leaseToken: string, refused: readonly RefusedWork[], hold: () => () => void): boolean {
    const keys = new Set(refused.map(({ pk }) => keyOf(leaseToken, pk)))
    const partitions = new Set([...this.lines.keys(), ...keys]).size
    if (partitions > maxPartitions || this.size + refused.length > maxWaiting) return false
    for (const { pk, error, again } of refused) {
      const key = keyOf(leaseToken, pk)
      const line = this.lines.get(key)
      const entry = { again, release: hold() }
      if (line === undefined) this.open(key, { leaseToken, error, waiting: [entry] })
      else line.waiting.push(entry)
    }
    return true
  }

  /** Forgets the work of a lost lease, because the next owner gets this work again. */
  forgetLease(leaseToken: string): void {
    for (const [key, line] of this.lines) {
      if (line.leaseToken !== leaseToken) continue
      line.stopping.abort()
      this.lines.delete(key)
    }
  }

  private get size(): number {
    return [...this.lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)
  }

  private open(key: string, begun: Omit<PostponedJob, 'stopping'>): void {
    const line = { ...begun, stopping: new AbortController() }
    this.lines.set(key, line)
    this.serve(key, line).catch((error: unknown) => this.failed(error))
  }

  /** Retries the work of a partition until no work waits or the lease is lost. */
  private async serve(key: string, line: PostponedJob): Promise<void> {
    const { clock, random } = this.options
    const { signal } = line.stopping
    let failures = 1
    for (let [first] = line.waiting; first !== undefined; [first] = line.waiting) {
      const pauseMs = Math.max(backoffDelayMs(failures, backoff, random), line.error.retryAfterMs ?? 0)
      if (failures > 0) await clock.sleep(pauseMs, signal)
      if (signal.aborted) return
      try {
        await first.again()
        failures = 0
        line.waiting.shift()
        first.release()
      } catch (error) {
        failures += 1
        if (error instanceof StoreUnavailable) line.error = error
        this.failed(error)
      }
    }
    if (this.lines.get(key) === line) this.lines.delete(key)
  }

  private failed(error: unknown): void {
    this.options.telemetry.emit({ type: 'loop.failed', loop: 'postponed', error })
  }
}

function keyOf(leaseToken: string, pk: string): string {
  return `${leaseToken}\n${pk}`
}
