import {
  expired,
  expiredByObservation,
  givesWayTo,
  isOwnedBy,
  lapsed,
  observe,
  RefusedLeaseError,
  selectLeases,
  twinLease,
  unanswered,
  type Lease,
  type LeaseListing,
  type LeaseObservations,
  type Selection,
} from '../../../lease-store/index.js'
import { BackgroundLoop } from '../../platform/index.js'
import type { CoverageWatch } from './coverage-watch.js'
import { FeedError } from '../feed/errors.js'
import type { PartitionController } from './partition-controller.js'
import type { Runtime } from '../runtime/runtime.js'
import { StandBy } from './stand-by.js'

/** Taken or asked for before the leases are looked at again, however few this instance has. */
const fewestPerLook = 4

/** In one turn; each may double what this instance has, so more are needed only if others write all the time. */
const looksPerTurn = 16

/**
 * Looks at the leases every acquire interval, at once after `start`, and takes and asks for what {@link selectLeases}
 * says, and takes what is written as ours but in nobody's hands: an acquisition whose answer was lost, or one given up
 * for a while. As long as that succeeds it looks again at once, having taken no more than it had: instances that start
 * together so see each other before one of them has taken everything.
 */
export class LoadBalancer {
  private readonly loop: BackgroundLoop
  private readonly standBy: StandBy
  private observations: LeaseObservations = new Map()
  private reportedTwin: string | null = null
  private reportedRefusal: string | null = null
  private hasFirst = false
  /** How many leases there were when all of them were in hand; null when some were not. */
  private allInHand: number | null = null
  private hasSkipped = false

  constructor(
    private readonly runtime: Runtime,
    private readonly controller: PartitionController,
    private readonly coverage: CoverageWatch,
    /** Called when a turn begins, whatever the store answers. */
    onTurn: () => void = () => undefined,
  ) {
    this.standBy = new StandBy(runtime)
    this.loop = new BackgroundLoop({
      clock: runtime.clock,
      turn: async (signal) => {
        onTurn()
        if (!this.skips()) await this.balance(signal)
        // One instance is enough: the one with the first lease that an instance of this library owns.
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
   * Whoever has every lease has nothing to take, and hears at its renewals what others want: every second look is left
   * out while the hand stays as full, which costs an idle unit half of its queries.
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

  /** Answers whether anything came of it. */
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
        // The others may still be had.
        this.report(error)
      }
    }
    return succeeded > 0
  }

  private wanted({ leases, storeTimeMs }: LeaseListing): Selection {
    const { self, random, options, clock } = this.runtime
    // A .NET host, which says nothing of its life, watches over nothing.
    const [first] = leases.filter(({ incarnation }) => incarnation !== null).sort(byPlace)
    this.hasFirst = first === undefined || this.controller.holds(first.leaseToken)
    const isInHand = (lease: Lease): boolean => this.controller.holds(lease.leaseToken)
    const elsewhere = leases.filter((lease) => !isInHand(lease))
    this.allInHand = leases.length > 0 && elsewhere.length === 0 ? leases.length : null
    const monotonicMs = clock.monotonic()
    this.observations = observe(this.observations, elsewhere, monotonicMs)
    const { observations } = this
    if (this.standBy.isNeeded() || this.givesWay(monotonicMs)) {
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
   * Whether another living process has the name of this instance and stays. Leases tell the two apart, but .NET hosts and
   * people do not, so one of them works and the other stands by (F-L16).
   */
  private givesWay(monotonicMs: number): boolean {
    const { self, options, notifications } = this.runtime
    const twin = twinLease(this.observations, self, monotonicMs, options.leaseExpirationIntervalMs)
    if (twin === null) return false
    const isGivingWay = givesWayTo(self, twin)
    if (this.reportedTwin !== twin.incarnation) {
      const consequence = isGivingWay
        ? 'this one takes no leases while the other lives'
        : 'the other stands by'
      const remedy = new Error(`give each process an instanceName of its own; ${consequence}`)
      const name = `instanceName ${JSON.stringify(self.instanceName)} is used by two living processes`
      notifications.failed(twin.leaseToken, new FeedError(name, remedy))
    }
    this.reportedTwin = twin.incarnation
    return isGivingWay
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

  /** A little less by chance, so that instances started together do not stay together. */
  private restMs(): number {
    const { options, random } = this.runtime
    return options.leaseAcquireIntervalMs * (1 - random.next() / 10)
  }

  private report(error: unknown): void {
    const { telemetry, options, notifications } = this.runtime
    const { processorName, instanceName } = options
    telemetry.emit({ type: 'balance.failed', processorName, instanceName, error })
    // Unlike trouble of the store this does not pass: somebody has to remove the document (F-L4).
    if (!(error instanceof RefusedLeaseError) || this.reportedRefusal === error.message) return
    this.reportedRefusal = error.message
    notifications.failed(error.leaseToken, new FeedError('no leases are taken or asked for', error))
  }
}

/** The same order to everybody, also where leases overlap. */
function byPlace(left: Lease, right: Lease): number {
  if (left.feedRange.min !== right.feedRange.min) return left.feedRange.min < right.feedRange.min ? -1 : 1
  return left.leaseToken < right.leaseToken ? -1 : 1
}
