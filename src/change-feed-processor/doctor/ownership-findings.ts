import { expired, type Lease } from '../../../lease-store/index.js'
import { counted } from '../../platform/internal.js'
import { offset, seconds, toleratedSkewMs } from './durations.js'
import { hint, problem, type UnitFinding } from './finding.js'
import type { UnitDocuments } from './units.js'

/** Finds leases without a living owner, names that several processes use, and clocks that are wrong. */
export function ownershipFindings(
  { leases }: UnitDocuments,
  storeTimeMs: number | null,
  leaseExpirationIntervalMs: number,
): UnitFinding[] {
  if (leases.length === 0) return []
  if (storeTimeMs === null) return nameFindings(leases)
  const silent = expired(leases, storeTimeMs, leaseExpirationIntervalMs)
  const alive = leases.filter(({ owner, leaseToken }) => owner !== null && !silent.has(leaseToken))
  if (silent.size === 0 && alive.length === 0)
    return [
      hint(
        'notRunning',
        `no instance runs: ${counted(leases.length, 'lease is', 'leases are')} free`,
        'start an instance: it continues from the stored positions',
      ),
    ]
  return [
    ...staleFindings(leases, silent, { storeTimeMs, livingCount: alive.length }),
    ...freeFindings(leases, alive, { storeTimeMs, leaseExpirationIntervalMs }),
    ...nameFindings(alive),
    ...skewFindings(alive),
  ]
}

function staleFindings(
  leases: readonly Lease[],
  silent: ReadonlySet<string>,
  { storeTimeMs, livingCount }: { readonly storeTimeMs: number; readonly livingCount: number },
): UnitFinding[] {
  const stale = leases.filter(({ leaseToken }) => silent.has(leaseToken))
  return [...groupedBy(stale, ({ owner }) => owner ?? '')].map(([owner, own]) => {
    const oldestMs = storeTimeMs - Math.min(...own.map(({ storedAtMs }) => storedAtMs))
    const advice =
      livingCount === 0
        ? 'an instance that stands by takes these leases over within its acquire interval; if there is none, start one'
        : 'the running instances should have taken these leases: check their errors, and maxLeases'
    return problem(
      'staleOwner',
      `${JSON.stringify(owner)} holds ${tokens(own)} and has shown no sign of life for ${seconds(oldestMs)}`,
      advice,
    )
  })
}

/** Finds leases that have been free for longer than a living instance should need to take them. */
function freeFindings(
  leases: readonly Lease[],
  alive: readonly Lease[],
  times: { readonly storeTimeMs: number; readonly leaseExpirationIntervalMs: number },
): UnitFinding[] {
  // Instances look for leases more often than every half expiration interval.
  const longMs = times.leaseExpirationIntervalMs / 2
  const sinceMs = times.storeTimeMs - longMs
  const left = leases.filter(({ owner, storedAtMs }) => owner === null && storedAtMs < sinceMs)
  if (left.length === 0 || alive.length === 0) return []
  return [
    problem(
      'leftFree',
      `${tokens(left)} ${left.length === 1 ? 'has' : 'have'} been free for more than ` +
        `${seconds(longMs)} although ` +
        'instances are running',
      'check the errors of the instances, and maxLeases',
    ),
  ]
}

/** Finds instance names that several processes use. As in .NET, the case of the names does not matter. */
function nameFindings(alive: readonly Lease[]): UnitFinding[] {
  const advice = 'give every process a name of its own, for example with its process id in it'
  const named = alive.filter(({ owner }) => owner !== null)
  return [...groupedBy(named, ({ owner }) => owner?.toLowerCase() ?? '').values()].flatMap((own) => {
    const lives = new Set(own.flatMap(({ incarnation }) => incarnation ?? []))
    const names = new Set(own.map(({ owner }) => owner))
    if (lives.size < 2 && names.size < 2) return []
    const which = [...names].map((name) => JSON.stringify(name)).join(' and ')
    return [
      problem(
        'instanceNameTwice',
        `several processes hold leases as ${which}; this is also reported for a moment after a restart`,
        advice,
      ),
    ]
  })
}

function skewFindings(alive: readonly Lease[]): UnitFinding[] {
  return [...groupedBy(alive, ({ owner }) => owner ?? '')].flatMap(([owner, own]) => {
    const skews = own.flatMap(({ timestampMs, storedAtMs }) =>
      timestampMs === null ? [] : [timestampMs - storedAtMs],
    )
    const worstMs = skews.reduce((worst, skew) => (Math.abs(skew) > Math.abs(worst) ? skew : worst), 0)
    if (Math.abs(worstMs) <= toleratedSkewMs) return []
    return [
      problem(
        'clockSkew',
        `the clock of ${JSON.stringify(owner)} is ${offset(worstMs)} the store's`,
        'synchronise that clock (NTP): .NET hosts would take the leases of that instance too early or ' +
          'too late',
      ),
    ]
  })
}

function groupedBy(leases: readonly Lease[], key: (lease: Lease) => string): Map<string, Lease[]> {
  const groups = new Map<string, Lease[]>()
  for (const lease of leases) groups.set(key(lease), [...(groups.get(key(lease)) ?? []), lease])
  return groups
}

/** Lists only the first tokens, so that the text stays short even if there are a thousand leases. */
function tokens(leases: readonly Lease[]): string {
  const shown = leases.slice(0, 5).map(({ leaseToken }) => JSON.stringify(leaseToken))
  const more = leases.length > shown.length ? ` and ${leases.length - shown.length} more` : ''
  return `${leases.length === 1 ? 'lease' : 'leases'} ${shown.join(', ')}${more}`
}
