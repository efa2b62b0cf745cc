import { notSupported, QueryError } from './query-error.js'

/**
 * The maximum length of a computed text, and of a row, in characters. A page of the service could not hold
 * more.
 */
const longestResult = 4 * 1024 * 1024

/** The maximum depth of a value. The service has the same limit for documents. */
const deepestValue = 128

/** The longest regular expression in characters. Compiling a long one can take longer than running it. */
const longestExpression = 4096

/** The longest query text in characters, as the account document states it. */
export const longestQuery = 262_144

/** The largest number of JOINs in one query, as the account document states it. */
export const mostJoins = 10

const nowhere = { start: 0, end: 0 }

/**
 * Refuses a result that would be too long. Functions whose result can be longer than their arguments call
 * this before they compute it.
 */
export function refuseLongResult(characters: number): void {
  if (characters <= longestResult) return
  const reason = `The query computes a value over the limit of ${longestResult} characters. Select less.`
  throw new QueryError('BadRequest', reason, nowhere)
}

export function refuseLongExpression(characters: number): void {
  if (characters <= longestExpression) return
  const reason =
    `A regular expression has ${characters} characters; the limit is ${longestExpression}. ` +
    'Use several shorter ones.'
  throw new QueryError('BadRequest', reason, nowhere)
}

/** Returns the error for a regular expression that the service may accept, but this engine cannot run. */
export function expressionNotSupported(problem: string): QueryError {
  return notSupported(`A part of a regular expression (${problem})`, nowhere)
}

/** Refuses a value that nests too deep for recursive functions. */
export function refuseDeepValue(value: unknown): void {
  if (!nestsDeeper(value, deepestValue)) return
  const reason = `The query computes a value nested deeper than the limit of ${deepestValue}. Parse less.`
  throw new QueryError('BadRequest', reason, nowhere)
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1))
}

/** Returns the value's JSON. Refuses a value whose JSON would be too long, before creating it. */
export function jsonOf(value: unknown): string | undefined {
  refuseLongResult(sizeOf(value))
  return JSON.stringify(value)
}

/** The sizes of large values. One value is often in many rows of a query, and values never change. */
const knownSizes = new WeakMap<object, number>()

/** The smallest size that is kept. Smaller values are counted again. */
const largeSize = 10_000

/**
 * Returns the estimated length of the value's JSON. Ignores escapes, and counts 4 for a number, a boolean or
 * null. Stops when the sum is over the limit of a result.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 4
  const known = knownSizes.get(value)
  if (known !== undefined) return known
  const size = Array.isArray(value) ? sizeOfArray(value) : sizeOfObject(value)
  if (size >= largeSize) knownSizes.set(value, size)
  return size
}

function sizeOfArray(array: readonly unknown[]): number {
  let size = 2
  for (const item of array) {
    if (size > longestResult) return size
    size += sizeOf(item)
  }
  return size
}

function sizeOfObject(object: object): number {
  let size = 2
  for (const name of Object.keys(object)) {
    if (size > longestResult) return size
    size += name.length + 3 + sizeOf((object as Readonly<Record<string, unknown>>)[name])
  }
  return size
}
