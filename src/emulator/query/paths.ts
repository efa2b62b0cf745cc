import { unwrapped, type Expression } from './language/ast.js'

/**
 * Returns the steps from a document to a property (`c.a["b"][0]`), or undefined when the expression is not such a
 * path.
 */
export function pathOf(expression: Expression): readonly (string | number)[] | undefined {
  const inner = unwrapped(expression)
  if (inner.kind === 'source') return []
  if (inner.kind !== 'member' || inner.key.kind !== 'literal') return undefined
  const { value } = inner.key
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const parent = pathOf(inner.object)
  return parent === undefined ? undefined : [...parent, value]
}
