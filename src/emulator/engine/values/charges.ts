/**
 * **A model**, not the service's price list, which is not published. Its points are Microsoft's: a read of 1
 * KB costs 1 and of 100 KB 10; an insert of 1 KB about 5.5; a replace twice an insert; a query at least 2.5
 * per physical partition. The model interpolates linearly between them. Tests may use it to check budgets;
 * bills will differ by some percent.
 */

/** The factor for writes, depending on how much the indexing policy makes the service index. */
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

/** The charge of an operation that found nothing or failed a condition, because it still looked. */
export const lookupCharge = 1

/**
 * Returns the charge of a query.
 *
 * @param ranges physical partitions touched
 * @param bytes of the rows in the answer
 */
export function queryCharge(ranges: number, bytes: number): number {
  return rounded(queryPerRange * ranges + growthPerKilobyte * (bytes / 1024))
}

/** Returns the charge of reading the change feed. An empty poll costs 1. */
export function feedCharge(bytes: number): number {
  return rounded(Math.max(1, bytes / 1024))
}

/** Returns the charge of several operations in one request. */
export function totalCharge(results: readonly { readonly charge: number }[]): number {
  return rounded(results.reduce((total, { charge }) => total + charge, 0))
}

function rounded(charge: number): number {
  return Math.round(charge * 100) / 100
}
