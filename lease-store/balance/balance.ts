import type { Lease, LeaseOwner } from '../lease/lease.js'
import { isOwnedBy } from '../lease/transitions.js'

/** How many leases one instance may hold. */
export interface LeaseLimits {
  /**
   * The instance takes at least this many, even if others then have fewer than their share. Null for no
   * minimum. Wins over `maxLeases`.
   */
  readonly minLeases: number | null
  /** The instance never takes more than this many. Null for no limit. */
  readonly maxLeases: number | null
}

/** The facts by which an instance decides which leases to take. */
export interface Balance {
  readonly self: LeaseOwner
  readonly leases: readonly Lease[]
  /** Tokens of owned leases that have expired: their owner shows no sign of life. */
  readonly expired: ReadonlySet<string>
  /** Tokens of leases whose requester has not fetched them in time. */
  readonly lapsed: ReadonlySet<string>
  /** Tokens of leases whose owner does not answer a request. */
  readonly unanswered: ReadonlySet<string>
  readonly limits: LeaseLimits
  /** Returns a number in [0, 1). Instances that decide at the same time should draw different numbers. */
  readonly random: () => number
}

/** The leases that an instance acquires and requests now. No lease is in both lists. */
export interface Selection {
  /** Leases to acquire: they are free or expired, or their owner does not answer a request. */
  readonly take: readonly Lease[]
  /** Leases to request: their owner is alive and hands them over. */
  readonly ask: readonly Lease[]
}

/**
 * Chooses the leases to take and to request now.
 *
 * - A lease counts for its requester, or else for its owner.
 * - The share of an instance is the number of leases divided by the number of instances with leases (this one
 *   included), rounded up.
 * - Up to its share, this instance takes leases that are kept for it, free or expired.
 * - Only if no lease is available, it requests leases of other instances. It picks each one from the instance
 *   that has most at that point, if that instance has more than its share. An instance that lacks two or more
 *   leases may also bring another one below its share; otherwise rounding up could leave it without leases.
 *
 * A .NET host would make each of these choices, too, so a mixed deployment unit settles in the same state.
 * This function makes all choices at once, before any lease has moved.
 */
export function selectLeases(balance: Balance): Selection {
  const { self, leases, limits, random } = balance
  const shares = new Map<string, Lease[]>()
  const available: Lease[] = []
  for (const lease of shuffled(leases, random)) {
    const { owner, incarnation } = lease
    const isLive = owner !== null && !balance.expired.has(lease.leaseToken)
    // An instance that gives away its last lease still counts as an instance.
    if (isLive) listIn(shares, keyOf(owner, incarnation))
    const claimant = claimantOf(lease, isLive, balance.lapsed)
    if (claimant === null) available.push(lease)
    else listIn(shares, claimant).push(lease)
  }
  const mine = listIn(shares, keyOf(self.instanceName, self.incarnation))
  shares.delete(keyOf(self.instanceName, self.incarnation))
  const share = shareOf(leases.length, shares.size + 1, limits)
  const held = mine.filter((lease) => isOwnedBy(lease, self))
  const ready = mine.filter(({ owner, leaseToken }) => owner === null || balance.unanswered.has(leaseToken))
  const take = [...ready, ...available].slice(0, Math.max(0, share - held.length))
  if (available.length > 0) return { take, ask: [] }
  return surplusOf([...shares.values()], { share, missing: share - mine.length, take })
}

/** Returns the instance that a lease counts for; null when any instance may take it. */
function claimantOf(
  { leaseToken, owner, incarnation, handover }: Lease,
  isLive: boolean,
  lapsed: ReadonlySet<string>,
): string | null {
  const isExpired = owner !== null && !isLive
  if (isExpired) return null
  if (handover !== null && !lapsed.has(leaseToken)) return keyOf(handover.instanceName, handover.incarnation)
  return owner === null ? null : keyOf(owner, incarnation)
}

/**
 * Selects spare leases, each from the instance with most, until none is missing or no instance can spare one.
 */
function surplusOf(
  others: readonly Lease[][],
  { share, missing, take }: { share: number; missing: number; take: readonly Lease[] },
): Selection {
  const wanted: Lease[] = []
  for (let left = missing; left > 0; left -= 1) {
    const fullest = others.reduce((most, leases) => (leases.length > most.length ? leases : most), [])
    const slack = left > 1 ? 1 : 0
    if (fullest.length <= share - slack) break
    const costs = fullest.map(costOf)
    wanted.push(...fullest.splice(costs.indexOf(Math.min(...costs)), 1))
  }
  return {
    take: [...take, ...wanted.filter(({ owner }) => owner === null)],
    ask: wanted.filter(({ owner }) => owner !== null),
  }
}

/**
 * Returns the cost of moving a lease. A lease without an owner costs least, then one whose hand-over is
 * already pending.
 */
function costOf({ owner, handover }: Lease): number {
  if (owner === null) return 0
  return handover === null ? 2 : 1
}

function shareOf(leaseCount: number, instanceCount: number, limits: LeaseLimits): number {
  const equal = Math.ceil(leaseCount / instanceCount)
  const capped = Math.min(equal, limits.maxLeases ?? equal)
  return Math.max(capped, limits.minLeases ?? capped)
}

/**
 * Identifies an instance. Two processes with one name are two owners. Case is ignored, because .NET ignores
 * it in names.
 */
function keyOf(instanceName: string, incarnation: string | null): string {
  return JSON.stringify([instanceName.toLowerCase(), incarnation])
}

function listIn(lists: Map<string, Lease[]>, key: string): Lease[] {
  const known = lists.get(key)
  if (known !== undefined) return known
  const created: Lease[] = []
  lists.set(key, created)
  return created
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item)
}
