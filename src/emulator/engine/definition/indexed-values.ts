import { isJsonObject, type JsonObject } from '../values/json.js'
import type { IndexPath, PathSteps } from './index-path.js'
import { isIndexed, type IndexingPolicy } from './indexing-policy.js'

/** The service indexes `id` and `_ts` of every document. */
const systemValues = 2

/**
 * Returns the number of values of a document that have an index, for the charge of a write. Returns Infinity if the policy
 * includes all paths.
 */
export function countIndexed(policy: IndexingPolicy, document: JsonObject): number {
  if (policy.mode === 'none') return 0
  let count = systemValues
  for (const path of policy.includedPaths) {
    const { steps } = path
    if (steps.length === 0) return Infinity
    if (steps.length > 1 || steps[0] !== 'id') count += countAt(policy, path, document)
  }
  return count
}

/** Counts the values at a path, which are several if the path leads through arrays. Makes no list of them. */
function countAt(policy: IndexingPolicy, path: IndexPath, value: unknown, from = 0): number {
  const { steps, ending } = path
  const step = steps[from]
  if (step === undefined) return ending === '?' ? Number(isScalar(value)) : inside(policy, value, steps)
  if (Array.isArray(value)) {
    if (typeof step !== 'number') return 0
    let count = 0
    for (const element of value) count += countAt(policy, path, element, from + 1)
    return count
  }
  if (typeof step === 'number' || !isJsonObject(value) || !Object.hasOwn(value, step)) return 0
  return countAt(policy, path, value[step], from + 1)
}

/** Counts the scalar values inside a value, at these steps, that no other path excludes. */
function inside(policy: IndexingPolicy, value: unknown, steps: PathSteps): number {
  if (isScalar(value)) return isIndexed(policy, steps) ? 1 : 0
  const children: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((element: unknown) => [0, element] as const)
    : Object.entries(value as JsonObject)
  return children.reduce((sum, [step, child]) => sum + inside(policy, child, [...steps, step]), 0)
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}
