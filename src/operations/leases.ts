import { ChangeFeedEstimator, type LeaseEstimate } from '../change-feed-processor/index.js'
import { expired } from '../../lease-store/index.js'
import { type StandingWork, standingIn } from './standing-work.js'
import { type NamedUnit, type UnitSelection, expirationOf, looking, readableUnits } from './unit-selection.js'

/** A lease as people look at it. */
export interface LeaseRow {
  readonly processorName: string
  readonly leaseToken: string
  readonly owner: string | null
  /** Whether the owner has not renewed it for the expiration interval. */
  readonly isExpired: boolean
  readonly continuationToken: string | null
  /** ISO-8601 UTC: the owner's last write, by the store's clock. */
  readonly renewedAt: string
  /** How long ago that was, by the store's clock; null if the store's time is unknown. */
  readonly ageMs: number | null
  /**
   * Why this library does not read the lease: the Java SDK wrote it, or it is refused. Null if it is read.
   */
  readonly notRead: 'Java SDK' | 'refused' | null
}

/** The leases of a deployment unit whose lag cannot be estimated, and the reason. */
export interface NotEstimated {
  readonly processorName: string
  readonly leases: number
  readonly reason: string
}

/** How far behind deployment units are. */
export interface Lag {
  readonly leases: readonly EstimateRow[]
  /** Leases that are not included in `leases`. */
  readonly notEstimated: readonly NotEstimated[]
  /** Jobs that stand still because a role does not run; null if there are none. */
  readonly standing: StandingWork | null
}

/** How far a lease is behind, and of which deployment unit it is. */
export type EstimateRow = { readonly processorName: string } & LeaseEstimate

/**
 * The leases of deployment units, by processor name and range.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each saying what to do
 */
export function listLeases(selection: UnitSelection): Promise<readonly LeaseRow[]> {
  return looking(selection, async ({ inspection }) =>
    readableUnits(inspection, selection).flatMap((unit) =>
      rowsOf(unit, inspection.storeTimeMs, expirationOf(selection)),
    ),
  )
}

/**
 * How far each lease of deployment units is behind.
 *
 * @throws UnitNotFound, StoreUnavailable or StoreRefused, each saying what to do
 */
export function estimateLag(selection: UnitSelection): Promise<Lag> {
  return looking(selection, async ({ inspection, containers }) => {
    const units = readableUnits(inspection, selection)
    const leases: EstimateRow[] = []
    for (const { processorName, refused, isJavas } of units) {
      if (isJavas || refused.length > 0) continue
      const estimator = new ChangeFeedEstimator({ ...containers, processorName })
      for await (const estimate of estimator.leases()) leases.push({ processorName, ...estimate })
    }
    const standing = await standingIn({ inspection, containers }, selection)
    return { leases, notEstimated: units.flatMap(notEstimated), standing }
  })
}

/** The leases of a unit that its estimator cannot read. It reads all leases of a unit or none. */
function notEstimated({ processorName, leases, refused, isJavas }: NamedUnit): NotEstimated[] {
  const [first] = refused
  if (first === undefined) return []
  const reason = isJavas ? 'the Java SDK wrote them, and only the tools of that SDK read them' : first.reason
  return [{ processorName, leases: leases.length + refused.length, reason }]
}

function rowsOf(
  { processorName, leases, refused }: NamedUnit,
  storeTimeMs: number | null,
  expirationMs: number,
): LeaseRow[] {
  const silent = storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationMs)
  const written = (storedAtMs: number): Pick<LeaseRow, 'renewedAt' | 'ageMs'> => ({
    renewedAt: new Date(storedAtMs).toISOString(),
    ageMs: storeTimeMs === null ? null : Math.max(0, storeTimeMs - storedAtMs),
  })
  const read = leases.map(({ leaseToken, owner, continuationToken, storedAtMs }) => ({
    processorName,
    leaseToken,
    owner,
    isExpired: silent.has(leaseToken),
    continuationToken,
    ...written(storedAtMs),
    notRead: null,
  }))
  const notRead = refused.map(({ rule, document }) => ({
    processorName,
    leaseToken: String(document['PartitionId'] ?? document['LeaseToken']),
    owner: typeof document['Owner'] === 'string' ? document['Owner'] : null,
    isExpired: false,
    continuationToken: null,
    ...written(Number(document['_ts']) * 1_000),
    notRead: rule === 'javaLease' ? ('Java SDK' as const) : ('refused' as const),
  }))
  return [...read, ...notRead]
}
