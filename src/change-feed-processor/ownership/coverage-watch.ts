import {
  canMeet,
  findOverlaps,
  isCovered,
  planLeases,
  planOverlapRepairs,
  staying,
  type Lease,
  type NewLease,
  type OverlapRepair,
  type PlannedLease,
} from '../../../lease-store/index.js'
import { FeedError } from '../feed/errors.js'
import type { PhysicalRange } from '../feed/change-feed.js'
import { positioned } from './planned-lease.js'
import type { Runtime } from '../runtime/runtime.js'
import { childLeases } from './split.js'
import { startOf } from '../feed/start-position.js'

/** Between two looks, in expiration intervals. */
const lookEveryExpirations = 5

/** What a look has found. */
interface Found {
  readonly physicalRanges: readonly PhysicalRange[]
  readonly leases: readonly Lease[]
  /** What the feed's ranges need beside them. */
  readonly missing: readonly PlannedLease[]
}

/**
 * Watches over what the leases cover, for as long as a processor runs: puts back what somebody has deleted, at the last
 * position it was seen at, and where several are about the same part of the feed, replaces the wider by the finer. Tells
 * of those that cannot be replaced yet.
 */
export class CoverageWatch {
  private lookedAtMs: number
  /** The leases of the last listing, and those of earlier ones that are missing since. */
  private known: readonly Lease[] = []
  /** Those of the look before: what overlaps in one look only may be a split under way. */
  private seen: readonly Lease[] = []
  /** By the tokens of both, the overlaps that were told of. */
  private reported: ReadonlySet<string> = new Set()

  constructor(private readonly runtime: Runtime) {
    // They were complete at start.
    this.lookedAtMs = runtime.clock.monotonic()
  }

  /** Remembers the leases as they were just listed. */
  note(leases: readonly Lease[]): void {
    this.known = [...leases, ...this.known.filter(({ feedRange }) => !isCovered(feedRange, leases))]
  }

  /** Does nothing most of the time: it costs three queries. */
  async look(): Promise<void> {
    const { clock, options } = this.runtime
    if (clock.monotonic() - this.lookedAtMs < lookEveryExpirations * options.leaseExpirationIntervalMs) return
    this.lookedAtMs = clock.monotonic()
    const found = await this.compared()
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

  private async compared(): Promise<Found> {
    const { leaseStore, feed, options } = this.runtime
    const [physicalRanges, { leases }] = await Promise.all([feed.physicalRanges(), leaseStore.list()])
    return {
      physicalRanges,
      leases,
      missing: planLeases(physicalRanges, leases, options.leasesPerFeedRange),
    }
  }

  /**
   * Only what is missing twice (I11, F-L23): a listing is no snapshot, and may have missed the children of a split as
   * well as their parent.
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
   * At the position of the lease that was last seen to cover the range, it or its parent. Whoever had that may have been
   * further: changes come again, none is left out (I10).
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
   * As in a split: children first, then the lease they replace, on the etag it was seen with (I12). Whoever reads it learns
   * that with its next write; what it delivers until then comes twice, as it did before.
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
      // Somebody else is at it, and perhaps further: the next look shows where that one stands (I10).
      if ((await leaseStore.create(child)).kind !== 'created') return
    }
    if ((await leaseStore.delete(goes)).kind !== 'deleted') return
    const tokens = [...by, ...children].map(({ leaseToken }) => leaseToken)
    telemetry.emit({ type: 'lease.superseded', ...notifications.on(goes.leaseToken), by: tokens })
  }

  /** Of those that were there at the look before. */
  private report(leases: readonly Lease[], earlier: ReadonlySet<string>): void {
    const { doubled } = findOverlaps(leases.filter(({ leaseToken }) => earlier.has(leaseToken)))
    const told = new Set<string>()
    for (const [one, other] of doubled) {
      const tokens = JSON.stringify([one.leaseToken, other.leaseToken])
      told.add(tokens)
      if (this.reported.has(tokens)) continue
      const { stays, goes } = staying(one, other)
      const remedy = canMeet(one, other)
        ? `${JSON.stringify(goes.leaseToken)} is replaced when it has come as far as ${JSON.stringify(stays.leaseToken)}`
        : 'stop all instances and delete one of the two; `stepward doctor` says which'
      const what = `leases ${tokens} are about the same part of the feed, whose changes are delivered twice`
      this.runtime.notifications.failed(goes.leaseToken, new FeedError(what, new Error(remedy)))
    }
    this.reported = told
  }
}

function hasPosition({ continuationToken, firstPosition }: Lease): boolean {
  return continuationToken !== null || firstPosition !== null
}
