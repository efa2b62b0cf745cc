import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { compareValues, finite, isPrimitive } from '../../values/values.js'

/** Returns a function of an array of numbers. The result for any other value is undefined. */
function ofNumbers(compute: (numbers: readonly number[]) => number): QueryFunction {
  return ofOne((array) => {
    if (!Array.isArray(array)) return undefined
    const items: readonly unknown[] = array
    return items.every((item) => typeof item === 'number') ? finite(compute(items)) : undefined
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Returns the middle one of the sorted numbers, or the mean of the two middle ones. */
function median(numbers: readonly number[]): number {
  const ordered = numbers.toSorted((one, other) => one - other)
  const upper = ordered[ordered.length >> 1] ?? NaN
  const lower = ordered[(ordered.length - 1) >> 1] ?? NaN
  return upper === lower ? upper : (lower + upper) / 2
}

/** Returns a function that finds the first or last item in the order of types and values. */
function extreme(direction: 1 | -1): QueryFunction {
  return ofOne((array) => {
    if (!Array.isArray(array)) return undefined
    const items: readonly unknown[] = array
    if (items.length === 0 || !items.every(isPrimitive)) return undefined
    return items.reduce((best, item) => (compareValues(item, best) * direction < 0 ? item : best))
  })
}

/** Functions that compute one value from the items of an array. */
export const arraySummaryFunctions = {
  ARRAY_AVG: ofNumbers((numbers) => sum(numbers) / numbers.length),
  ARRAY_MAX: extreme(-1),
  ARRAY_MEDIAN: ofNumbers(median),
  ARRAY_MIN: extreme(1),
  ARRAY_SUM: ofNumbers(sum),
}
