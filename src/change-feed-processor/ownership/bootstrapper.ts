import { cosmosErrorKind, isTransient, planLeases } from '../../../lease-store/index.js'
import { retry } from '../../platform/index.js'
import { foreignModeProblems } from '../checks/cosmos-start-check.js'
import { ProcessorOptionsError } from '../feed/errors.js'
import { leaseModeOf } from '../options/options.js'
import { positioned } from './planned-lease.js'
import type { Runtime } from '../runtime/runtime.js'

/** As .NET hosts write it into the lock; it outlives the creation of leases by far. */
const lockSeconds = 30

/** Between two looks at the work of the instance that has the lock. */
const lockPollMs = 1_000

const tries = { maxAttempts: 8, backoff: { minMs: 100, maxMs: 5_000 } }

/**
 * Sees to it that the leases cover the feed before anything is read: one instance creates what is missing, the others
 * wait until it says that it is done. Each lease is created with the position it begins at, so it does not matter when
 * it is first read.
 */
export class Bootstrapper {
  constructor(private readonly runtime: Runtime) {}

  /** Rejects when the leases there are belong to something else, or the store does not answer for long. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.runtime
    while (!signal.aborted) {
      const isReady = await retry(() => this.attempt(signal), {
        clock,
        random,
        signal,
        ...tries,
        isTransient: (error) => isTransient(cosmosErrorKind(error).kind),
      })
      if (isReady) return
      await clock.sleep(lockPollMs, signal)
    }
  }

  /** Answers whether the leases are complete; if not, somebody else is at it. */
  private async attempt(signal: AbortSignal): Promise<boolean> {
    const { initialization } = this.runtime.leaseStore
    // Also looked at when it was done before: a lease that was deleted by hand would never be read again.
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

  /** False when a range was split while its lease was made: look again. Or when nobody waits for it any more. */
  private async createMissing(doneAtMs: number | null, signal: AbortSignal): Promise<boolean> {
    const { feed, leaseStore, options } = this.runtime
    const [physicalRanges, { leases }] = await Promise.all([feed.physicalRanges(), leaseStore.list()])
    // Again after the check at start: somebody else may have been faster with leases of another mode.
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
