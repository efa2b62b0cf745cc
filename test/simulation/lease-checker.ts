import { wholeKeySpace } from '../../src/emulator/engine/index.js'
import type { FeedRange, Lease } from '../../lease-store/index.js'
import type { Checker, Delivery, SimulationEvent, Written } from '../../src/testing/events.js'
import type { Request } from '../../src/testing/network.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import { leases } from './processor-unit.js'
import { leaseIn, lsnOf } from '../../src/testing/stored-lease.js'

/** A change of owner. */
export interface Move {
  readonly leaseToken: string
  readonly from: string | null
  readonly to: string
  /** Free: the lease had no owner. Expired: its owner had stopped renewing. Stolen: its owner was alive. */
  readonly kind: 'free' | 'expired' | 'stolen'
  readonly atMs: number
}

export interface LeaseCheckerOptions {
  readonly now: () => number
  /** The lease container. Default: that of the processor's own simulations. */
  readonly container?: string
  /** The prefix of the ids of the unit's leases, if several units share the container. Default: any id. */
  readonly idPrefix?: string
  readonly leaseExpirationIntervalMs: number
  /**
   * Whether a process is of another implementation, from which only coverage is required. Default: none is.
   */
  readonly isForeign?: (processId: string) => boolean
  /** Whether this process may know that another process has ended. Only then may it free its leases. */
  readonly isKnownToHaveEnded?: (processId: string, by: SimulatedProcess) => boolean
}

/**
 * Checks three things. Leases cover the key space without a gap once they exist (I11). Only the owner's
 * writes are accepted, based on the state they were decided on, and none moves a position back (I12). A
 * process delivers only from leases it owns, and stops before others may take over, counted from its last
 * write (one owner within its trust window).
 */
export class LeaseChecker implements Checker {
  /** Every acquisition, oldest first. */
  readonly moves: Move[] = []
  private readonly stored = new Map<string, Lease>()
  /** When a process that may deliver from a lease last wrote it, in true time. */
  private readonly writtenAtMs = new Map<string, number>()
  /** The process of each incarnation, known from its first acquisition. */
  private readonly processOf = new Map<string, string>()
  private isBootstrapped = false

  constructor(private readonly options: LeaseCheckerOptions) {}

  /** The leases as they are stored. */
  get leases(): readonly Lease[] {
    return [...this.stored.values()]
  }

  check(event: SimulationEvent): readonly string[] {
    switch (event.type) {
      case 'written':
        return this.isAbout(event) ? this.written(event) : []
      case 'delivery.started':
        return this.delivered(event)
      case 'lease.released':
        this.writtenAtMs.delete(place(event.processId, event.leaseToken))
        return []
      case 'delivery.accepted':
      case 'delivery.setAside':
      case 'fault':
      case 'acknowledged':
      case 'called':
        return []
    }
  }

  private isAbout({ container, before, after }: Written): boolean {
    const { container: own = leases, idPrefix = '' } = this.options
    return container === own && (after ?? before)?.id.startsWith(idPrefix) === true
  }

  private written(event: Written): readonly string[] {
    if (event.after?.id.endsWith('.info') === true) this.isBootstrapped = true
    const [before, after] = [leaseIn(event.before), leaseIn(event.after)]
    if (before === null && after === null) return this.uncovered()
    if (after === null && before !== null) {
      this.stored.delete(before.leaseToken)
      // A user deleted the lease. The gap is no violation until the leases are complete again.
      if (event.by === null) this.isBootstrapped = false
    }
    if (after !== null) this.stored.set(after.leaseToken, after)
    const unconditional = before === null ? [] : basisProblems(event.by, before)
    const owner = before === null || after === null ? [] : this.replaced(event.by, before, after)
    // A replace changes no range.
    const uncovered = before === null || after === null ? this.uncovered() : []
    return [...unconditional, ...owner, ...uncovered]
  }

  private replaced(by: Request | null, before: Lease, after: Lease): readonly string[] {
    const problems: string[] = []
    const { leaseToken } = after
    const [from, to] = [lsnOf(before.continuationToken), lsnOf(after.continuationToken)]
    const writer = by?.process.id ?? 'no instance'
    if (to < from) problems.push(`I12: ${writer} moved lease ${leaseToken} back from ${from} to ${to}`)
    const isSameOwner = before.owner === after.owner && before.incarnation === after.incarnation
    if (!isSameOwner && after.owner !== null) {
      if (by !== null && after.incarnation !== null) this.processOf.set(after.incarnation, writer)
      if (to !== from) problems.push(`I12: ${writer} moved lease ${leaseToken} while it took it`)
      const move = this.move(before, after, after.owner)
      this.moves.push(move)
      // A lease may be stolen only from hosts that cannot read a hand-over request, which have no
      // incarnation.
      if (move.kind === 'stolen' && before.incarnation !== null)
        problems.push(`I12: ${writer} stole lease ${leaseToken} from ${before.owner}, which lives`)
    } else if (!this.isWriterOf(by, before) && to !== from) {
      problems.push(`I12: ${writer} stored a checkpoint in lease ${leaseToken}, which ${before.owner} owns`)
    } else if (this.isReleasedByOther(by, before, after)) {
      problems.push(`I12: ${writer} released lease ${leaseToken}, which ${before.owner} owns`)
    }
    if (by !== null && this.isWriterOf(by, after))
      this.writtenAtMs.set(place(writer, leaseToken), this.options.now())
    return this.isForeign(writer) ? [] : problems
  }

  private isWriterOf(by: Request | null, { incarnation }: Lease): boolean {
    return by !== null && incarnation !== null && this.processOf.get(incarnation) === by.process.id
  }

  /**
   * Checks whether an instance has released the lease of another instance that may be alive. The removal of a request
   * from a free lease is not a release.
   */
  private isReleasedByOther(by: Request | null, before: Lease, after: Lease): boolean {
    const isReleased = before.owner !== null && after.owner === null
    return isReleased && !this.isWriterOf(by, before) && !this.isOfDead(by, before)
  }

  private isOfDead(by: Request | null, { incarnation }: Lease): boolean {
    const owner = incarnation === null ? undefined : this.processOf.get(incarnation)
    if (by === null || owner === undefined) return false
    return this.options.isKnownToHaveEnded?.(owner, by.process) === true
  }

  private move(before: Lease, after: Lease, to: string): Move {
    const ageMs = this.options.now() - before.storedAtMs
    const isExpired = ageMs > this.options.leaseExpirationIntervalMs
    const kind = before.owner === null ? 'free' : isExpired ? 'expired' : 'stolen'
    return { leaseToken: after.leaseToken, from: before.owner, to, kind, atMs: this.options.now() }
  }

  private delivered({ processId, leaseToken }: Delivery): readonly string[] {
    if (this.isForeign(processId)) return []
    const writtenAtMs = this.writtenAtMs.get(place(processId, leaseToken))
    if (writtenAtMs === undefined)
      return [`${processId} delivers from lease ${leaseToken}, which it does not hold`]
    const silentMs = this.options.now() - writtenAtMs
    if (silentMs < this.options.leaseExpirationIntervalMs) return []
    return [
      `F-L7: ${processId} delivers from lease ${leaseToken} ${Math.round(silentMs)} ms after its last sign of life`,
    ]
  }

  private isForeign(processId: string): boolean {
    return this.options.isForeign?.(processId) ?? false
  }

  private uncovered(): readonly string[] {
    const gap = firstGap(this.leases.map(({ feedRange }) => feedRange))
    if (!this.isBootstrapped) {
      this.isBootstrapped = gap === null
      return []
    }
    return gap === null ? [] : [`I11: no lease covers the key space from ${JSON.stringify(gap)}`]
  }
}

/** Returns the start of the first gap between the ranges, or null. */
function firstGap(ranges: readonly FeedRange[]): string | null {
  let reached = wholeKeySpace.min
  for (const { min, max } of [...ranges].sort((left, right) => (left.min < right.min ? -1 : 1))) {
    if (min > reached) return reached
    if (max > reached) reached = max
  }
  return reached < wholeKeySpace.max ? reached : null
}

/** Returns a problem if a write was decided on another state than the one it replaced. */
function basisProblems(by: Request | null, before: Lease): readonly string[] {
  const basis = by?.args[0]
  if (by === null || typeof basis !== 'object' || basis === null || !('etag' in basis)) return []
  if (basis.etag === before.etag) return []
  return [`I12: ${by.process.id} wrote lease ${before.leaseToken} over a state it had not seen`]
}

function place(processId: string, leaseToken: string): string {
  return `${processId} ${leaseToken}`
}
