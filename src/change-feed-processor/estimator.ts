import { cosmosErrorKind, type FeedRange, type Lease } from '../../lease-store/index.js'
import type { Telemetry } from '../telemetry/index.js'
import type { Change, ChangeFeed, ChangePage, FeedStart, VersionChange } from './feed/change-feed.js'
import { openPorts, type LeaseContainer, type MonitoredContainer } from './feed/cosmos-ports.js'
import { assertFitting } from './options/option-kinds.js'
import { startOf } from './feed/start-position.js'

/** Whose backlog to estimate. The processor need not run, and may be one of .NET. */
export interface ChangeFeedEstimatorOptions {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  /** Hears of every estimate as `lag.estimated`. Default: nobody. */
  readonly telemetry?: Telemetry
}

/** What waits behind one lease. */
export interface LeaseEstimate {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** The instance name of who reads it, or null when nobody does. */
  readonly owner: string | null
  /**
   * An upper bound of the transactions not yet checkpointed, computed as .NET computes it. 1 means that there may be any
   * number: nothing was checkpointed yet, or the range was split or merged meanwhile.
   */
  readonly estimatedLag: number
  /** Age by the store's clock of the oldest change not yet checkpointed, to the second; null when none waits. */
  readonly oldestAgeMs: number | null
  /** Request units that the estimate took. */
  readonly requestCharge: number
}

/** What an estimate takes from a change, of either feed. */
type Waiting = Pick<Change, '_lsn' | '_ts'>

/** What is said of a lease about whose backlog nothing but its existence is known. */
const unknownLag = 1

/** Leases looked at side by side. */
const atOnce = 25

/**
 * Estimates how far a deployment unit is behind, from the outside: one request for one change for each lease. Writes
 * nothing and takes no lease.
 */
export class ChangeFeedEstimator {
  constructor(private readonly options: ChangeFeedEstimatorOptions) {}

  /**
   * Every lease of the unit; none before its first instance has started. Rejects when a container is missing, a lease
   * is refused (one of Java's, of an unknown version or mode), or the store does not answer; with
   * {@link import('./feed/errors.js').ProcessorOptionsError} when an option is missing or of another type.
   */
  async *leases(): AsyncGenerator<LeaseEstimate, void, undefined> {
    assertFitting(this.options, ['monitoredContainer', 'leaseContainer', 'processorName'])
    const { telemetry, processorName } = this.options
    const { feed, leaseStore } = await openPorts({ ...this.options, onCharge: () => undefined })
    const { leases, storeTimeMs } = await leaseStore.list()
    for (let first = 0; first < leases.length; first += atOnce) {
      const some = leases.slice(first, first + atOnce)
      const estimates = await Promise.all(some.map((lease) => estimateOf(feed, lease, storeTimeMs)))
      for (const estimate of estimates) {
        const { leaseToken, estimatedLag, oldestAgeMs } = estimate
        telemetry?.emit({ type: 'lag.estimated', processorName, leaseToken, estimatedLag, oldestAgeMs })
        yield estimate
      }
    }
  }

  /** The lag of all leases together; 0 when there are none. */
  async total(): Promise<number> {
    let total = 0
    for await (const { estimatedLag } of this.leases()) total += estimatedLag
    return total
  }
}

async function estimateOf(feed: ChangeFeed, lease: Lease, listedAtMs: number | null): Promise<LeaseEstimate> {
  const { leaseToken, feedRange, owner } = lease
  const known = { leaseToken, feedRange, owner }
  const unknown = { ...known, estimatedLag: unknownLag, oldestAgeMs: null, requestCharge: 0 }
  const start = startOf(lease, 'now')
  // Where it will begin is decided by whoever reads it first.
  if (start.kind === 'now') return unknown
  const page = await firstChange(feed, lease, start)
  if (page === null) return unknown
  const hasPosition = start.kind === 'continuation'
  const oldestAgeMs = ageOf(page, listedAtMs)
  return {
    ...known,
    estimatedLag: hasPosition ? lagOf(page) : unknownLag,
    oldestAgeMs,
    requestCharge: page.charge,
  }
}

/** A page of one change; null when the range is no longer that of one physical partition (F-P10). */
async function firstChange(
  feed: ChangeFeed,
  { feedRange, mode }: Lease,
  start: FeedStart,
): Promise<ChangePage<Waiting> | null> {
  const from = { feedRange, start }
  const one = { maxItemCount: 1, signal: new AbortController().signal }
  try {
    // The feed of latest versions knows no deletes, and of a document written twice only the second time.
    const page =
      mode === 'Full-Fidelity Feed'
        ? withoutVersions(await feed.readAllVersions(from, one))
        : await feed.readNext(from, one)
    return page.next.length > 1 ? null : page
  } catch (error) {
    if (cosmosErrorKind(error).kind === 'gone') return null
    throw error
  }
}

function withoutVersions(page: ChangePage<VersionChange>): ChangePage<Waiting> {
  return { ...page, changes: page.changes.map(({ metadata: { lsn, crts } }) => ({ _lsn: lsn, _ts: crts })) }
}

/** How many transactions lie between a lease's position, from which `page` was read, and the end of its range. */
export function lagOf({
  changes,
  sessionToken,
}: Pick<ChangePage<Pick<Change, '_lsn'>>, 'changes' | 'sessionToken'>): number {
  const reachedLsn = sessionLsn(sessionToken ?? '')
  if (reachedLsn === null) return unknownLag
  const [first] = changes
  const checkpointedLsn = first === undefined ? reachedLsn : first._lsn - 1
  return checkpointedLsn < 0 ? unknownLag : Math.max(0, reachedLsn - checkpointedLsn)
}

/** `0:12345`, or `0:-1#12345#1=7` with a version before it and regions behind it: the LSN the replica has reached. */
function sessionLsn(sessionToken: string): number | null {
  const [version, lsn = version] = (sessionToken.split(':')[1] ?? '').split('#')
  return lsn !== undefined && /^-?\d+$/.test(lsn) ? Number(lsn) : null
}

function ageOf({ changes, headers }: ChangePage<Waiting>, listedAtMs: number | null): number | null {
  const [oldest] = changes
  const toldMs = Date.parse(headers['date'] ?? '')
  const storeTimeMs = Number.isNaN(toldMs) ? listedAtMs : toldMs
  if (oldest === undefined || storeTimeMs === null) return null
  return Math.max(0, storeTimeMs - oldest._ts * 1_000)
}
