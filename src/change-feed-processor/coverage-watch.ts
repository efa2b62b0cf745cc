import {
  findOverlaps,
  isCovered,
  planLeases,
  type Lease,
  type NewLease,
  type Overlaps,
  type PlannedLease,
} from '../../lease-store/index.js'
import { FeedError } from './errors.js'
import { positioned } from './planned-lease.js'
import type { Runtime } from './runtime.js'

/** Between two looks, in expiration intervals. */
const lookEveryExpirations = 5

/** In how many looks in a row an overlap is seen before it is believed: a split under way looks like one. */
const looksToBelieve = 2

/**
 * Watches over what the leases cover, for as long as a processor runs: puts back what somebody has deleted, at the last
 * position it was seen at, and tells of parts of the feed that two leases are about. Those it leaves alone: which of
 * the two is right, nobody but their maker can say.
 */
export class CoverageWatch {
  private lookedAtMs: number
  /** The leases of the last listing, and those of earlier ones that are missing since. */
  private known: readonly Lease[] = []
  /** By the tokens of two leases that overlap, in how many looks in a row they did. */
  private overlaps: ReadonlyMap<string, number> = new Map()

  constructor(private readonly runtime: Runtime) {
    // They were complete at start.
    this.lookedAtMs = runtime.clock.monotonic()
  }

  /** Remembers the leases as they were just listed. */
  note(leases: readonly Lease[]): void {
    const tokens = new Set(leases.map(({ leaseToken }) => leaseToken))
    const gone = this.known.filter(({ leaseToken }) => !tokens.has(leaseToken))
    this.known = [...leases, ...gone.filter(({ feedRange }) => !isCovered(feedRange, leases))]
  }

  /** Does nothing most of the time: it costs three queries. */
  async look(): Promise<void> {
    const { clock, options } = this.runtime
    if (clock.monotonic() - this.lookedAtMs < lookEveryExpirations * options.leaseExpirationIntervalMs) return
    this.lookedAtMs = clock.monotonic()
    const { leases, missing } = await this.compared()
    this.report(findOverlaps(leases))
    if (missing.length > 0) await this.putBack(missing)
  }

  /** The leases there are, and those that the feed's ranges need beside them. */
  private async compared(): Promise<{ leases: readonly Lease[]; missing: readonly PlannedLease[] }> {
    const { leaseStore, feed, options } = this.runtime
    const [physicalRanges, { leases }] = await Promise.all([feed.physicalRanges(), leaseStore.list()])
    return { leases, missing: planLeases(physicalRanges, leases, options.leasesPerFeedRange) }
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

  private report({ doubled }: Overlaps): void {
    const seen = new Map<string, number>()
    for (const [one, other] of doubled) {
      const tokens = JSON.stringify([one.leaseToken, other.leaseToken])
      const looks = (this.overlaps.get(tokens) ?? 0) + 1
      seen.set(tokens, looks)
      if (looks !== looksToBelieve) continue
      const remedy = new Error('stop all instances and delete one of the two; `stepward doctor` says which')
      const what = `leases ${tokens} are about the same part of the feed, whose changes are delivered twice`
      this.runtime.notifications.failed(one.leaseToken, new FeedError(what, remedy))
    }
    this.overlaps = seen
  }
}

function hasPosition({ continuationToken, firstPosition }: Lease): boolean {
  return continuationToken !== null || firstPosition !== null
}
