import type { Lease, LeaseOwner } from '../lease/lease.js'
import { isOwnedBy } from '../lease/transitions.js'

/** The smallest and the largest number of leases of one instance. */
export interface LeaseLimits {
  /**
   * The instance takes at least this number of leases, even if other instances then have fewer than their
   * share. Null for no minimum. The options of a processor refuse a minimum above `maxLeases`.
   */
  readonly minLeases: number | null
  /** The instance never takes more than this number of leases. Null for no limit. */
  readonly maxLeases: number | null
}

/** The facts that an instance uses to decide which leases to take. */
export interface Balance {
  readonly self: LeaseOwner
  readonly leases: readonly Lease[]
  /** Tokens of owned leases that have expired. */
  readonly expired: ReadonlySet<string>
  /** Tokens of leases whose requester has not taken them in time. */
  readonly lapsed: ReadonlySet<string>
  /** Tokens of leases whose owner has not answered this instance's request in time. */
  readonly unanswered: ReadonlySet<string>
  readonly limits: LeaseLimits
  /** Returns a number in [0, 1). Instances that decide at the same time should draw different numbers. */
  readonly random: () => number
}

/** The leases to acquire now, and the leases to request now. No lease is in both lists. */
export interface Selection {
  /** Leases to acquire: free leases, expired leases, and leases whose owner does not answer a request. */
  readonly take: readonly Lease[]
  /** Leases to request from their owners, which are alive. */
  readonly ask: readonly Lease[]
}

/**
 * Chooses the leases to take and to request now.
 *
 * - A lease counts for its requester. A lease without a requester counts for its owner.
 * - The share of an instance is the number of leases divided by the number of instances, rounded up. The
 *   instances are this instance and all others with leases.
 * - Up to its share, this instance takes leases that are kept for it, free leases and expired leases.
 * - This instance requests leases of other instances only if no lease is free or expired. Each requested
 *   lease comes from the instance that has the most leases at that point. Normally, that instance must have
 *   more than its share. If this instance lacks two or more leases, that instance may also go below its
 *   share. Without this exception, this instance could remain without leases, because shares are rounded up.
 *
 * A .NET host follows the same rules, so the leases also stop moving in a deployment unit with both kinds of
 * hosts.
 */
export function selectLeases(balance: Balance): Selection {
  const { self, leases, limits, random } = balance
  const shares = new Map<string, Lease[]>()
  const available: Lease[] = []
  for (const lease of shuffled(leases, random)) {
    const { owner, incarnation } = lease
    const isLive = owner !== null && !balance.expired.has(lease.leaseToken)
    // An instance that hands over its last lease still counts as an instance with leases.
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

/** Returns the key of the instance for which a lease counts, or null if any instance may take the lease. */
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

/** Selects leases of other instances, each from the instance that has the most leases at that point. */
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

/** Returns the cost of moving a lease. Free leases move first, then leases with a pending hand-over. */
function costOf({ owner, handover }: Lease): number {
  if (owner === null) return 0
  return handover === null ? 2 : 1
}

function shareOf(leaseCount: number, instanceCount: number, limits: LeaseLimits): number {
  const equal = Math.ceil(leaseCount / instanceCount)
  const capped = Math.min(equal, limits.maxLeases ?? equal)
  return Math.max(capped, limits.minLeases ?? capped)
}

/** Returns the key of one life of an instance. As in .NET, the case of the name does not matter. */
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
