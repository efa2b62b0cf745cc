/** @import { AgentsReport, Lease } from './shapes.js' */
import { durationText } from './formats.js'

/** An offset up to this size is normal, because the store's clock counts whole seconds and writes take time. */
const toleratedOffsetMs = 2_000

/**
 * An instance, as its leases tell. `renewedMs` is the time since its newest renewal, and `oldestMs` since the
 * oldest one of its leases. `agents` and `clockOffsetMs` are from the newest renewal that tells them.
 *
 * @typedef {{ name: string, version: string | null, processors: { name: string, leases: Lease[] }[],
 *   leaseCount: number, expired: number, renewedMs: number | null, oldestMs: number | null,
 *   agents: AgentsReport | null, clockOffsetMs: number | null }} Instance
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
    clockOffsetMs: newestFirst.find(({ clockOffsetMs }) => clockOffsetMs !== null)?.clockOffsetMs ?? null,
  }
}

/**
 * Says how an instance's clock differs from the store's. Returns null if this is unknown.
 *
 * @param {number | null} offsetMs
 * @returns {{ isRight: boolean, text: string } | null}
 */
export function clockOf(offsetMs) {
  if (offsetMs === null) return null
  if (Math.abs(offsetMs) <= toleratedOffsetMs)
    return { isRight: true, text: 'Its clock agrees with the store.' }
  const direction = offsetMs > 0 ? 'ahead of' : 'behind'
  return {
    isRight: false,
    text: `Its clock is ${durationText(Math.abs(offsetMs))} ${direction} the store's.`,
  }
}
