import { compareValues } from './values.js'

/** One end of a span. */
interface Bound {
  readonly value: unknown
  readonly isInclusive: boolean
}

/** All values between two bounds, in the order of `compareValues`. A span may be empty. */
export interface Span {
  readonly low: Bound
  readonly high: Bound
}

type Primitive = null | boolean | number | string

export function pointSpan(value: Primitive): Span {
  const bound = { value, isInclusive: true }
  return { low: bound, high: bound }
}

export function isPoint({ low, high }: Span): boolean {
  return low.isInclusive && high.isInclusive && compareValues(low.value, high.value) === 0
}

/** Returns the values for which `value operator constant` can be true. All have the type of the constant. */
export function spanOf(operator: '<' | '<=' | '>' | '>=', constant: Primitive): Span {
  const bound = { value: constant, isInclusive: operator.endsWith('=') }
  return operator.startsWith('<')
    ? { low: lowestLike(constant), high: bound }
    : { low: bound, high: highestLike(constant) }
}

/** Returns a span with all texts that begin with a prefix. */
export function prefixSpan(prefix: string): Span {
  const low = { value: prefix, isInclusive: true }
  const last = prefix.charCodeAt(prefix.length - 1)
  // Texts are ordered by UTF-16 units, so the next unit ends the span. No unit follows the largest unit.
  if (prefix === '' || last === 0xffff) return { low, high: highestLike(prefix) }
  const next = prefix.slice(0, -1) + String.fromCharCode(last + 1)
  return { low, high: { value: next, isInclusive: false } }
}

/** Returns all primitive values. Undefined is not among them. */
export function presentSpan(): Span {
  return { low: { value: null, isInclusive: true }, high: highestLike('') }
}

/** Returns the values that two spans share. */
export function intersectionOf(one: Span, other: Span): Span {
  return {
    low: isBelow(one.low.value, other) ? other.low : one.low,
    high: isAbove(one.high.value, other) ? other.high : one.high,
  }
}

/** Checks whether a value is too small for a span. */
export function isBelow(value: unknown, { low }: Span): boolean {
  const difference = compareValues(value, low.value)
  return difference < 0 || (difference === 0 && !low.isInclusive)
}

/** Checks whether a value is too large for a span. */
export function isAbove(value: unknown, { high }: Span): boolean {
  const difference = compareValues(value, high.value)
  return difference > 0 || (difference === 0 && !high.isInclusive)
}

function lowestLike(value: Primitive): Bound {
  const lowest = { null: null, boolean: false, number: -Infinity, string: '' }
  return { value: lowest[typeOf(value)], isInclusive: true }
}

function highestLike(value: Primitive): Bound {
  // Every text is smaller than every array.
  if (typeof value === 'string') return { value: [], isInclusive: false }
  const highest = { null: null, boolean: true, number: Infinity, string: null }
  return { value: highest[typeOf(value)], isInclusive: true }
}

function typeOf(value: Primitive): 'null' | 'boolean' | 'number' | 'string' {
  return value === null ? 'null' : (typeof value as 'boolean' | 'number' | 'string')
}
