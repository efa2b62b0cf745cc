import { unwrapped, type Query } from '../language/ast.js'
import { isAggregate } from '../select/aggregates.js'
import { combiningSource } from '../select/container-reading.js'
import { namedItems } from '../select/selection.js'

/** Returns the only source of a query if it is a subquery whose rows depend on several documents. */
function onlyCombined({ sources, where, groupBy }: Query): Query | undefined {
  const [source] = sources
  if (source?.collection.kind !== 'query' || sources.length > 1 || source.isIterated) return undefined
  return where === undefined && groupBy.length === 0 ? source.collection.query : undefined
}

/**
 * Returns the inner query of `SELECT * FROM (SELECT DISTINCT … FROM c)`, with DISTINCT, TOP and OFFSET LIMIT
 * of the outer query. The result has the same rows, and a client can merge them. Returns any other query as
 * it is.
 */
export function flattened(query: Query): Query {
  const inner = combiningSource(query) === undefined ? undefined : onlyCombined(query)
  if (inner === undefined || !isIdentity(query)) return query
  const { isDistinct, top, page } = query
  return flattened({ ...inner, isDistinct: isDistinct || inner.isDistinct, top, page })
}

/** Checks whether the rows of a query are the values of its source. */
function isIdentity({ selection, sources }: Query): boolean {
  if (selection.kind === 'all') return true
  if (selection.kind !== 'value') return false
  const value = unwrapped(selection.expression)
  return value.kind === 'source' && value.name === sources[0]?.alias
}

/** A subquery whose rows a query counts. */
interface CountedRows {
  readonly query: Query
  /** The name of the number in the row, or an empty string if the row is the number itself. */
  readonly alias: string
}

/** Returns the subquery of `SELECT VALUE COUNT(1) FROM (SELECT DISTINCT … FROM c)`. */
export function countedRows(query: Query): CountedRows | undefined {
  const inner = combiningSource(query) === undefined ? undefined : onlyCombined(query)
  const { selection, isDistinct, top, page } = query
  if (inner === undefined || isDistinct || top !== undefined || page !== undefined) return undefined
  if (selection.kind === 'all') return undefined
  const [item, ...others] =
    selection.kind === 'value'
      ? [{ name: '', expression: selection.expression }]
      : namedItems(selection.items)
  if (item === undefined || others.length > 0) return undefined
  const call = unwrapped(item.expression)
  if (call.kind !== 'call' || call.name.toUpperCase() !== 'COUNT' || !isAggregate(call)) return undefined
  const [argument] = call.arguments
  const isEvery = argument?.kind === 'literal' && argument.value !== undefined
  return isEvery ? { query: inner, alias: item.name } : undefined
}
