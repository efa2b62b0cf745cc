/** @import { LeaseLag } from './shapes.js' */

/**
 * One look at the lag of each lease.
 *
 * @typedef {{ at: number, lags: Map<string, number> }} Look
 */

/** The largest number of looks that are kept. */
const mostLooks = 60

/**
 * Adds a look at the lags.
 *
 * @param {readonly Look[]} looks
 * @param {readonly Pick<LeaseLag, 'processorName' | 'leaseToken' | 'estimatedLag'>[]} leases
 * @param {number} at
 * @returns {readonly Look[]}
 */
export function withLook(looks, leases, at) {
  const lags = new Map(
    leases.map(({ processorName, leaseToken, estimatedLag }) => [
      `${processorName} ${leaseToken}`,
      estimatedLag,
    ]),
  )
  return [...looks, { at, lags }].slice(-mostLooks)
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
 * Returns the rows of the heat map: the lag of each lease in each look, or undefined if it was unknown.
 *
 * @param {readonly Look[]} looks
 * @returns {{ key: string, lags: (number | undefined)[], most: number }[]}
 */
export function heatRows(looks) {
  const keys = [...new Set(looks.flatMap(({ lags }) => [...lags.keys()]))].sort()
  return keys.map((key) => {
    const lags = looks.map((look) => look.lags.get(key))
    return { key, lags, most: Math.max(0, ...lags.map((lag) => lag ?? 0)) }
  })
}
