import { refuseLongResult, sizeOf } from '../../language/query-limits.js'
import type { QueryFunction } from '../../values/query-function.js'
import { canonicalText } from '../../values/values.js'

/** The distinct items of an array by their canonical texts, in the order in which they first occur. */
type Items = ReadonlyMap<string, unknown>

function itemsOf(array: readonly unknown[]): Items {
  // A query can repeat one large value cheaply, but each copy needs its own canonical text.
  refuseLongResult(sizeOf(array))
  const items = new Map<string, unknown>()
  for (const item of array) {
    const text = canonicalText(item)
    if (!items.has(text)) items.set(text, item)
  }
  return items
}

function ofTwoSets(compute: (one: Items, other: Items) => unknown): QueryFunction {
  return {
    minArguments: 2,
    maxArguments: 2,
    evaluate: (one, other) =>
      Array.isArray(one) && Array.isArray(other) ? compute(itemsOf(one), itemsOf(other)) : undefined,
  }
}

function isSubset(one: Items, other: Items): boolean {
  return one.size <= other.size && [...one.keys()].every((text) => other.has(text))
}

/** Returns the values of a set that another set contains, or does not contain if `isWanted` is false. */
function selected(from: Items, by: Items, isWanted: boolean): readonly unknown[] {
  return [...from].filter(([text]) => by.has(text) === isWanted).map(([, item]) => item)
}

/**
 * Tests an array for several values. As with OR and AND, one decisive answer settles the result, even if
 * another value is undefined.
 */
function ofSearch(decisive: boolean): QueryFunction {
  return {
    minArguments: 2,
    maxArguments: Infinity,
    evaluate: (array, ...wanted) => {
      if (!Array.isArray(array)) return undefined
      const items = itemsOf(array)
      const defined = wanted.filter((value) => value !== undefined)
      if ([...itemsOf(defined).keys()].some((text) => items.has(text) === decisive)) return decisive
      return defined.length < wanted.length ? undefined : !decisive
    },
  }
}

/** Functions that treat arrays as sets. They find canonical texts in hash tables, which takes linear time. */
export const setFunctions = {
  ARRAY_CONTAINS_ALL: ofSearch(false),
  ARRAY_CONTAINS_ANY: ofSearch(true),
  SETDIFFERENCE: ofTwoSets((one, other) => selected(one, other, false)),
  SETEQUAL: ofTwoSets((one, other) => one.size === other.size && isSubset(one, other)),
  /** Returns the values in the order of the second array, as the service does. */
  SETINTERSECT: ofTwoSets((one, other) => selected(other, one, true)),
  SETSUBSET: ofTwoSets(isSubset),
  SETUNION: ofTwoSets((one, other) => [...new Map([...one, ...other]).values()]),
}
