import { containsAggregate } from './aggregates.js'
import { pathOf, selectedExpressions, type Query } from '../language/ast.js'
import { compileGroups } from './groups.js'
import { compileOrder } from './order.js'
import { QueryError } from '../language/query-error.js'
import { refuseLongResult, sizeOf } from '../language/query-limits.js'
import type { Evaluate, Frame, QueryScopes } from './scope.js'
import { compileSelection } from './selection.js'
import type { Window } from './window.js'

/**
 * Turns filtered frames into rows, before duplicates are removed and the window is applied. The scores of
 * documents depend on all documents of the container.
 */
export type MakeRows = (frames: Iterable<Frame>, outer: Frame, all: Iterable<unknown>) => Iterable<unknown>

interface CompiledRows {
  readonly makeRows: MakeRows
  /**
   * True if there is at most one row, however many frames there are: the query has an aggregate but no GROUP
   * BY.
   */
  readonly isSingle: boolean
}

/** Checks whether a row can depend on several frames, because the query has an aggregate or GROUP BY. */
export function isGrouped({ selection, groupBy }: Query): boolean {
  return groupBy.length > 0 || selectedExpressions(selection).some(containsAggregate)
}

export function compileRows(query: Query, { skip, take }: Window, scopes: QueryScopes): CompiledRows {
  // Undefined and repeated rows do not count in the window, so later frames may have to take their place.
  const isCut = !query.isDistinct && query.selection.kind !== 'value'
  const sort = compileOrder(query, scopes.inner, isCut ? skip + take : Infinity)
  if (isGrouped(query)) return compileGroupedRows(query, scopes)
  const rowOf = bounded(query.selection, compileSelection(query, scopes.inner))
  const makeRows: MakeRows =
    sort === undefined
      ? (frames) => defined(frames, rowOf)
      : (frames, _outer, all) => defined(sort(frames, all), rowOf)
  return { makeRows, isSingle: false }
}

function compileGroupedRows(query: Query, scopes: QueryScopes): CompiledRows {
  const { selection, groupBy } = query
  const [firstKey] = groupBy
  const firstOrder = query.orderBy[0]?.expression ?? query.rank
  if (selection.kind === 'all') {
    throw new QueryError('BadRequest', "'SELECT *' is not valid with GROUP BY.", selection.span)
  }
  if (firstOrder !== undefined && firstKey !== undefined) {
    const reason = 'GROUP BY and ORDER BY are not allowed in one query.'
    throw new QueryError('BadRequest', reason, firstOrder.span)
  }
  const { scope, groups } = compileGroups(query, scopes)
  const rowOf = bounded(selection, compileSelection(query, scope))
  return {
    makeRows: (frames, outer) => defined(groups(frames, outer), rowOf),
    isSingle: firstKey === undefined,
  }
}

/** Limits the length of rows that a query constructs, such as `[c, c, c, …]`. */
function bounded(selection: Query['selection'], rowOf: Evaluate): Evaluate {
  if (selection.kind === 'all' || (selection.kind === 'value' && pathOf(selection.expression) !== undefined))
    return rowOf
  return (frame) => {
    const row = rowOf(frame)
    refuseLongResult(sizeOf(row))
    return row
  }
}

function* defined(frames: Iterable<Frame>, rowOf: Evaluate): Generator {
  for (const frame of frames) {
    const row = rowOf(frame)
    if (row !== undefined) yield row
  }
}
