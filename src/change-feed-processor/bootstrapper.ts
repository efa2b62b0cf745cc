import {
  cosmosErrorKind,
  isTransient,
  planLeases,
  type NewLease,
  type PlannedLease,
} from '../../lease-store/index.js'
import { retry } from '../platform/index.js'
import type { Runtime } from './runtime.js'
import { firstPositionOf } from './start-position.js'

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
      const isReady = await retry(() => this.attempt(), {
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
  private async attempt(): Promise<boolean> {
    const { initialization } = this.runtime.leaseStore
    // Also looked at when it was done before: a lease that was deleted by hand would never be read again.
    if (await initialization.isDone()) return this.createMissing()
    if (!(await initialization.tryLock(lockSeconds))) return false
    try {
      const isComplete = await this.createMissing()
      if (isComplete) await initialization.markDone()
      return isComplete
    } finally {
      await initialization.unlock()
    }
  }

  /** False when a range was split while its lease was made: look again. */
  private async createMissing(): Promise<boolean> {
    const { feed, leaseStore, options } = this.runtime
    const [physicalRanges, { leases }] = await Promise.all([feed.physicalRanges(), leaseStore.list()])
    const foreign = leases.find((lease) => lease.mode !== 'Incremental Feed')
    if (foreign !== undefined)
      throw new Error(
        `lease ${JSON.stringify(foreign.leaseToken)} follows the feed in mode ${JSON.stringify(foreign.mode)}, this processor ` +
          'in mode "Incremental Feed"; a deployment unit keeps its mode: choose another processorName',
      )
    for (const planned of planLeases(physicalRanges, leases, options.leasesPerFeedRange)) {
      const lease = await this.positioned(planned)
      if (lease === null) return false
      await leaseStore.create(lease)
    }
    return true
  }

  private async positioned({ leaseToken, feedRange }: PlannedLease): Promise<NewLease | null> {
    const { feed, options } = this.runtime
    const lease: NewLease = {
      leaseToken,
      feedRange,
      continuationToken: null,
      firstPosition: firstPositionOf(options.startFrom),
      mode: 'Incremental Feed',
    }
    if (lease.firstPosition !== null) return lease
    const { signal } = new AbortController()
    const page = await feed.readNext({ feedRange, start: { kind: 'now' } }, { maxItemCount: 1, signal })
    const [next, ...others] = page.next
    if (next?.start.kind !== 'continuation' || others.length > 0) return null
    return { ...lease, continuationToken: next.start.token }
  }
}
