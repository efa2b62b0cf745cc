import type { Lease, NewLease } from '../../../lease-store/index.js'
import {
  canMeet,
  findOverlaps,
  isCovered,
  planLeases,
  planOverlapRepairs,
  staying,
  type OverlapRepair,
  type PlannedLease,
} from '../../../lease-store/internal.js'
import { FeedError } from '../feed/errors.js'
import type { PhysicalRange } from '../feed/change-feed.js'
import { positioned } from './planned-lease.js'
import type { Runtime } from '../runtime/runtime.js'
import { childLeases } from './split.js'
import { startOf } from '../feed/start-position.js'

/** The interval between two checks, in expiration intervals. */
const lookEveryExpirations = 5

interface Found {
  readonly physicalRanges: readonly PhysicalRange[]
  readonly leases: readonly Lease[]
  /** The leases that are missing for full coverage of the ranges. */
  readonly missing: readonly PlannedLease[]
}

/**
 * Watches the coverage of the feed while a processor runs. Deleted leases are created again, at the last
 * known position. If several leases cover the same part of the feed, the finer leases replace the wider
 * lease. Overlaps that cannot be repaired yet are reported.
 */
export class PartitionSynchronizer {
  private lookedAtMs: number
  /** The leases of the last listing, and earlier leases of ranges that are no longer covered. */
  private known: readonly Lease[] = []
  /** The leases of the last listing, until they have served a check. */
  private listed: readonly Lease[] | null = null
  /** The leases of the previous check. An overlap in only one check may be a split under way. */
  private seen: readonly Lease[] = []
  /** The reported overlaps, by the tokens of both leases. */
  private reported: ReadonlySet<string> = new Set()

  constructor(private readonly runtime: Runtime) {
    // The first check is not due at the start, because the leases are complete then.
    this.lookedAtMs = runtime.clock.monotonic()
  }

  /** Remembers the leases of a listing. */
  note(leases: readonly Lease[]): void {
    this.listed = leases
    this.known = [...leases, ...this.known.filter(({ feedRange }) => !isCovered(feedRange, leases))]
  }

  /** Returns whether a check is due. The listing before the check then also serves the check. */
  isDue(): boolean {
    const { clock, options } = this.runtime
    return clock.monotonic() - this.lookedAtMs >= lookEveryExpirations * options.leaseExpirationIntervalMs
  }

  /** Checks the coverage if a check is due. */
  async look(): Promise<void> {
    const { listed } = this
    this.listed = null
    if (!this.isDue()) return
    this.lookedAtMs = this.runtime.clock.monotonic()
    const found = await this.compared(listed)
    const earlier = this.seen
    this.seen = found.leases
    if (found.missing.length > 0) await this.putBack(found.missing)
    const repairs = planOverlapRepairs(found.leases, earlier)
    for (const repair of repairs) await this.replace(repair, found.physicalRanges)
    this.report(
      found.leases.filter((lease) => !repairs.some(({ goes }) => goes === lease)),
      new Set(earlier.map(({ leaseToken }) => leaseToken)),
    )
  }

  private async compared(listed: readonly Lease[] | null = null): Promise<Found> {
    const { leaseStore, feed, options } = this.runtime
    const [physicalRanges, leases] = await Promise.all([
      feed.physicalRanges(),
      listed ?? leaseStore.list().then((listing) => listing.leases),
    ])
    return {
      physicalRanges,
      leases,
      missing: planLeases(physicalRanges, leases, options.leasesPerFeedRange),
    }
  }

  /**
   * Creates the leases that are missing in two listings. A single listing may show neither the parent nor the
   * children of a split (I11, F-L23).
   */
  private async putBack(missing: readonly PlannedLease[]): Promise<void> {
    const { leaseStore, telemetry, notifications } = this.runtime
    const again = await this.compared()
    const stillMissing = new Set(again.missing.map(({ leaseToken }) => leaseToken))
    const doneAtMs = await leaseStore.initialization.doneAtMs()
    for (const planned of missing) {
      if (!stillMissing.has(planned.leaseToken)) continue
      const lease = this.asKnown(planned) ?? (await positioned(planned, doneAtMs, this.runtime))
      if (lease === null || (await leaseStore.create(lease)).kind !== 'created') continue
      telemetry.emit({ type: 'lease.recreated', ...notifications.on(lease.leaseToken) })
    }
  }

  /**
   * Returns the planned lease, at the position of the lease that last covered its range. That lease was the
   * missing lease itself or its parent. The missing lease may have moved further ahead since then. Changes
   * are then delivered again, but none is left out (I10).
   */
  private asKnown(planned: PlannedLease): NewLease | null {
    const [latest] = this.known
      .filter((lease) => hasPosition(lease) && isCovered(planned.feedRange, [lease]))
      .sort((left, right) => right.storedAtMs - left.storedAtMs)
    if (latest === undefined) return null
    const { continuationToken, firstPosition, mode } = latest
    return { ...planned, continuationToken, firstPosition, mode }
  }

  /**
   * Replaces a lease in the same way as a split. The children are created first, and then the lease is
   * deleted if its etag is unchanged (I12). The lease's owner notices the deletion at its next write. Until
   * then the changes are still delivered twice.
   */
  private async replace(
    { goes, rest, by }: OverlapRepair,
    physicalRanges: readonly PhysicalRange[],
  ): Promise<void> {
    const { leaseStore, options, telemetry, notifications } = this.runtime
    const start = startOf(goes, options.startFrom)
    const parts = rest.map((feedRange) => ({ feedRange, start }))
    const children = childLeases(goes, parts, physicalRanges)
    for (const child of children) {
      // Another instance is making the same repair. The next check shows the position of the lease that it
      // created (I10).
      if ((await leaseStore.create(child)).kind !== 'created') return
    }
    if ((await leaseStore.delete(goes)).kind !== 'deleted') return
    const tokens = [...by, ...children].map(({ leaseToken }) => leaseToken)
    telemetry.emit({ type: 'lease.superseded', ...notifications.on(goes.leaseToken), by: tokens })
  }

  /** Reports an overlap if both leases already existed at the previous check. */
  private report(leases: readonly Lease[], earlier: ReadonlySet<string>): void {
    const { doubled } = findOverlaps(leases.filter(({ leaseToken }) => earlier.has(leaseToken)))
    const told = new Set<string>()
    for (const [one, other] of doubled) {
      const tokens = JSON.stringify([one.leaseToken, other.leaseToken])
      told.add(tokens)
      if (this.reported.has(tokens)) continue
      const { stays, goes } = staying(one, other)
      const remedy = canMeet(one, other)
        ? `${JSON.stringify(goes.leaseToken)} is replaced when it has reached the position of ` +
          JSON.stringify(stays.leaseToken)
        : 'stop all instances and delete one of the two leases; `stepward doctor` says which one'
      const what = `leases ${tokens} overlap, so the changes that they share are delivered twice`
      this.runtime.notifications.failed(goes.leaseToken, new FeedError(what, new Error(remedy)))
    }
    this.reported = told
  }
}

function hasPosition({ continuationToken, firstPosition }: Lease): boolean {
  return continuationToken !== null || firstPosition !== null
}
