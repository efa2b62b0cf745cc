import { documentAlias, pathOf, rootOf, type Expression, type Query } from './language/ast.js'
import { compileExpression } from './compile-expression.js'
import { QueryError } from './language/query-error.js'
import type { Evaluate, Frame, Scope } from './scope.js'
import { compareValues } from './functions/values.js'

/**
 * Compiles an ORDER BY clause. Keeps a document without the property and puts it first, as the service does
 * since its range indexes contain undefined values. Equal documents keep their order. Returns undefined
 * without the clause.
 */
export function compileOrder(
  query: Query,
  scope: Scope,
): ((frames: Iterable<Frame>) => readonly Frame[]) | undefined {
  if (query.orderBy.length === 0) return undefined
  const alias = documentAlias(query)
  const keys = query.orderBy.map(({ expression, isDescending }) => ({
    evaluate: compileKey(expression, alias, scope),
    sign: isDescending ? -1 : 1,
  }))
  return (frames) =>
    Array.from(frames, (frame) => ({ frame, values: keys.map(({ evaluate }) => evaluate(frame)) }))
      .sort((left, right) => {
        for (const [index, { sign }] of keys.entries()) {
          const difference = compareValues(left.values[index], right.values[index])
          if (difference !== 0) return difference * sign
        }
        return 0
      })
      .map(({ frame }) => frame)
}

function compileKey(expression: Expression, alias: string | undefined, scope: Scope): Evaluate {
  const evaluate = compileExpression(expression, scope)
  const root = rootOf(expression)
  if (root === undefined || (pathOf(expression)?.length ?? 0) === 0) {
    const reason =
      'Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.'
    throw new QueryError('BadRequest', reason, expression.span)
  }
  if (root !== alias) {
    const reason = 'Order-by over correlated collections is not supported.'
    throw new QueryError('BadRequest', reason, expression.span)
  }
  return evaluate
}
