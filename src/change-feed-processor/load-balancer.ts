import {
  expired,
  expiredByObservation,
  isOwnedBy,
  observe,
  selectLeases,
  type Lease,
  type LeaseListing,
  type LeaseObservations,
} from '../../lease-store/index.js'
import { BackgroundLoop } from '../platform/index.js'
import type { PartitionController } from './partition-controller.js'
import type { Runtime } from './runtime.js'

/**
 * Looks at the leases every acquire interval, at once after `start`, and takes what {@link selectLeases} says, and
 * what is written as ours but in nobody's hands: an acquisition whose answer was lost, or one given up for a while.
 */
export class LoadBalancer {
  private readonly loop: BackgroundLoop
  private observations: LeaseObservations = new Map()

  constructor(
    private readonly runtime: Runtime,
    private readonly controller: PartitionController,
  ) {
    this.loop = new BackgroundLoop({
      clock: runtime.clock,
      turn: async () => {
        await this.balance()
        return this.restMs()
      },
      onError: (error) => {
        this.report(error)
        return this.restMs()
      },
    })
  }

  start(): void {
    this.loop.start()
  }

  wake(): void {
    this.loop.wake()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async balance(): Promise<void> {
    const listing = await this.runtime.leaseStore.list()
    const { processorName, instanceName } = this.runtime.options
    const { length: count } = listing.leases
    this.runtime.telemetry.emit({ type: 'leases.listed', processorName, instanceName, count })
    for (const lease of this.wanted(listing)) {
      try {
        await this.controller.acquire(lease)
      } catch (error) {
        // The others may still be had.
        this.report(error)
      }
    }
  }

  private wanted({ leases, storeTimeMs }: LeaseListing): Lease[] {
    const { self, random } = this.runtime
    const isInHand = (lease: Lease): boolean => this.controller.holds(lease.leaseToken)
    const silent = this.silentTokens(
      leases.filter((lease) => !isInHand(lease)),
      storeTimeMs,
    )
    const { take } = selectLeases({
      self,
      leases,
      expired: silent,
      limits: { minLeases: null, maxLeases: null },
      random: () => random.next(),
    })
    const stray = leases.filter((lease) => isOwnedBy(lease, self) && !take.includes(lease))
    return [...take, ...stray].filter((lease) => !isInHand(lease))
  }

  private silentTokens(leases: readonly Lease[], storeTimeMs: number | null): ReadonlySet<string> {
    const { clock, options } = this.runtime
    const nowMs = clock.monotonic()
    this.observations = observe(this.observations, leases, nowMs)
    return storeTimeMs === null
      ? expiredByObservation(leases, this.observations, nowMs, options.leaseExpirationIntervalMs)
      : expired(leases, storeTimeMs, options.leaseExpirationIntervalMs)
  }

  /** A little less by chance, so that instances started together do not stay together. */
  private restMs(): number {
    const { options, random } = this.runtime
    return options.leaseAcquireIntervalMs * (1 - random.next() / 10)
  }

  private report(error: unknown): void {
    const { telemetry, options } = this.runtime
    const { processorName, instanceName } = options
    telemetry.emit({ type: 'balance.failed', processorName, instanceName, error })
  }
}
