import { childrenOf, type Call, type Expression } from '../language/ast.js'
import type { PageTime } from '../language/page-time.js'
import { refuseLongResult } from '../language/query-limits.js'
import { canonicalText, compareValues, isPrimitive } from '../values/values.js'

/**
 * Accumulates one value for each frame, which may stand for several equal frames, and returns the result for all of
 * them. Ignores undefined values.
 */
export interface Accumulator {
  add(value: unknown, frames: number): void
  result(): unknown
}

function count(): Accumulator {
  let total = 0
  return {
    add: (value, frames) => {
      if (value !== undefined) total += frames
    },
    result: () => total,
  }
}

/** Counts the values that are true. */
function countIf(): Accumulator {
  let total = 0
  return {
    add: (value, frames) => {
      if (value === true) total += frames
    },
    result: () => total,
  }
}

/** Collects all values, or only the distinct ones if `isSet` is true. */
function collection(isSet: boolean, pageTime: PageTime): Accumulator {
  const values: unknown[] = []
  const seen = new Set<string>()
  let characters = 0
  return {
    add: (value, frames) => {
      if (value === undefined) return
      const text = canonicalText(value)
      if (isSet && seen.has(text)) return
      if (isSet) seen.add(pageTime.computed(text))
      const copies = isSet ? 1 : frames
      characters += text.length * copies
      refuseLongResult(characters)
      for (let copy = 0; copy < copies; copy += 1) values.push(value)
    },
    result: () => values,
  }
}

/** Sums numbers. A value of another type makes the result undefined. */
function total(finish: (sum: number, added: number) => number | undefined): Accumulator {
  let sum = 0
  let added = 0
  let isNumeric = true
  return {
    add: (value, frames) => {
      if (typeof value === 'number') {
        sum += value * frames
        added += frames
      } else if (value !== undefined) {
        isNumeric = false
      }
    },
    // JSON has no infinity.
    result: () => (isNumeric && Number.isFinite(sum) ? finish(sum, added) : undefined),
  }
}

/**
 * Finds the smallest value, or the largest if `direction` is -1. Values of different types are ordered by
 * type. An array or object makes the result undefined.
 */
function extreme(direction: 1 | -1): Accumulator {
  let best: unknown
  let isComparable = true
  return {
    add: (value) => {
      if (value === undefined) return
      if (!isPrimitive(value)) isComparable = false
      else if (best === undefined || compareValues(value, best) * direction < 0) best = value
    },
    result: () => (isComparable ? best : undefined),
  }
}

const accumulators = {
  COUNT: count,
  COUNTIF: countIf,
  MAKELIST: (pageTime: PageTime) => collection(false, pageTime),
  MAKESET: (pageTime: PageTime) => collection(true, pageTime),
  SUM: () => total((sum) => sum),
  AVG: () => total((sum, added) => (added === 0 ? undefined : sum / added)),
  MIN: () => extreme(1),
  MAX: () => extreme(-1),
} as const

type AggregateName = keyof typeof accumulators

function isAggregateName(name: string): name is AggregateName {
  return Object.hasOwn(accumulators, name)
}

/** Checks whether a call is to an aggregate rather than to a function of one document. */
export function isAggregate({ name }: Call): boolean {
  return isAggregateName(name.toUpperCase())
}

export function containsAggregate(expression: Expression): boolean {
  if (expression.kind === 'call' && isAggregate(expression)) return true
  return childrenOf(expression).some(containsAggregate)
}

/** Returns a new accumulator for a call that is an aggregate (see {@link isAggregate}). */
export function accumulatorOf({ name }: Call, pageTime: PageTime): Accumulator {
  const upperName = name.toUpperCase()
  if (!isAggregateName(upperName)) throw new TypeError(`${name} is not an aggregate`)
  return accumulators[upperName](pageTime)
}
