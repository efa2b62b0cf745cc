import type { Lease, LeaseOwner } from '../lease/lease.js'
import { isOwnedBy } from '../lease/transitions.js'

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
  /** Tokens of leases whose requester does not take them. */
  readonly lapsed: ReadonlySet<string>
  /** Tokens of leases whose owner does not answer a request. */
  readonly unanswered: ReadonlySet<string>
  readonly limits: LeaseLimits
  /** A number in [0, 1): instances that decide at the same time should choose differently. */
  readonly random: () => number
}

/** What to do about it. No lease is in both. */
export interface Selection {
  /** Leases to acquire: they have no reader, or their owner does not answer. */
  readonly take: readonly Lease[]
  /** Leases to request: their owner is alive and hands them over. */
  readonly ask: readonly Lease[]
}

/**
 * Chooses the leases to take and to request now.
 *
 * - A lease counts for its requester, or else for its owner.
 * - The share of an instance is the number of leases divided by the number of instances with leases (this one included),
 *   rounded up.
 * - Up to its share, this instance takes leases that are kept for it, free or expired.
 * - Only if no lease is available, it requests leases of other instances, each from the instance that then has most, if
 *   that has more than its share. An instance that lacks two or more may also bring another one below its share; otherwise
 *   rounding up could leave it without leases.
 *
 * Each single choice is the one a .NET host would make, so a mixed deployment unit settles, and in the same state. Here,
 * all choices are made at once, before any lease has moved.
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

/** The instance that is to have a lease; null when any instance may take it. */
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

/** Spare leases of other instances, from the one with most, until none is missing or none is to spare. */
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

/** The cost of moving a lease: lowest without an owner, then low if it is being handed over anyway. */
function costOf({ owner, handover }: Lease): number {
  if (owner === null) return 0
  return handover === null ? 2 : 1
}

function shareOf(leaseCount: number, instanceCount: number, limits: LeaseLimits): number {
  const equal = Math.ceil(leaseCount / instanceCount)
  const capped = Math.min(equal, limits.maxLeases ?? equal)
  return Math.max(capped, limits.minLeases ?? capped)
}

/** Two processes of one name are two owners; of names that differ in case only .NET knows one. */
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
