/**
 * The charges are **a model**, because Microsoft does not publish how the service computes charges. The model
 * uses the values that Microsoft does publish, and interpolates linearly between them. A read costs 1 for 1
 * KB and 10 for 100 KB. An insert of 1 KB costs 5.5 without an index, and each indexed value adds 1.5 %, up to 80 %. A
 * replace costs twice as much as an insert. A query costs at least 2.5 per page. Tests may use the model to
 * check budgets. Real bills differ by a few percent.
 */

/**
 * The part of an insert that each indexed value adds. Microsoft says only that the charge grows with their number. With
 * this value, a job or step pays 15 % for an index of the values that queries need, and 80 % for an index of everything.
 */
const growthPerIndexedValue = 0.015

/** The charge of a write is at most this multiple of the charge without an index. */
const mostForIndexes = 1.8

const insertOfOneKilobyte = 5.5
const growthPerKilobyte = 0.0909
const queryOfOnePage = 2.5

function sized(bytes: number): number {
  return 1 + growthPerKilobyte * (Math.max(1, bytes / 1024) - 1)
}

export function readCharge(bytes: number): number {
  return rounded(sized(bytes))
}

/** @param indexedValues the number of indexed values, or Infinity if everything is indexed */
export function insertCharge(bytes: number, indexedValues: number): number {
  return rounded(insertOf(bytes, indexedValues))
}

/** @param indexedValues the number of indexed values, or Infinity if everything is indexed */
export function replaceCharge(bytes: number, indexedValues: number): number {
  return rounded(2 * insertOf(bytes, indexedValues))
}

function insertOf(bytes: number, indexedValues: number): number {
  return (
    insertOfOneKilobyte * sized(bytes) * Math.min(1 + growthPerIndexedValue * indexedValues, mostForIndexes)
  )
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
 * @param pageSize the number of rows in a full page
 */
export function listCharge(sizes: readonly number[], pageSize: number): number {
  const bytes = sizes.reduce((total, size) => total + size, 0)
  const morePages = Math.floor(sizes.length / pageSize)
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
