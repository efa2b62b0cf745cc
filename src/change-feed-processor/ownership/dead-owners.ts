import { releaseOfDead, type Lease, type LeaseListing } from '../../../lease-store/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import { withoutDeadRequest } from '../lease-holding/handover-request.js'
import type { Runtime } from '../runtime/runtime.js'

/** The interval between two looks at the other processes of this machine. A look makes no request. */
const lookEveryMs = 500

/** A listing in which leases of dead owners are free, and requests of dead instances do not count. */
export interface FreedListing extends LeaseListing {
  /** False if a lease could not be freed, so that the leases must be listed again. */
  readonly isCurrent: boolean
}

/**
 * Frees the leases of processes that ran on this machine and have ended, without waiting for the expiration.
 * A killed process releases nothing itself. Only a proof counts: the process with exactly this identity no
 * longer exists. Each lease is freed only if it has not changed since it was listed (I12).
 *
 * States: idle → watching (the first listing with another process of this machine) → idle (`stop`). While it
 * watches, it calls `onDeath` when one of those processes has ended.
 */
export class DeadOwners {
  private readonly loop: BackgroundLoop
  private neighbours: ReadonlySet<string> = new Set()

  constructor(
    private readonly runtime: Pick<
      Runtime,
      'options' | 'leaseStore' | 'clock' | 'telemetry' | 'notifications'
    >,
    onDeath: () => void,
  ) {
    const { clock, telemetry, options } = runtime
    this.loop = new BackgroundLoop({
      clock,
      turn: () => {
        const { hasEnded } = options.processes
        if (![...this.neighbours].some(hasEnded)) return Promise.resolve(lookEveryMs)
        // The next listing says which processes are left.
        this.neighbours = new Set()
        onDeath()
        return Promise.resolve(lookEveryMs)
      },
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'dead-owners', error })
        return lookEveryMs
      },
    })
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  /**
   * Frees every lease whose owner is certainly dead, and returns the listing as it is then. A request of a dead instance is
   * left out without a write: the owner of the lease ignores it, and the next owner removes it.
   */
  async free({ leases: listed, storeTimeMs }: LeaseListing): Promise<FreedListing> {
    const { processes } = this.runtime.options
    const freed = await Promise.all(
      listed.map(async (lease) => {
        const isDead = lease.process !== null && processes.hasEnded(lease.process)
        return isDead ? this.tryToFree(lease) : { lease, isCurrent: true }
      }),
    )
    const leases = freed.map(({ lease }) => withoutDeadRequest(lease, processes))
    this.watch(leases)
    return { leases, storeTimeMs, isCurrent: freed.every(({ isCurrent }) => isCurrent) }
  }

  /** If the store refuses the write, the next look at the processes leads to another try. */
  private async tryToFree(lease: Lease): Promise<{ readonly lease: Lease; readonly isCurrent: boolean }> {
    try {
      return await this.freeOne(lease)
    } catch (error) {
      const { processorName, instanceName } = this.runtime.options
      this.runtime.telemetry.emit({ type: 'balance.failed', processorName, instanceName, error })
      return { lease, isCurrent: true }
    }
  }

  private async freeOne(lease: Lease): Promise<{ readonly lease: Lease; readonly isCurrent: boolean }> {
    const { leaseStore, clock, telemetry, notifications } = this.runtime
    const outcome = await leaseStore.replace(releaseOfDead(lease, clock.now()))
    if (outcome.kind !== 'written') {
      telemetry.emit({ type: 'store.conflict', operation: 'lease.releaseOfDead', id: lease.leaseToken })
      return { lease, isCurrent: false }
    }
    const { owner } = lease
    if (owner !== null) telemetry.emit({ type: 'lease.freed', ...notifications.on(lease.leaseToken), owner })
    return { lease: outcome.lease, isCurrent: true }
  }

  private watch(leases: readonly Lease[]): void {
    const { processes } = this.runtime.options
    const owners = leases.flatMap(({ process }) => process ?? [])
    const requesters = leases.flatMap(({ handover }) => handover?.process ?? [])
    this.neighbours = new Set([...owners, ...requesters].filter((each) => processes.isNeighbour(each)))
    if (this.neighbours.size > 0) this.loop.start()
  }
}
