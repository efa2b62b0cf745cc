import type { FeedRange, Lease } from '../../lease-store/index.js'
import { cosmosErrorKind } from '../../lease-store/internal.js'
import { checkedOptions, having, optional } from '../platform/options.js'
import type { Telemetry } from '../telemetry/index.js'
import type { Change, ChangeFeed, ChangePage, FeedStart, VersionChange } from './feed/change-feed.js'
import { openPorts, type LeaseContainer, type MonitoredContainer } from './feed/cosmos-ports.js'
import { ProcessorOptionsError } from './feed/errors.js'
import { portShape } from './options/port-options.js'
import { startOf } from './feed/start-position.js'

/** The deployment unit whose backlog to estimate. The unit may be stopped, or consist of .NET hosts. */
export interface ChangeFeedEstimatorOptions {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  /** Receives each estimate as `lag.estimated`. Default: none. */
  readonly telemetry?: Telemetry
}

const shape = { ...portShape, telemetry: optional(having<Telemetry>('a Telemetry sink', 'emit')) }

/** The estimated backlog of one lease. */
export interface LeaseEstimate {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** The name of the instance that reads the lease, or null if there is none. */
  readonly owner: string | null
  /**
   * An upper bound for the number of transactions not yet checkpointed, computed as in .NET. The value 1
   * means that the number is unknown, because no checkpoint exists yet, or because the range has been split
   * or merged.
   */
  readonly estimatedLag: number
  /**
   * The age of the oldest change not checkpointed, by the store's clock. Null if no change waits, or if the
   * age is unknown.
   */
  readonly oldestAgeMs: number | null
  /** The request units that the estimate used. */
  readonly requestCharge: number
}

/** The fields of a change that an estimate needs, for either feed. */
type Waiting = Pick<Change, '_lsn' | '_ts'>

/** The lag reported for a lease whose backlog is unknown. */
const unknownLag = 1

/** The number of leases that are estimated at the same time. */
const atOnce = 25

/**
 * Estimates from outside how far a deployment unit is behind. Reads one change for each lease. Writes nothing
 * and takes no lease.
 */
export class ChangeFeedEstimator {
  constructor(private readonly options: ChangeFeedEstimatorOptions) {}

  /**
   * Returns an estimate of every lease of the unit. Before the first instance has started, there are no
   * leases. Rejects if a container is missing, a lease is refused, or the store does not answer. Leases of
   * Java hosts and leases of an unknown version or mode are refused. Rejects with
   * {@link import('./feed/errors.js').ProcessorOptionsError} if an option is missing or has the wrong type.
   */
  async *leases(): AsyncGenerator<LeaseEstimate, void, undefined> {
    const options = checkedOptions(shape, this.options, (problems) => new ProcessorOptionsError(problems))
    const { telemetry, processorName } = options
    const { feed, leaseStore } = await openPorts({ ...options, onCharge: () => undefined })
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

  /** Returns the sum of all lags, or 0 without leases. Rejects in the same cases as {@link leases}. */
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
  // No position is known yet: the first instance that reads the lease chooses it.
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

/** Returns a page of one change, or null if the range is no longer in one physical partition (F-P10). */
async function firstChange(
  feed: ChangeFeed,
  { feedRange, mode }: Lease,
  start: FeedStart,
): Promise<ChangePage<Waiting> | null> {
  const from = { feedRange, start }
  const one = { maxItemCount: 1, signal: new AbortController().signal }
  try {
    // For a lease of all versions, the feed of latest versions would omit deletes and earlier writes.
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

/** Returns the number of transactions between the start of `page` and the end of the range. */
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

/**
 * Returns the LSN that the replica has reached. A session token is like `0:12345` or `0:-1#12345#1=7`. In the
 * second form, the version precedes the LSN, and the regions follow the LSN.
 */
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
