import type { FeedRange, Lease } from '../../../lease-store/index.js'
import { canMeet, findOverlaps, planLeases, staying } from '../../../lease-store/internal.js'
import type { Inspection } from './cosmos-inspection.js'
import { hint, problem, type UnitFinding } from './finding.js'
import type { UnitDocuments } from './units.js'

/**
 * Finds the parts of the feed that no lease covers, and the parts that two leases cover. A lease that a
 * processor refuses to use does not count, so its range is a gap.
 */
export function coverageFindings(
  { leases }: UnitDocuments,
  { physicalRanges, storeTimeMs }: Pick<Inspection, 'physicalRanges' | 'storeTimeMs'>,
  leaseExpirationIntervalMs: number,
): UnitFinding[] {
  if (physicalRanges === null || leases.length === 0) return []
  const gaps = planLeases(physicalRanges, leases).map(({ feedRange }) =>
    problem(
      'gap',
      `no lease covers ${text(feedRange)}: its changes are not delivered`,
      'wait for five expiration intervals: an instance of this library creates the lease again at its ' +
        'last known position; start an instance if none runs',
    ),
  )
  const isAtWork = (lease: Lease): boolean =>
    storeTimeMs !== null && storeTimeMs - lease.storedAtMs <= leaseExpirationIntervalMs
  return [...gaps, ...overlapFindings(leases, isAtWork)]
}

/** Reports leases that overlap because others are replacing them, and leases that overlap by mistake. */
function overlapFindings(leases: readonly Lease[], isAtWork: (lease: Lease) => boolean): UnitFinding[] {
  const { replaced, doubled } = findOverlaps(leases)
  const unfinished = replaced.map(({ lease, by }) => {
    const report = isAtWork(lease) ? hint : problem
    return report(
      'unfinishedSplit',
      `lease ${JSON.stringify(lease.leaseToken)} still exists beside the ${by.length} leases that replace it`,
      'an instance of this library removes this lease within ten expiration intervals: check again then, ' +
        'and start an instance if none runs',
    )
  })
  const twice = doubled.map(([one, other]) =>
    problem(
      'overlap',
      `leases ${JSON.stringify(one.leaseToken)} ${text(one.feedRange)} and ` +
        `${JSON.stringify(other.leaseToken)} ` +
        `${text(other.feedRange)} overlap: changes in both are delivered twice, and not in order`,
      overlapAdvice(one, other),
    ),
  )
  return [...unfinished, ...twice]
}

/**
 * Returns advice for an overlap. If no instance can repair the overlap, only the lease further ahead may be
 * deleted by hand, and only if the other lease covers its range. Any other deletion would lose changes.
 */
function overlapAdvice(one: Lease, other: Lease): string {
  const { stays, goes } = staying(one, other)
  if (canMeet(one, other))
    return (
      'wait for ten expiration intervals: an instance of this library replaces lease ' +
      `${JSON.stringify(goes.leaseToken)} when ${JSON.stringify(goes.leaseToken)} has reached the position of ` +
      `lease ${JSON.stringify(stays.leaseToken)}; start an instance if none runs`
    )
  return (
    'stop all instances and delete the lease that is further ahead, if the other one covers its ' +
    'range; the next start creates leases for any part that is left uncovered'
  )
}

function text({ min, max }: FeedRange): string {
  return `[${min}, ${max})`
}
