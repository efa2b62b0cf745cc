import type { Query, Selection } from '../language/ast.js'
import type { Span } from '../language/query-error.js'
import { isGrouped } from '../select/rows.js'
import { namedItems } from '../select/selection.js'
import type { Window } from '../select/window.js'
import { partialItem } from './aggregate-items.js'

/** Returns the user's text at a place. */
export type Slice = (span: Span) => string

/** The text that clients replace with a filter when they continue in the middle of an ordered query. */
export const continuationFilter = '{documentdb-formattableorderbyquery-filter}'

/**
 * Returns the query that a client sends to each range, so that it can merge the answers. If the query groups
 * or orders, each row has the user's row as its `payload`, and beside it what the merge needs
 * (`orderByItems`, `groupByItems`, parts of aggregates). Returns an empty string if the ranges can answer the
 * query as it is.
 *
 * The parts are copied from the user's text, so parameters and comments are kept.
 */
export function rewrite(query: Query, window: Window, slice: Slice): string {
  if (isGrouped(query))
    return clauses(query, slice, [groupedSelection(query, slice), fromWhere(query, slice)])
  if (query.orderBy.length > 0) return rewriteOrdered(query, window, slice)
  if (query.page === undefined) return ''
  const distinct = query.isDistinct ? 'DISTINCT ' : ''
  const selection = slice(query.selectionSpan)
  return `SELECT ${distinct}${selection} ${fromWhere(query, slice)}${allOfFirstRows(window)}`
}

function clauses({ groupBy }: Query, slice: Slice, parts: readonly string[]): string {
  const keys = groupBy.map(({ span }) => slice(span)).join(', ')
  return `SELECT ${parts.join(' ')}${keys === '' ? '' : ` GROUP BY ${keys}`}`
}

/** TOP, DISTINCT and OFFSET are left out, because a client applies them to the merged groups. */
function groupedSelection({ selection, groupBy }: Query, slice: Slice): string {
  const payload =
    selection.kind === 'value'
      ? valuePayload(selection, slice)
      : payloadOf(selection, '', (expression) => partialItem(expression, slice))
  if (groupBy.length > 0) {
    const items = groupBy.map(({ span }) => `{"item": ${slice(span)}}`).join(', ')
    return `[${items}] AS groupByItems, ${payload} AS payload`
  }
  return selection.kind === 'value' ? `VALUE ${payload}` : `${payload} AS payload`
}

/** Puts an aggregate into an array, as clients expect. Any other expression stays as it is. */
function valuePayload({ expression }: Extract<Selection, { kind: 'value' }>, slice: Slice): string {
  const item = partialItem(expression, slice)
  return item === slice(expression.span) ? item : `[${item}]`
}

function rewriteOrdered(query: Query, window: Window, slice: Slice): string {
  const [source] = query.sources
  const alias = source?.alias ?? 'c'
  const items = query.orderBy.map(({ expression }) => `{"item": ${slice(expression.span)}}`).join(', ')
  const payload = payloadOf(query.selection, alias, ({ span }) => slice(span))
  const order = query.orderBy
    .map(({ expression, direction }) => `${slice(expression.span)}${direction === 'DESC' ? ' DESC' : ''}`)
    .join(', ')
  // A client removes duplicates before it counts rows, so with DISTINCT each range must return all its rows.
  const top = query.top === undefined || query.isDistinct ? '' : `TOP ${window.take} `
  const filter = conditionsOf(query, payload, slice).map((condition) => `${condition} AND `)
  const rest = query.page === undefined || query.isDistinct ? '' : allOfFirstRows(window)
  return (
    `SELECT ${top}${alias}._rid, [${items}] AS orderByItems, ${payload} AS payload ${slice(query.fromSpan)} ` +
    `WHERE ${filter.join('')}(${continuationFilter}) ORDER BY ${order}${rest}`
  )
}

/**
 * Returns the conditions for the rows of a range. If the value of SELECT VALUE is undefined, the query has no
 * row. A client would count such a payload in TOP and OFFSET LIMIT, so the range must leave it out.
 */
function conditionsOf({ selection, where }: Query, payload: string, slice: Slice): readonly string[] {
  const filter = where === undefined ? [] : [`(${slice(where.span)})`]
  return selection.kind === 'value' ? [...filter, `IS_DEFINED(${payload})`] : filter
}

/** Returns an expression for the row that the user selects. */
export function payloadOf(
  selection: Selection,
  alias: string,
  textOf: (expression: Extract<Selection, { kind: 'value' }>['expression']) => string,
): string {
  switch (selection.kind) {
    case 'all':
      return alias
    case 'value':
      return textOf(selection.expression)
    case 'list':
      return `{${namedItems(selection.items)
        .map(({ name, expression }) => `${JSON.stringify(name)}: ${textOf(expression)}`)
        .join(', ')}}`
  }
}

function fromWhere({ fromSpan, where }: Query, slice: Slice): string {
  return `${slice(fromSpan)}${where === undefined ? '' : ` WHERE ${slice(where.span)}`}`
}

/**
 * Returns the OFFSET LIMIT clause for one range. The client skips rows after the merge, so the range must
 * return all rows that the merge may need: its first `skip + take` rows.
 */
function allOfFirstRows({ skip, take }: Window): string {
  return ` OFFSET 0 LIMIT ${skip + take}`
}
