import { isJsonObject, type JsonObject } from '../values/json.js'
import type { PathSteps } from './index-path.js'
import { isIndexed, type IndexingPolicy } from './indexing-policy.js'

/** The service indexes `id` and `_ts` of every document. */
const systemValues = 2

/**
 * Returns the number of values of a document that have an index, for the charge of a write. Returns Infinity, without a
 * look at the document, if the policy includes all paths.
 */
export function countIndexed(policy: IndexingPolicy, document: JsonObject): number {
  if (policy.mode === 'none') return 0
  if (policy.includedPaths.some(({ steps }) => steps.length === 0)) return Infinity
  const own = policy.includedPaths.filter(({ steps }) => steps.length > 1 || steps[0] !== 'id')
  return own.reduce((sum, { steps, ending }) => {
    const found = valuesAt(document, steps)
    if (ending === '?') return sum + found.filter(isScalar).length
    return found.reduce<number>((all, value) => all + inside(policy, value, steps), sum)
  }, systemValues)
}

/** Returns the values at a path, which are several if the path leads through arrays. */
function valuesAt(value: unknown, path: PathSteps, from = 0): readonly unknown[] {
  const step = path[from]
  if (step === undefined) return [value]
  if (Array.isArray(value)) {
    return typeof step === 'number' ? value.flatMap((element) => valuesAt(element, path, from + 1)) : []
  }
  if (typeof step === 'number' || !isJsonObject(value) || !Object.hasOwn(value, step)) return []
  return valuesAt(value[step], path, from + 1)
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
