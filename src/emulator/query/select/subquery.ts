import type { Expression, Query, Subquery } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { refuseLongResult, sizeOf } from '../language/query-limits.js'
import type { Evaluate, Scope } from './scope.js'

const noDocuments: readonly unknown[] = []

/** Compiles a query within an expression. The inner query runs once for each frame of the outer query. */
export function compileSubquery({ form, query }: Subquery, scope: Scope): Evaluate {
  refuseCut(query)
  const { rows, isSingle } = scope.select(form === 'ALL' ? counterexamples(query) : query, scope)
  switch (form) {
    case 'scalar':
      if (!isSingle) {
        const reason = 'The cardinality of a scalar subquery result set cannot be greater than one.'
        throw new QueryError('BadRequest', reason, query.span)
      }
      return (frame) => first(rows(frame, noDocuments))
    case 'FIRST':
      return (frame) => first(rows(frame, noDocuments))
    case 'LAST':
      return (frame) => [...rows(frame, noDocuments)].at(-1)
    case 'EXISTS':
      return (frame) => !isEmpty(rows(frame, noDocuments))
    case 'ALL':
      return (frame) => isEmpty(rows(frame, noDocuments))
    case 'ARRAY':
      return (frame) => {
        const array = [...rows(frame, noDocuments)]
        refuseLongResult(sizeOf(array))
        return array
      }
  }
}

/** Refuses the clauses that the service allows only in the outermost query. */
export function refuseCut({ orderBy, rank, page, top, span }: Query): void {
  const order = orderBy[0]?.expression ?? rank
  if (order !== undefined) throw notInSubquery('ORDER BY', order.span)
  if (page !== undefined) throw notInSubquery('OFFSET LIMIT', page.span)
  if (top !== undefined) throw notInSubquery('TOP', span)
}

function notInSubquery(clause: string, span: Query['span']): QueryError {
  return new QueryError('BadRequest', `'${clause}' is not supported in subqueries.`, span)
}

/**
 * Returns a query for the rows for which the filter is false. ALL is true if there are no such rows, so a row
 * for which the filter is undefined does not count.
 */
function counterexamples(query: Query): Query {
  const { span } = query
  const always: Expression = { kind: 'literal', value: true, span }
  return {
    ...query,
    selection: { kind: 'value', expression: always },
    where: { kind: 'unary', operator: 'NOT', operand: query.where ?? always, span },
  }
}

function first(rows: Iterable<unknown>): unknown {
  for (const row of rows) return row
  return undefined
}

function isEmpty(rows: Iterable<unknown>): boolean {
  for (const _row of rows) return false
  return true
}
