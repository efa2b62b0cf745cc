import {
  expired,
  isOwnedBy,
  RefusedLeaseError,
  type Lease,
  type LeaseListing,
} from '../../../lease-store/index.js'
import {
  cosmosErrorKind,
  expiredByObservation,
  isTransient,
  sharesItsRange,
  yieldsTo,
  lapsed,
  observe,
  selectLeases,
  duplicateInstanceLease,
  unanswered,
  type LeaseObservations,
  type Selection,
} from '../../../lease-store/internal.js'
import { BackgroundLoop, compare } from '../../platform/internal.js'
import type { PartitionSynchronizer } from './partition-synchronizer.js'
import { FeedError } from '../feed/errors.js'
import { retryDelayMs } from '../lease-holding/retry-delay.js'
import { DeadOwners } from './dead-owners.js'
import type { PartitionController } from './partition-controller.js'
import type { Runtime } from '../runtime/runtime.js'
import { HealthGate } from './health-gate.js'

/** The smallest value of the limit per check. The limit is the number of held leases if that is larger. */
const minimalLimitPerLook = 4

/**
 * The largest number of checks per turn. Each check may double the number of held leases, so more checks are
 * needed only if other instances write all the time.
 */
const looksPerTurn = 16

/** The shortest pause after a failure, even if the server advises none. */
const shortestRestMs = 50

/** The number of acquire intervals from one check to the next while this instance holds all leases. */
export const turnsPerCheck = 4

/**
 * Checks the leases at every acquire interval, and immediately after `start`. The balancer takes and requests
 * the leases that {@link selectLeases} returns. The balancer also takes leases that this instance owns but
 * does not read. The instance owns such a lease if the answer to the acquisition was lost, or if it had
 * stopped trusting the lease.
 *
 * After a check that takes or requests a lease, the next check follows immediately. Each check takes at most
 * four leases, or as many as this instance already holds if that is more. Instances that start together
 * therefore see each other before one of them has taken everything.
 */
export class LoadBalancer {
  private readonly loop: BackgroundLoop
  private readonly healthGate: HealthGate
  private readonly deadOwners: DeadOwners
  private observations: LeaseObservations = new Map()
  private reportedTwin: string | null = null
  private reportedRefusal: string | null = null
  private hasFirst = false
  /** The number of leases if this instance held all of them at the last check, and otherwise null. */
  private allInHand: number | null = null
  /** The number of turns in a row in which a request has failed. */
  private failures = 0
  /** The last failed acquisition of this turn. */
  private failure: unknown = null
  /** The number of turns since the last check. */
  private turnsSinceCheck = turnsPerCheck

  constructor(
    private readonly runtime: Runtime,
    private readonly controller: PartitionController,
    private readonly coverage: PartitionSynchronizer,
    /** Called when a turn begins, even if the store does not answer. */
    onTurn: () => void = () => undefined,
  ) {
    this.healthGate = new HealthGate(runtime)
    this.deadOwners = new DeadOwners(runtime, () => this.wake())
    this.loop = new BackgroundLoop({
      clock: runtime.clock,
      turn: async (signal) => {
        onTurn()
        this.turnsSinceCheck += 1
        this.failure = null
        if (this.lookIsDue()) await this.balance(signal)
        else await this.checkHealth()
        // Only one instance watches the coverage: the holder of the first lease that belongs to an instance
        // of this library.
        if (this.hasFirst) await this.coverage.look()
        const { failure } = this
        if (failure !== null) return this.restAfter(failure)
        this.failures = 0
        return this.restMs()
      },
      onError: (error) => {
        this.report(error)
        return this.restAfter(error)
      },
    })
  }

  /** Returns the `unhealthyReason` that was found at the last check, or null. */
  unhealthyReason(): string | null {
    return this.healthGate.unhealthyReason()
  }

  start(): void {
    this.loop.start()
  }

  wake(): void {
    this.turnsSinceCheck = turnsPerCheck
    this.loop.wake()
  }

  async stop(): Promise<void> {
    await this.loop.stop()
    await this.deadOwners.stop()
  }

  /**
   * Returns whether to check the leases in this turn. An instance that holds all leases has none to take, and
   * its renewals show the requests of other instances. Such an instance skips most checks, which saves most queries of
   * an idle unit.
   */
  private lookIsDue(): boolean {
    if (this.hasFirst && this.coverage.isDue()) return true
    return this.turnsSinceCheck >= turnsPerCheck || !this.holdsAll
  }

  /** Whether this instance held all leases at the last check, and has given up none since. */
  get holdsAll(): boolean {
    return this.allInHand === this.controller.heldCount
  }

  /** Asks the user's code whether this instance may work, in a turn without a check of the leases. */
  private async checkHealth(): Promise<void> {
    this.healthGate.look()
    if (this.healthGate.unhealthyReason() !== null) await this.controller.giveWay()
  }

  private async balance(signal: AbortSignal): Promise<void> {
    const { leaseStore, clock } = this.runtime
    for (let looks = 0; looks < looksPerTurn && !signal.aborted; looks += 1) {
      const listing = await this.deadOwners.free(await leaseStore.list())
      const monotonicMs = clock.monotonic()
      this.note(listing, monotonicMs)
      this.turnsSinceCheck = 0
      this.healthGate.look()
      const twin = this.twin(monotonicMs)
      if (twin !== null) this.reportTwin(twin)
      if (this.standsBy(twin)) {
        await this.controller.giveWay()
        return
      }
      const succeeded = await this.apply(this.selection(listing, monotonicMs), listing, signal)
      if (succeeded === 0 && listing.isCurrent) return
    }
  }

  /** Remembers the facts that a listing shows. */
  private note({ leases }: LeaseListing, monotonicMs: number): void {
    const { options, telemetry } = this.runtime
    const { processorName, instanceName } = options
    telemetry.emit({ type: 'leases.listed', processorName, instanceName, count: leases.length })
    this.coverage.note(leases)
    // Leases of .NET hosts have no incarnation. These hosts do not watch the coverage.
    const [first] = leases.filter(({ incarnation }) => incarnation !== null).sort(byPlace)
    this.hasFirst = first === undefined || this.controller.holds(first.leaseToken)
    const elsewhere = this.elsewhere(leases)
    this.allInHand = leases.length > 0 && elsewhere.length === 0 ? leases.length : null
    this.observations = observe(this.observations, elsewhere, monotonicMs)
  }

  /** Takes and requests leases. Returns the number of attempts that succeeded. */
  private async apply(
    { take, ask }: Selection,
    { leases }: LeaseListing,
    signal: AbortSignal,
  ): Promise<number> {
    const most = Math.max(minimalLimitPerLook, this.controller.heldCount)
    const attempts = [
      ...take.map((lease) => {
        return () => this.controller.acquire(lease, { isShared: sharesItsRange(lease, leases) })
      }),
      ...ask.map((lease) => () => this.controller.request(lease)),
    ]
    let succeeded = 0
    for (const attempt of attempts) {
      if (signal.aborted || succeeded === most) break
      try {
        if (await attempt()) succeeded += 1
      } catch (error) {
        // The loop continues, because the other leases may still be available.
        this.report(error)
        this.failure = error
      }
    }
    return succeeded
  }

  /** Returns the leases that this instance does not read. */
  private elsewhere(leases: readonly Lease[]): readonly Lease[] {
    return leases.filter(({ leaseToken }) => !this.controller.holds(leaseToken))
  }

  private selection({ leases, storeTimeMs }: LeaseListing, monotonicMs: number): Selection {
    const { self, random, options } = this.runtime
    const { observations } = this
    const elsewhere = this.elsewhere(leases)
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
    return { take: this.elsewhere([...take, ...stray]), ask }
  }

  /** Returns whether this instance must take no leases, because it is unhealthy or yields to `twin`. */
  private standsBy(twin: Lease | null): boolean {
    return this.healthGate.unhealthyReason() !== null || (twin !== null && yieldsTo(this.runtime.self, twin))
  }

  /**
   * Returns a lease of another living process with the name of this instance, or null. .NET hosts and people
   * cannot distinguish the two processes, so only one process works (F-L16).
   */
  private twin(monotonicMs: number): Lease | null {
    const { self, options } = this.runtime
    return duplicateInstanceLease(this.observations, self, monotonicMs, options.leaseExpirationIntervalMs)
  }

  /** Reports a process with the same name, but only once. */
  private reportTwin(twin: Lease): void {
    if (this.reportedTwin === twin.incarnation) return
    this.reportedTwin = twin.incarnation
    const { self, notifications } = this.runtime
    const consequence = yieldsTo(self, twin)
      ? 'this one takes no leases while the other runs'
      : 'the other stands by'
    const remedy = new Error(`give each process an instanceName of its own; ${consequence}`)
    const name = `instanceName ${JSON.stringify(self.instanceName)} is used by two running processes`
    notifications.failed(twin.leaseToken, new FeedError(name, remedy))
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

  /** Returns the interval minus up to a tenth, so that instances started together do not check together. */
  private restMs(): number {
    const { options, random } = this.runtime
    return options.leaseAcquireIntervalMs * (1 - random.next() / 10)
  }

  /**
   * Counts a failure. Returns the pause after it, which is short if this instance has no lease and the store may be back soon. Only
   * an operator can repair what other errors name.
   */
  private restAfter(error: unknown): number {
    this.failures += 1
    if (this.controller.heldCount > 0 || !isTransient(cosmosErrorKind(error).kind)) return this.restMs()
    const delayMs = retryDelayMs(error, this.failures, this.runtime.random)
    return Math.max(shortestRestMs, Math.min(this.restMs(), delayMs))
  }

  private report(error: unknown): void {
    const { telemetry, options, notifications } = this.runtime
    const { processorName, instanceName } = options
    telemetry.emit({ type: 'balance.failed', processorName, instanceName, error })
    // Unlike other errors, this error stays until an operator removes the document (F-L4).
    if (!(error instanceof RefusedLeaseError) || this.reportedRefusal === error.message) return
    this.reportedRefusal = error.message
    notifications.failed(error.leaseToken, new FeedError('no leases are taken or asked for', error))
  }
}

/** Orders leases in the same way on every instance, even if the leases overlap. */
function byPlace(left: Lease, right: Lease): number {
  return compare(left.feedRange.min, right.feedRange.min) || compare(left.leaseToken, right.leaseToken)
}
