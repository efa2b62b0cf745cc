/** @import { LeaseLag } from './shapes.js' */

/**
 * One look at the lag and the owner of each lease.
 *
 * @typedef {{ at: number, leases: Map<string, { lag: number, owner: string | null }> }} Look
 */

/** The largest number of looks that are kept. */
const mostLooks = 60

/**
 * Adds a look at the leases.
 *
 * @param {readonly Look[]} looks
 * @param {readonly Pick<LeaseLag, 'processorName' | 'leaseToken' | 'estimatedLag' | 'owner'>[]} leases
 * @param {number} at
 * @returns {readonly Look[]}
 */
export function withLook(looks, leases, at) {
  const seen = new Map(
    leases.map(({ processorName, leaseToken, estimatedLag, owner }) => [
      `${processorName} ${leaseToken}`,
      { lag: estimatedLag, owner },
    ]),
  )
  return [...looks, { at, leases: seen }].slice(-mostLooks)
}

/**
 * Returns how hot a lag is, from 0 (none) to 5 (a thousand changes or more).
 *
 * @param {number | undefined} lag
 */
export function heatOf(lag) {
  return lag === undefined ? 0 : [1, 10, 50, 200, 1_000].filter((least) => lag >= least).length
}

/**
 * Returns the rows of the heat map. A cell is one look at a lease: its lag, or undefined if it was unknown, and the new
 * owner if the lease has changed hands since the look before.
 *
 * @param {readonly Look[]} looks
 * @returns {{ key: string, cells: { lag: number | undefined, newOwner: string | null }[], most: number,
 *   handOvers: number }[]}
 */
export function heatRows(looks) {
  const keys = [...new Set(looks.flatMap(({ leases }) => [...leases.keys()]))].sort()
  return keys.map((key) => {
    /** @type {string | null} */
    let owner = null
    const cells = looks.map(({ leases }) => {
      const seen = leases.get(key)
      const newOwner = owner !== null && seen?.owner && seen.owner !== owner ? seen.owner : null
      owner = seen?.owner ?? owner
      return { lag: seen?.lag, newOwner }
    })
    const most = Math.max(0, ...cells.map(({ lag }) => lag ?? 0))
    return { key, cells, most, handOvers: cells.filter(({ newOwner }) => newOwner !== null).length }
  })
}
