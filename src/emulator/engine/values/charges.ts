/**
 * The charges are **a model**, because Microsoft does not publish how the service computes charges. The model
 * uses the values that Microsoft does publish, and interpolates linearly between them. A read costs 1 for 1
 * KB and 10 for 100 KB. An insert of 1 KB costs 5.5, times a factor for the indexing policy (1.15 or 1.8). A
 * replace costs twice as much as an insert. A query costs at least 2.5 per page. Tests may use the model to
 * check budgets. Real bills differ by a few percent.
 */

/** The factors for the charge of a write, which depends on how much the indexing policy indexes. */
export const indexingFactor = { lean: 1.15, full: 1.8 } as const

export type IndexingFactor = (typeof indexingFactor)[keyof typeof indexingFactor]

const insertOfOneKilobyte = 5.5
const growthPerKilobyte = 0.0909
const queryOfOnePage = 2.5

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

/** The charge of an operation that found nothing or failed a condition. The lookup itself has a cost. */
export const lookupCharge = 1

/**
 * Returns the charge of one page of a query, however many physical partitions the query reads.
 *
 * @param bytes the size of the rows in the answer
 */
export function queryCharge(bytes: number): number {
  return rounded(queryOfOnePage + growthPerKilobyte * (bytes / 1024))
}

/** The number of rows in a page of a query whose client names no other number. */
export const defaultPageSize = 100

/**
 * Returns the charge of all pages of a query. After a full page, one more page is read, which may be empty.
 *
 * @param sizes the size of each row
 */
export function listCharge(sizes: readonly number[]): number {
  const bytes = sizes.reduce((total, size) => total + size, 0)
  const morePages = Math.floor(sizes.length / defaultPageSize)
  return rounded(queryCharge(bytes) + morePages * queryCharge(0))
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
