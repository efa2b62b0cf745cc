/** @import { AgentsReport, Lease } from './shapes.js' */
import { durationText } from './formats.js'

/**
 * An instance, as its leases tell. `renewedMs` is the time since its newest renewal, and `oldestMs` since the
 * oldest one of its leases. `agents` and `clock` are from the newest renewal that tells them.
 *
 * @typedef {{ name: string, version: string | null, processors: { name: string, leases: Lease[] }[],
 *   leaseCount: number, expired: number, renewedMs: number | null, oldestMs: number | null,
 *   agents: AgentsReport | null, clock: { isRight: boolean, text: string } | null }} Instance
 */

/**
 * Returns the instances that own leases, by name, and the leases without an owner.
 *
 * @param {readonly Lease[]} leases
 * @returns {{ instances: Instance[], free: Lease[], versions: string[] }}
 */
export function fleetOf(leases) {
  const owned = /** @type {Map<string, Lease[]>} */ (new Map())
  for (const lease of leases) {
    if (lease.owner !== null) owned.set(lease.owner, [...(owned.get(lease.owner) ?? []), lease])
  }
  const instances = [...owned]
    .map(([name, own]) => instanceOf(name, own))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const versions = [...new Set(instances.flatMap(({ version }) => version ?? []))].sort()
  return { instances, free: leases.filter(({ owner }) => owner === null), versions }
}

/**
 * @param {string} name
 * @param {Lease[]} own
 * @returns {Instance}
 */
function instanceOf(name, own) {
  const names = [...new Set(own.map(({ processorName }) => processorName))]
  const newestFirst = [...own].sort((one, other) => (one.renewedAt < other.renewedAt ? 1 : -1))
  const ages = own.flatMap(({ ageMs }) => (ageMs === null ? [] : [ageMs]))
  return {
    name,
    version: own.find(({ version }) => version !== null)?.version ?? null,
    processors: names.map((processorName) => ({
      name: processorName,
      leases: own.filter((lease) => lease.processorName === processorName),
    })),
    leaseCount: own.length,
    expired: own.filter(({ isExpired }) => isExpired).length,
    renewedMs: ages.length === 0 ? null : Math.min(...ages),
    oldestMs: ages.length === 0 ? null : Math.max(...ages),
    agents: newestFirst.find(({ agents }) => agents !== null)?.agents ?? null,
    clock: clockOf(newestFirst.find(({ clockOffsetMs }) => clockOffsetMs !== null)),
  }
}

/**
 * Says how the clock of a lease's owner differs from the store's. Returns null if this is unknown.
 *
 * @param {Pick<Lease, 'clockOffsetMs' | 'isClockWrong'> | undefined} lease
 * @returns {{ isRight: boolean, text: string } | null}
 */
function clockOf(lease) {
  if (lease === undefined || lease.clockOffsetMs === null) return null
  if (!lease.isClockWrong) return { isRight: true, text: 'Its clock agrees with the store.' }
  const direction = lease.clockOffsetMs > 0 ? 'ahead of' : 'behind'
  const difference = durationText(Math.abs(lease.clockOffsetMs))
  return { isRight: false, text: `Its clock is ${difference} ${direction} the store's.` }
}
