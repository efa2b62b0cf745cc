import { isJsonObject, type JsonObject } from '../values/json.js'
import { badRequest } from '../values/refusal.js'
import {
  isPrefix,
  isSamePath,
  parseIndexPath,
  unacceptable,
  type IndexPath,
  type PathSteps,
} from './index-path.js'

/** The indexes that a container has. */
export interface IndexingPolicy {
  readonly mode: 'consistent' | 'lazy' | 'none'
  readonly includedPaths: readonly IndexPath[]
  readonly excludedPaths: readonly IndexPath[]
  readonly compositeIndexes: readonly CompositeIndex[]
}

/** An index over several paths, ordered by the first path, then by the second one, and so on. */
export type CompositeIndex = readonly OrderedPath[]

/** A path and the direction of its order, in a composite index or in ORDER BY. */
export interface OrderedPath {
  readonly steps: PathSteps
  readonly isDescending: boolean
}

/** Reads an indexing policy to which the defaults were added. Refuses paths that the service refuses. */
export function parseIndexingPolicy(body: JsonObject): IndexingPolicy {
  return {
    mode: body['indexingMode'] as IndexingPolicy['mode'],
    includedPaths: parsePaths(body, 'includedPaths'),
    excludedPaths: parsePaths(body, 'excludedPaths'),
    compositeIndexes: listOf(body, 'compositeIndexes').map(parseCompositeIndex),
  }
}

/**
 * Checks whether the policy indexes the scalar values at a path. Of the paths that include or exclude it, the
 * most precise one decides: the longer path, and `/?` before `/*` at the same length. The service always
 * indexes `id` and `_ts`, unless its mode is `none`.
 */
export function isIndexed(policy: IndexingPolicy, steps: PathSteps): boolean {
  if (policy.mode === 'none') return false
  if (isSamePath(steps, ['id']) || isSamePath(steps, ['_ts'])) return true
  return precisionOf(policy.includedPaths, steps) > precisionOf(policy.excludedPaths, steps)
}

/**
 * Returns the composite index that gives the order of several ORDER BY items, or undefined if there is none.
 * The index must have exactly the paths of these items, in the same sequence. Either all directions in the
 * index are those of the items, or all are the opposite.
 */
export function compositeIndexOf(
  { compositeIndexes }: IndexingPolicy,
  order: readonly OrderedPath[],
): CompositeIndex | undefined {
  return compositeIndexes.find((index) => {
    const isReversed = index[0]?.isDescending !== order[0]?.isDescending
    return (
      index.length === order.length && index.every((path, place) => matches(path, order[place], isReversed))
    )
  })
}

function matches(path: OrderedPath, item: OrderedPath | undefined, isReversed: boolean): boolean {
  if (item === undefined || !isSamePath(path.steps, item.steps)) return false
  return (path.isDescending !== item.isDescending) === isReversed
}

/** Returns the precision of the most precise path that covers these steps, or -1 if none does. */
function precisionOf(paths: readonly IndexPath[], steps: PathSteps): number {
  const covering = paths.filter((path) =>
    path.ending === '*' ? isPrefix(path.steps, steps) : isSamePath(path.steps, steps),
  )
  return Math.max(-1, ...covering.map((path) => 2 * path.steps.length + (path.ending === '*' ? 0 : 1)))
}

function parsePaths(policy: JsonObject, name: string): readonly IndexPath[] {
  return listOf(policy, name).map((entry) => {
    const path = textOfPath(entry, name)
    // The service treats `/` as `/*`.
    if (path === '/') return { steps: [], ending: '*' }
    const parsed = parseIndexPath(path)
    if (parsed.ending === '') throw unacceptable(path, path.length)
    return parsed
  })
}

function parseCompositeIndex(index: unknown): CompositeIndex {
  if (!Array.isArray(index)) throw badRequest('Each of the compositeIndexes must be an array of paths.')
  return index.map((entry: unknown) => {
    const order = isJsonObject(entry) ? (entry['order'] ?? 'ascending') : undefined
    if (order !== 'ascending' && order !== 'descending') {
      throw badRequest(
        `The order of a composite path is ${JSON.stringify(order)}; use ascending or descending.`,
      )
    }
    const path = textOfPath(entry, 'compositeIndexes')
    const { steps, ending } = parseIndexPath(path)
    if (ending === '*') throw unacceptable(path, path.length - 1)
    return { steps, isDescending: order === 'descending' }
  })
}

function textOfPath(entry: unknown, name: string): string {
  const path = isJsonObject(entry) ? entry['path'] : undefined
  if (typeof path === 'string') return path
  throw badRequest(`An entry of the ${name} is ${JSON.stringify(entry)}; it must have a "path".`)
}

function listOf(policy: JsonObject, name: string): readonly unknown[] {
  const list = policy[name] ?? []
  if (Array.isArray(list)) return list
  throw badRequest(`The ${name} of an indexing policy must be an array.`)
}
