import { accumulatorOf, containsAggregate } from './aggregates.js'
import { pathOf, selectedExpressions, type Call, type Query } from './language/ast.js'
import { compileExpression } from './compile-expression.js'
import type { QueryDocument } from './compiled-query.js'
import { compileOrder } from './order.js'
import { QueryError } from './language/query-error.js'
import { refuseLongResult, sizeOf } from './language/query-limits.js'
import { refuseWrongCount } from './functions/query-function.js'
import type { Evaluate, Scope } from './scope.js'
import { compileSelection } from './selection.js'

/** Turns filtered documents into rows, before duplicates are removed and the window is cut. */
export type MakeRows = (documents: Iterable<QueryDocument>) => Iterable<unknown>

export function isAggregated({ selection }: Query): boolean {
  return selectedExpressions(selection).some(containsAggregate)
}

export function compileRows(query: Query, scope: Scope): MakeRows {
  if (isAggregated(query)) return compileAggregated(query, scope)
  const rowOf = bounded(query.selection, compileSelection(query.selection, scope))
  if (query.orderBy.length === 0) return (documents) => defined(documents, rowOf)
  const sort = compileOrder(query.orderBy, scope)
  return (documents) => defined(sort(documents), rowOf)
}

/** Limits the length of rows that a query constructs, such as `[c, c, c, …]`. */
function bounded(selection: Query['selection'], rowOf: Evaluate): Evaluate {
  if (selection.kind === 'all' || (selection.kind === 'value' && pathOf(selection.expression) !== undefined))
    return rowOf
  return (input) => {
    const row = rowOf(input)
    refuseLongResult(sizeOf(row, 0))
    return row
  }
}

function* defined(documents: Iterable<QueryDocument>, rowOf: Evaluate): Generator {
  for (const document of documents) {
    const row = rowOf(document)
    if (row !== undefined) yield row
  }
}

/**
 * Compiles an aggregated query, which returns one row for all documents. Evaluates the selection once, over
 * the aggregates' results instead of a document.
 */
function compileAggregated({ selection, orderBy }: Query, scope: Scope): MakeRows {
  const [firstOrder] = orderBy
  if (firstOrder !== undefined) {
    const reason = 'ORDER BY has no meaning for the one row of an aggregate; leave it out.'
    throw new QueryError('BadRequest', reason, firstOrder.expression.span)
  }
  const calls: { readonly call: Call; readonly argument: Evaluate }[] = []
  const rowOf = bounded(
    selection,
    compileSelection(selection, {
      parameters: scope.parameters,
      time: scope.time,
      source: ({ name, span }) => {
        const reason =
          `'${name}' may only stand within an aggregate here, since the query selects an ` +
          'aggregate and has no GROUP BY.'
        throw new QueryError('BadRequest', reason, span)
      },
      aggregate: (call) => {
        refuseWrongCount(call, 1, 1)
        const position = calls.length
        calls.push(
          ...call.arguments.map((argument) => ({ call, argument: compileExpression(argument, scope) })),
        )
        return (results) => (Array.isArray(results) ? (results[position] as unknown) : undefined)
      },
    }),
  )
  return (documents) => {
    const running = calls.map(({ call, argument }) => ({ argument, accumulator: accumulatorOf(call) }))
    for (const document of documents) {
      for (const { argument, accumulator } of running) accumulator.add(argument(document))
    }
    const row = rowOf(running.map(({ accumulator }) => accumulator.result()))
    return row === undefined ? [] : [row]
  }
}
