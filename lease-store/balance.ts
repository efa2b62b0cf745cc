import type { Lease, LeaseOwner } from './lease.js'
import { isOwnedBy } from './transitions.js'

/** How many leases one instance may hold. */
export interface LeaseLimits {
  /** Wanted even if others then have fewer than their share; null for no such wish. Wins over `maxLeases`. */
  readonly minLeases: number | null
  /** Never more than these; null for no limit. */
  readonly maxLeases: number | null
}

/** What an instance knows when it decides which leases to take. */
export interface Balance {
  readonly self: LeaseOwner
  readonly leases: readonly Lease[]
  /** Tokens of owned leases whose owner is silent. */
  readonly expired: ReadonlySet<string>
  readonly limits: LeaseLimits
  /** A number in [0, 1): instances that decide at the same time should choose differently. */
  readonly random: () => number
}

/** What to do about it. */
export interface Selection {
  readonly take: readonly Lease[]
}

/**
 * Which leases to take now. The share of each instance is the number of leases divided by the number of instances that
 * live (own something unexpired, or are this one), rounded up. Up to that share, free and expired leases are taken, as
 * many as are missing at once. Only if there are none, one lease is taken from a living owner, and only from the
 * one with most, if it has more than its share; a newcomer that misses two or more may also bring an owner one
 * below it, since else rounding up could leave the newcomer with nothing. The rules and their numbers are .NET's,
 * so that a mixed deployment unit comes to rest.
 */
export function selectLeases({ self, leases, expired, limits, random }: Balance): Selection {
  const isAvailable = (lease: Lease): boolean => lease.owner === null || expired.has(lease.leaseToken)
  const available = leases.filter(isAvailable)
  const own = leases.filter((lease) => !isAvailable(lease) && isOwnedBy(lease, self))
  const others = byOwner(leases.filter((lease) => !isAvailable(lease) && !isOwnedBy(lease, self)))
  const share = shareOf(leases.length, others.length + 1, limits)
  const missing = share - own.length
  if (missing <= 0) return { take: [] }
  if (available.length > 0) return { take: shuffled(available, random).slice(0, missing) }
  const slack = missing > 1 ? 1 : 0
  const most = Math.max(0, ...others.map((owned) => owned.length))
  if (most <= share - slack) return { take: [] }
  const fullest = others.filter((owned) => owned.length === most)
  return { take: anyOne(fullest, random).flatMap((owned) => anyOne(owned, random)) }
}

function shareOf(leaseCount: number, instanceCount: number, limits: LeaseLimits): number {
  if (leaseCount === 0) return 0
  const equal = Math.ceil(leaseCount / instanceCount)
  const capped = Math.min(equal, limits.maxLeases ?? equal)
  return Math.max(capped, limits.minLeases ?? capped)
}

/** The leases of each life of each instance: two processes of one name are two owners. */
function byOwner(leases: readonly Lease[]): readonly (readonly Lease[])[] {
  const owners = new Map<string, Lease[]>()
  for (const lease of leases) {
    const key = JSON.stringify([lease.owner, lease.incarnation])
    const owned = owners.get(key)
    if (owned === undefined) owners.set(key, [lease])
    else owned.push(lease)
  }
  return [...owners.values()]
}

function anyOne<T>(items: readonly T[], random: () => number): T[] {
  return shuffled(items, random).slice(0, 1)
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item)
}
