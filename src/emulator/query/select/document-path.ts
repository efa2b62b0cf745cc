import { documentAlias, pathOf, rootOf, type Expression, type Query } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { compileExpression } from './compile-expression.js'
import type { Evaluate, Scope } from './scope.js'

/** Compiles an expression that orders documents. Refuses all but paths in the documents of the container. */
export function compileDocumentPath(expression: Expression, query: Query, scope: Scope): Evaluate {
  const evaluate = compileExpression(expression, scope)
  const root = rootOf(expression)
  if (root === undefined || (pathOf(expression)?.length ?? 0) === 0) {
    const reason =
      'Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.'
    throw new QueryError('BadRequest', reason, expression.span)
  }
  if (root !== documentAlias(query)) {
    const reason = 'Order-by over correlated collections is not supported.'
    throw new QueryError('BadRequest', reason, expression.span)
  }
  return evaluate
}
