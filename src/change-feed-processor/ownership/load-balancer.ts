import {
  expired,
  isOwnedBy,
  RefusedLeaseError,
  type Lease,
  type LeaseListing,
} from '../../../lease-store/index.js'
import {
  expiredByObservation,
  yieldsTo,
  lapsed,
  observe,
  selectLeases,
  duplicateInstanceLease,
  unanswered,
  type LeaseObservations,
  type Selection,
} from '../../../lease-store/internal.js'
import { BackgroundLoop } from '../../platform/internal.js'
import type { PartitionSynchronizer } from './partition-synchronizer.js'
import { FeedError } from '../feed/errors.js'
import type { PartitionController } from './partition-controller.js'
import type { Runtime } from '../runtime/runtime.js'
import { HealthGate } from './health-gate.js'

/** The number of leases taken or requested per look, if this instance has fewer. */
const fewestPerLook = 4

/**
 * The limit per turn. Each look may double what this instance has, so more are needed only if others write all the
 * time.
 */
const looksPerTurn = 16

/**
 * Looks at the leases at every acquire interval, and at once after `start`. It takes and requests the leases that
 * {@link selectLeases} returns. It also takes leases that this instance owns but does not read: their acquisition
 * got no answer, or they were given up for a while.
 *
 * As long as that succeeds, it looks again at once. Per look it takes no more than it already had, or four:
 * instances that start together therefore see each other before one of them has taken everything.
 */
export class LoadBalancer {
  private readonly loop: BackgroundLoop
  private readonly healthGate: HealthGate
  private observations: LeaseObservations = new Map()
  private reportedTwin: string | null = null
  private reportedRefusal: string | null = null
  private hasFirst = false
  /** The number of leases when this instance held all of them; null when it did not. */
  private allInHand: number | null = null
  private hasSkipped = false

  constructor(
    private readonly runtime: Runtime,
    private readonly controller: PartitionController,
    private readonly coverage: PartitionSynchronizer,
    /** Called when a turn begins, whatever the store answers. */
    onTurn: () => void = () => undefined,
  ) {
    this.healthGate = new HealthGate(runtime)
    this.loop = new BackgroundLoop({
      clock: runtime.clock,
      turn: async (signal) => {
        onTurn()
        if (!this.skips()) await this.balance(signal)
        // One watching instance is enough: the one that holds the first lease owned by an instance of this
        // library.
        if (this.hasFirst) await this.coverage.look()
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
    this.hasSkipped = true
    this.loop.wake()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  /**
   * Returns whether to skip this look. An instance with every lease has nothing to take, and its renewals show the
   * requests of others. While it holds all leases it skips every second look, which saves an idle unit half of its
   * queries.
   */
  private skips(): boolean {
    this.hasSkipped = !this.hasSkipped && this.allInHand === this.controller.heldCount
    return this.hasSkipped
  }

  private async balance(signal: AbortSignal): Promise<void> {
    for (let looks = 0; looks < looksPerTurn && !signal.aborted; looks += 1) {
      const listing = await this.runtime.leaseStore.list()
      this.coverage.note(listing.leases)
      const { processorName, instanceName } = this.runtime.options
      const { length: count } = listing.leases
      this.runtime.telemetry.emit({ type: 'leases.listed', processorName, instanceName, count })
      if (!(await this.apply(this.wanted(listing), signal))) return
    }
  }

  /** Takes and requests leases, and returns whether any attempt succeeded. */
  private async apply({ take, ask }: Selection, signal: AbortSignal): Promise<boolean> {
    const most = Math.max(fewestPerLook, this.controller.heldCount)
    const attempts = [
      ...take.map((lease) => () => this.controller.acquire(lease)),
      ...ask.map((lease) => () => this.controller.request(lease)),
    ]
    let succeeded = 0
    for (const attempt of attempts) {
      if (signal.aborted || succeeded === most) break
      try {
        if (await attempt()) succeeded += 1
      } catch (error) {
        // The other leases may still be available.
        this.report(error)
      }
    }
    return succeeded > 0
  }

  private wanted({ leases, storeTimeMs }: LeaseListing): Selection {
    const { self, random, options, clock } = this.runtime
    // A .NET host does not watch the coverage. Its leases have no incarnation.
    const [first] = leases.filter(({ incarnation }) => incarnation !== null).sort(byPlace)
    this.hasFirst = first === undefined || this.controller.holds(first.leaseToken)
    const isInHand = (lease: Lease): boolean => this.controller.holds(lease.leaseToken)
    const elsewhere = leases.filter((lease) => !isInHand(lease))
    this.allInHand = leases.length > 0 && elsewhere.length === 0 ? leases.length : null
    const monotonicMs = clock.monotonic()
    this.observations = observe(this.observations, elsewhere, monotonicMs)
    const { observations } = this
    if (this.healthGate.isNeeded() || this.givesWay(monotonicMs)) {
      this.controller.giveWay()
      return { take: [], ask: [] }
    }
    const patience = { ...options, self, observations, monotonicMs, storeTimeMs }
    const { take, ask } = selectLeases({
      self,
      leases,
      expired: this.silentTokens(elsewhere, storeTimeMs, monotonicMs),
      lapsed: lapsed(elsewhere, patience),
      unanswered: unanswered(elsewhere, patience),
      limits: options,
      random: () => random.next(),
    })
    const stray = leases.filter((lease) => isOwnedBy(lease, self) && !take.includes(lease))
    return { take: [...take, ...stray].filter((lease) => !isInHand(lease)), ask }
  }

  /**
   * Returns whether another living process has the name of this instance and this instance gives way to it. Leases
   * tell the two apart, but .NET hosts and people do not, so one of them works and the other stands by (F-L16).
   */
  private givesWay(monotonicMs: number): boolean {
    const { self, options, notifications } = this.runtime
    const twin = duplicateInstanceLease(
      this.observations,
      self,
      monotonicMs,
      options.leaseExpirationIntervalMs,
    )
    if (twin === null) return false
    const isYielding = yieldsTo(self, twin)
    if (this.reportedTwin !== twin.incarnation) {
      const consequence = isYielding
        ? 'this one takes no leases while the other lives'
        : 'the other stands by'
      const remedy = new Error(`give each process an instanceName of its own; ${consequence}`)
      const name = `instanceName ${JSON.stringify(self.instanceName)} is used by two living processes`
      notifications.failed(twin.leaseToken, new FeedError(name, remedy))
    }
    this.reportedTwin = twin.incarnation
    return isYielding
  }

  private silentTokens(
    leases: readonly Lease[],
    storeTimeMs: number | null,
    monotonicMs: number,
  ): ReadonlySet<string> {
    const { leaseExpirationIntervalMs } = this.runtime.options
    return storeTimeMs === null
      ? expiredByObservation(leases, this.observations, monotonicMs, leaseExpirationIntervalMs)
      : expired(leases, storeTimeMs, leaseExpirationIntervalMs)
  }

  /**
   * Returns the acquire interval minus up to a tenth at random, so that instances started together do not stay in
   * step.
   */
  private restMs(): number {
    const { options, random } = this.runtime
    return options.leaseAcquireIntervalMs * (1 - random.next() / 10)
  }

  private report(error: unknown): void {
    const { telemetry, options, notifications } = this.runtime
    const { processorName, instanceName } = options
    telemetry.emit({ type: 'balance.failed', processorName, instanceName, error })
    // Unlike a store failure this does not pass: an operator has to remove the document (F-L4).
    if (!(error instanceof RefusedLeaseError) || this.reportedRefusal === error.message) return
    this.reportedRefusal = error.message
    notifications.failed(error.leaseToken, new FeedError('no leases are taken or asked for', error))
  }
}

/** Orders leases in the same way on every instance, also where they overlap. */
function byPlace(left: Lease, right: Lease): number {
  if (left.feedRange.min !== right.feedRange.min) return left.feedRange.min < right.feedRange.min ? -1 : 1
  return left.leaseToken < right.leaseToken ? -1 : 1
}
