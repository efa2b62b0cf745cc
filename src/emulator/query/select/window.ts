import type { Count, Query } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { parameterValue, type Scope } from './scope.js'

/** The requested rows: `take` of them after `skip`. */
export interface Window {
  readonly skip: number
  readonly take: number
}

/**
 * Returns the window that TOP, or OFFSET with LIMIT, requests. Without these clauses, it contains all rows.
 */
export function windowOf({ top, page }: Query, scope: Scope): Window {
  if (top !== undefined && page !== undefined) {
    throw new QueryError(
      'BadRequest',
      'TOP and OFFSET LIMIT are not allowed in one query; use LIMIT.',
      page.span,
    )
  }
  if (top !== undefined) return { skip: 0, take: countOf(top, 'TOP', scope) }
  if (page === undefined) return { skip: 0, take: Infinity }
  return { skip: countOf(page.skip, 'OFFSET', scope), take: countOf(page.take, 'LIMIT', scope) }
}

/** The largest number that the service accepts in TOP, OFFSET and LIMIT. */
const mostRows = 2 ** 31 - 1

function countOf(count: Count, clause: string, scope: Scope): number {
  const value = count.kind === 'literal' ? count.value : parameterValue(count, scope)
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > mostRows) {
    const reason = `${clause} takes a whole number from 0 to ${mostRows}, not ${JSON.stringify(value)}.`
    throw new QueryError('BadRequest', reason, count.span)
  }
  return value
}

/** Yields the rows inside a window. Reads no more rows than necessary. */
export function* cut(rows: Iterable<unknown>, { skip, take }: Window): Generator {
  if (take === 0) return
  let seen = 0
  for (const row of rows) {
    seen += 1
    if (seen > skip) yield row
    if (seen >= skip + take) return
  }
}
