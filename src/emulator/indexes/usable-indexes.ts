import {
  isIndexed,
  type CompositeIndex,
  type IndexingPolicy,
  type OrderedPath,
  type PathSteps,
} from '../engine/index.js'
import type { CompiledQuery } from '../query/index.js'
import { isPoint, type Span } from '../query/values/span.js'

/** What a query says about the documents that it needs. */
export type QueryHints = Pick<CompiledQuery, 'conditions' | 'order'>

type Conditions = QueryHints['conditions']

/** An index of the policy that a query can use, and the spans of the documents to read. */
export interface UsableIndex {
  readonly paths: readonly OrderedPath[]
  /** The reads of the index. `IN` needs several reads. Each has one span for each of the first paths. */
  readonly reads: readonly (readonly Span[])[]
}

/** An index that has the order of ORDER BY, or the opposite order. */
export interface OrderIndex {
  readonly paths: readonly OrderedPath[]
  readonly spans: readonly Span[]
  readonly isReversed: boolean
}

/**
 * Returns the indexes that can each find the documents of a filter. Composite indexes come first, and then
 * those over a path that the filter compares with one constant.
 */
export function filterIndexes(policy: IndexingPolicy, { conditions }: QueryHints): readonly UsableIndex[] {
  const single = conditions
    .filter(({ steps }) => isIndexed(policy, steps))
    .sort((one, other) => Number(isFixed(other.steps, conditions)) - Number(isFixed(one.steps, conditions)))
    .map(({ steps, spans }) => ({ paths: [ascending(steps)], reads: spans.map((span) => [span]) }))
  const composite = compositeIndexes(policy)
    .map((paths) => ({ paths, reads: [leadingSpans(paths, conditions)] }))
    .filter(({ reads: [spans = []] }) => spans.length > 1)
  return [...composite, ...single]
}

/**
 * Returns an index that gives the order of a query, or undefined if the policy has none. A property that the
 * filter compares with one constant does not change the order, so an index may begin with such properties.
 */
export function orderIndex(
  policy: IndexingPolicy,
  { conditions, order }: QueryHints,
): OrderIndex | undefined {
  const open = order.filter(({ steps }) => !isFixed(steps, conditions))
  const [first] = open
  if (first === undefined) return undefined
  const single = open.length === 1 && isIndexed(policy, first.steps) ? [[ascending(first.steps)]] : []
  for (const paths of [...compositeIndexes(policy), ...single]) {
    const start = paths.length - open.length
    const isReversed = paths[start]?.isDescending !== first.isDescending
    const isUsable =
      paths.slice(0, Math.max(0, start)).every(({ steps }) => isFixed(steps, conditions)) &&
      open.every((key, place) => hasOrder(paths[start + place], key, isReversed))
    if (isUsable) return { paths, spans: leadingSpans(paths, conditions), isReversed }
  }
  return undefined
}

function compositeIndexes({ mode, compositeIndexes: indexes }: IndexingPolicy): readonly CompositeIndex[] {
  return mode === 'none' ? [] : indexes
}

function ascending(steps: PathSteps): OrderedPath {
  return { steps, isDescending: false }
}

function hasOrder(path: OrderedPath | undefined, key: OrderedPath, isReversed: boolean): boolean {
  return (
    path !== undefined &&
    areSame(path.steps, key.steps) &&
    (path.isDescending !== key.isDescending) === isReversed
  )
}

/** Returns the spans of an index's first paths: points, and then perhaps one span with several values. */
function leadingSpans(paths: readonly OrderedPath[], conditions: Conditions): readonly Span[] {
  const spans: Span[] = []
  for (const { steps } of paths) {
    const span = onlySpan(steps, conditions)
    if (span === undefined) return spans
    spans.push(span)
    if (!isPoint(span)) return spans
  }
  return spans
}

function isFixed(steps: PathSteps, conditions: Conditions): boolean {
  const span = onlySpan(steps, conditions)
  return span !== undefined && isPoint(span)
}

function onlySpan(steps: PathSteps, conditions: Conditions): Span | undefined {
  const spans = conditions.find((condition) => areSame(condition.steps, steps))?.spans ?? []
  return spans.length === 1 ? spans[0] : undefined
}

/** Compares the paths of a query. Unlike in a policy, different positions in an array count as different. */
function areSame(one: PathSteps, other: PathSteps): boolean {
  return one.length === other.length && one.every((step, place) => step === other[place])
}
