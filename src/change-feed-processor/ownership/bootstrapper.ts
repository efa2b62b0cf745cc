import { cosmosErrorKind, isTransient, planLeases } from '../../../lease-store/internal.js'
import { retry } from '../../platform/internal.js'
import { foreignModeProblems } from '../checks/cosmos-start-check.js'
import { ProcessorOptionsError } from '../feed/errors.js'
import { leaseModeOf } from '../options/options.js'
import { positioned } from './planned-lease.js'
import type { Runtime } from '../runtime/runtime.js'

/** The TTL that .NET hosts write into the lock. Creating the leases takes far less time. */
const lockSeconds = 30

/** The interval between two checks of whether the instance with the lock has finished. */
const lockPollMs = 1_000

const retrying = { tries: 8, backoff: { minMs: 100, maxMs: 5_000 } }

/**
 * Ensures that the leases cover the feed before any part of the feed is read. One instance creates the
 * missing leases, and the others wait until the leases are marked as complete. Each lease is created with its
 * first position, so the time of its first read does not matter.
 */
export class Bootstrapper {
  constructor(private readonly runtime: Runtime) {}

  /** Rejects if existing leases follow another mode, or if the store does not answer, even after retries. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.runtime
    while (!signal.aborted) {
      const isReady = await retry(() => this.attempt(signal), {
        clock,
        random,
        signal,
        ...retrying,
        isTransient: (error) => isTransient(cosmosErrorKind(error).kind),
      })
      if (isReady) return
      await clock.sleep(lockPollMs, signal)
    }
  }

  /** Returns whether the leases are complete. If they are not, another instance may be creating them. */
  private async attempt(signal: AbortSignal): Promise<boolean> {
    await this.runtime.sameContainer.learn()
    const { initialization } = this.runtime.leaseStore
    // Leases are checked even if the marker exists, so that a lease deleted by hand is created again.
    const doneAtMs = await initialization.doneAtMs()
    if (doneAtMs !== null) return this.createMissing(doneAtMs, signal)
    if (!(await initialization.tryLock(lockSeconds))) return false
    try {
      const isComplete = await this.createMissing(null, signal)
      if (isComplete) await initialization.markDone()
      return isComplete
    } finally {
      await initialization.unlock()
    }
  }

  /** Returns false if the start was aborted, or if the ranges must be read again after a split. */
  private async createMissing(doneAtMs: number | null, signal: AbortSignal): Promise<boolean> {
    const { feed, leaseStore, options } = this.runtime
    const [physicalRanges, { leases }] = await Promise.all([feed.physicalRanges(), leaseStore.list()])
    // The check is repeated, because another instance may since have created leases of another mode.
    const problems = foreignModeProblems(leases, leaseModeOf(options.mode))
    if (problems.length > 0) throw new ProcessorOptionsError(problems)
    for (const planned of planLeases(physicalRanges, leases, options.leasesPerFeedRange)) {
      const lease = await positioned(planned, doneAtMs, this.runtime)
      if (lease === null || signal.aborted) return false
      await leaseStore.create(lease)
    }
    return true
  }
}
