import type { QueryFunction } from '../values/query-function.js'
import { isObject } from '../values/values.js'

type Measure = (left: readonly number[], right: readonly number[]) => number

/**
 * Measures of two vectors, by lower-case name. For more similar vectors, the cosine and the dot product are
 * larger, but the Euclidean distance is smaller.
 */
const measures: ReadonlyMap<string, Measure> = new Map([
  ['cosine', cosine],
  ['dotproduct', dotProduct],
  ['euclidean', euclidean],
])

const dataTypes = ['float32', 'float16', 'int8', 'uint8']

function dotProduct(left: readonly number[], right: readonly number[]): number {
  return left.reduce((total, value, index) => total + value * (right[index] ?? 0), 0)
}

function lengthOf(vector: readonly number[]): number {
  return Math.sqrt(dotProduct(vector, vector))
}

function cosine(left: readonly number[], right: readonly number[]): number {
  const result = dotProduct(left, right) / (lengthOf(left) * lengthOf(right))
  // Without limits, rounding could give parallel vectors a result beyond 1 or -1.
  return Math.min(Math.max(result, -1), 1)
}

function euclidean(left: readonly number[], right: readonly number[]): number {
  return lengthOf(left.map((value, index) => value - (right[index] ?? 0)))
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number')
}

/** Returns the measure that the options name, or undefined if an option is invalid. */
function measureOf(options: unknown): Measure | undefined {
  if (!isObject(options)) return undefined
  const { distanceFunction = 'cosine', dataType = 'float32' } = options
  if (typeof distanceFunction !== 'string' || typeof dataType !== 'string') return undefined
  if (!dataTypes.includes(dataType.toLowerCase())) return undefined
  return measures.get(distanceFunction.toLowerCase())
}

/** All documents are always compared, so the choice between brute force and an index changes nothing. */
function vectorDistance(
  left: unknown,
  right: unknown,
  isBruteForce: unknown = false,
  options: unknown = {},
): number | undefined {
  if (!isVector(left) || !isVector(right) || left.length !== right.length) return undefined
  if (typeof isBruteForce !== 'boolean') return undefined
  const result = measureOf(options)?.(left, right)
  // The cosine of a vector of length 0 is not a number, and a sum can be infinite.
  return result !== undefined && Number.isFinite(result) ? result + 0 : undefined
}

/** Checks whether smaller values of VECTORDISTANCE with these options mean more similar vectors. */
export function isDistance(options: unknown): boolean {
  return measureOf(options) === euclidean
}

/** Returns a score that is larger for more similar vectors, whatever the measure. */
function vectorScore(...[left, right, isBruteForce, options]: readonly unknown[]): number | undefined {
  const result = vectorDistance(left, right, isBruteForce, options)
  return result !== undefined && isDistance(options) ? 0 - result : result
}

/** Functions of vectors. `_VECTORSCORE` occurs in the queries of query plans. */
export const vectorFunctions: Readonly<Record<string, QueryFunction>> = {
  VECTORDISTANCE: { minArguments: 2, maxArguments: 4, evaluate: vectorDistance },
  _VECTORSCORE: { minArguments: 2, maxArguments: 4, evaluate: vectorScore },
}
