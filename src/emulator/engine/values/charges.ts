/**
 * **A model**, not the service's price list, which is not published. Its points are Microsoft's: a read of 1 KB costs 1
 * and of 100 KB 10; an insert of 1 KB about 5.5; a replace twice an insert; a query at least 2.5 per physical partition.
 * Between them it is a straight line. Tests may assert budgets with it; bills will differ by some percent.
 */

/** How much a write is multiplied by what the indexing policy makes the service index. */
export const indexingFactor = { lean: 1.15, full: 1.8 } as const

export type IndexingFactor = (typeof indexingFactor)[keyof typeof indexingFactor]

const insertOfOneKilobyte = 5.5
const growthPerKilobyte = 0.0909
const queryPerRange = 2.5

function sized(bytes: number): number {
  return 1 + growthPerKilobyte * (Math.max(1, bytes / 1024) - 1)
}

export function readCharge(bytes: number): number {
  return rounded(sized(bytes))
}

export function insertCharge(bytes: number, factor: IndexingFactor): number {
  return rounded(insertOfOneKilobyte * sized(bytes) * factor)
}

export function replaceCharge(bytes: number, factor: IndexingFactor): number {
  return rounded(2 * insertOfOneKilobyte * sized(bytes) * factor)
}

/** An operation that found nothing, or was refused by a condition, still looked. */
export const lookupCharge = 1

/** `ranges`: physical partitions touched. `bytes`: of the rows answered. */
export function queryCharge(ranges: number, bytes: number): number {
  return rounded(queryPerRange * ranges + growthPerKilobyte * (bytes / 1024))
}

/** An empty poll costs 1. */
export function feedCharge(bytes: number): number {
  return rounded(Math.max(1, bytes / 1024))
}

function rounded(charge: number): number {
  return Math.round(charge * 100) / 100
}
