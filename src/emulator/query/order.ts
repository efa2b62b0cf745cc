import { pathOf, type OrderItem } from './language/ast.js'
import type { QueryDocument } from './compiled-query.js'
import { compileExpression } from './compile-expression.js'
import { QueryError } from './language/query-error.js'
import type { Scope } from './scope.js'
import { compareValues } from './functions/values.js'

/**
 * Compiles an ORDER BY clause. Keeps a document without the property and puts it first, as the service does
 * since its range indexes contain undefined values. Equal documents keep their order.
 */
export function compileOrder(
  items: readonly OrderItem[],
  scope: Scope,
): (documents: Iterable<QueryDocument>) => QueryDocument[] {
  const keys = items.map(({ expression, isDescending }) => {
    if ((pathOf(expression)?.length ?? 0) === 0) {
      const reason =
        'Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.'
      throw new QueryError('BadRequest', reason, expression.span)
    }
    return { evaluate: compileExpression(expression, scope), sign: isDescending ? -1 : 1 }
  })
  return (documents) =>
    Array.from(documents, (document) => ({
      document,
      values: keys.map(({ evaluate }) => evaluate(document)),
    }))
      .sort((left, right) => {
        for (const [index, { sign }] of keys.entries()) {
          const difference = compareValues(left.values[index], right.values[index])
          if (difference !== 0) return difference * sign
        }
        return 0
      })
      .map(({ document }) => document)
}
