import { counted } from '../state/formats.js'

/** The most steps that are listed. A large job would have a table that no person reads. */
const mostListed = 50

/** @typedef {{ writes: number, charge: number }} Cost */

/**
 * Returns the rows of the table of costs, and their sum. Of a large job, the most expensive steps are listed.
 *
 * @param {{ stepId: string, cost: Cost }[]} steps
 * @param {Cost} ofJob
 * @returns {{ rows: (Cost & { name: string })[], total: Cost }}
 */
export function costRows(steps, ofJob) {
  const all = steps.map(({ stepId, cost: { writes, charge } }) => ({ name: stepId, writes, charge }))
  const isLong = all.length > mostListed
  const sorted = isLong ? [...all].sort((one, other) => other.charge - one.charge) : all
  const others = sorted.slice(mostListed)
  const rows = [
    ...sorted.slice(0, mostListed),
    ...(isLong ? [{ name: counted(others.length, 'other step', 'other steps'), ...sumOf(others) }] : []),
    { name: 'the job itself', ...ofJob },
  ]
  return { rows, total: sumOf(rows) }
}

/** @param {Cost[]} costs */
function sumOf(costs) {
  return costs.reduce(
    (sum, { writes, charge }) => ({ writes: sum.writes + writes, charge: sum.charge + charge }),
    { writes: 0, charge: 0 },
  )
}
