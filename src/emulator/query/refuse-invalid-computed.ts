import { compileQuery } from './compile-query.js'
import { computedValue } from './computed/computed-property.js'
import { childrenOf, pathOf, rootOf, type Expression } from './language/ast.js'
import { QueryError } from './language/query-error.js'

/**
 * Throws {@link QueryError} if this query cannot define a computed property, for example because it uses
 * another computed property.
 *
 * @param names the names of all computed properties of the container
 */
export function refuseInvalidComputed(text: string, names: readonly string[]): void {
  const { expression, alias } = computedValue(text)
  compileQuery(text, [])
  const used = names.find((name) => readsProperty(expression, alias, name))
  if (used === undefined) return
  const reason = `The query of a computed property must not use the computed property '${used}'.`
  throw new QueryError('BadRequest', reason, expression.span)
}

function readsProperty(expression: Expression, alias: string, name: string): boolean {
  const isIt = rootOf(expression) === alias && pathOf(expression)?.[0] === name
  return isIt || childrenOf(expression).some((child) => readsProperty(child, alias, name))
}
