import { isIndexed, type IndexingPolicy, type OrderedPath, type PathSteps } from '../engine/index.js'
import type { CompiledQuery } from '../query/index.js'
import { isPoint } from '../query/values/span.js'
import { filterIndexes, orderIndex } from './usable-indexes.js'

/** The parts of a query that index advice depends on. */
export type AdvisedQuery = Pick<CompiledQuery, 'conditions' | 'order' | 'usedPaths'>

/** An index over one path, with the expression that uses it, or an empty text for ORDER BY. */
export interface SingleIndex {
  readonly spec: string
  readonly expression: string
}

/** The indexes that a query uses, and those that the policy lacks. */
export interface IndexAdvice {
  readonly utilizedSingle: readonly SingleIndex[]
  readonly potentialSingle: readonly SingleIndex[]
  /** Each index as a list of paths, such as `/name ASC`. */
  readonly utilizedComposite: readonly (readonly string[])[]
  readonly potentialComposite: readonly (readonly string[])[]
}

export function indexAdvice(policy: IndexingPolicy, query: AdvisedQuery): IndexAdvice {
  const utilizedComposite = usedComposites(policy, query)
  const potentialComposite = utilizedComposite.length > 0 ? [] : missingComposites(query)
  const used = singlePaths(query, potentialComposite.length > 0)
  const found = (isFound: boolean): readonly SingleIndex[] =>
    used
      .filter(({ steps }) => isIndexed(policy, steps) === isFound)
      .map(({ steps, text }) => ({ spec: `${pathText(steps)}/?`, expression: text }))
  return { utilizedSingle: found(true), potentialSingle: found(false), utilizedComposite, potentialComposite }
}

/**
 * Returns the paths of predicates and of ORDER BY. The paths and their order agree with recorded answers of
 * the service. `id` comes last. If both a predicate and the only item of ORDER BY use a path, the path is
 * left out, unless it is the only path or a composite index is missing.
 */
function singlePaths(
  { order, usedPaths }: AdvisedQuery,
  lacksComposite: boolean,
): readonly { readonly steps: PathSteps; readonly text: string }[] {
  const byPath = new Map<string, { readonly steps: PathSteps; readonly text: string }>()
  for (const { steps, text } of usedPaths().predicates) {
    const name = pathText(steps)
    const before = byPath.get(name)
    if (before === undefined) byPath.set(name, { steps, text })
  }
  for (const { steps } of order) {
    const name = pathText(steps)
    if (!byPath.has(name)) byPath.set(name, { steps, text: '' })
    else if (byPath.size > 1 && order.length === 1 && !lacksComposite) byPath.delete(name)
  }
  const id = byPath.get('/id')
  byPath.delete('/id')
  return [...byPath.values(), ...(id === undefined ? [] : [id])]
}

function usedComposites(policy: IndexingPolicy, query: AdvisedQuery): readonly (readonly string[])[] {
  const ordered = orderIndex(policy, query)
  const indexes = [...filterIndexes(policy, query), ...(ordered === undefined ? [] : [ordered])]
  const several = indexes.filter(({ paths }) => paths.length > 1).map(({ paths }) => paths)
  return [...new Set(several)].map((paths) => paths.map(orderedText))
}

/**
 * Returns composite indexes that would help: equalities and then a range, equalities and then ORDER BY, or
 * equalities on several keys of GROUP BY.
 */
function missingComposites({ conditions, order, usedPaths }: AdvisedQuery): readonly (readonly string[])[] {
  const points = conditions.filter(({ spans }) => spans.every(isPoint)).map(({ steps }) => ascending(steps))
  if (points.length === 0) return []
  const names = conditions.map(({ steps }) => pathText(steps))
  const ranges = conditions.filter(({ spans }) => !spans.every(isPoint)).map(({ steps }) => ascending(steps))
  if (ranges.length > 0) return ranges.map((range) => [...points, range].map(orderedText))
  const open = order.filter(({ steps }) => !names.includes(pathText(steps)))
  if (open.length > 0) return [[...points, ...open].map(orderedText)]
  const grouped = usedPaths().groupBy.filter((steps) => names.includes(pathText(steps)))
  return grouped.length > 1 ? [grouped.map((steps) => orderedText(ascending(steps)))] : []
}

function ascending(steps: PathSteps): OrderedPath {
  return { steps, isDescending: false }
}

function orderedText({ steps, isDescending }: OrderedPath): string {
  return `${pathText(steps)} ${isDescending ? 'DESC' : 'ASC'}`
}

function pathText(steps: PathSteps): string {
  return steps.map((step) => `/${stepText(step)}`).join('')
}

function stepText(step: string | number): string {
  if (typeof step === 'number') return '[]'
  return /^[\p{L}\p{N}_]+$/u.test(step) ? step : `"${step.replace(/["\\]/gu, '\\$&')}"`
}
