import { unwrapped, type Expression, type Query, type SelectItem } from '../language/ast.js'
import { buildObject, compileExpression } from './compile-expression.js'
import { QueryError } from '../language/query-error.js'
import type { Evaluate, Scope } from './scope.js'

/**
 * Compiles a selection to a function that returns the row for a frame. The function returns undefined if
 * there is no row, because the value of SELECT VALUE is undefined.
 */
export function compileSelection({ selection, sources }: Query, scope: Scope): Evaluate {
  switch (selection.kind) {
    case 'all': {
      const slot = scope.width - 1
      if (sources.length === 1) return (frame) => frame[slot]
      const reason =
        sources.length === 0
          ? "'SELECT *' is not valid if FROM clause is omitted."
          : "'SELECT *' is only valid with a single input set."
      throw new QueryError('BadRequest', reason, selection.span)
    }
    case 'value':
      return compileExpression(selection.expression, scope)
    case 'list':
      return compileList(selection.items, scope)
  }
}

function compileList(items: readonly SelectItem[], scope: Scope): Evaluate {
  return buildObject(
    namedItems(items).map(({ name, expression }) => [name, compileExpression(expression, scope)] as const),
  )
}

/** A selected expression with the name that it has in a row. */
export interface NamedItem {
  readonly name: string
  readonly expression: Expression
}

/**
 * Returns the selected expressions with their names. An expression without a name gets `$1`, `$2` and so on.
 */
export function namedItems(items: readonly SelectItem[]): readonly NamedItem[] {
  const named = new Map<string, Expression>()
  let unnamed = 0
  for (const { expression, alias } of items) {
    const name = alias ?? ownName(expression) ?? `$${(unnamed += 1)}`
    if (named.has(name)) {
      throw new QueryError(
        'BadRequest',
        `'${name}' is selected twice; give one of the two an alias.`,
        expression.span,
      )
    }
    named.set(name, expression)
  }
  return Array.from(named, ([name, expression]) => ({ name, expression }))
}

/** Returns the default name of an expression: `c.a.b` is named b, and c is named c. */
function ownName(expression: Expression): string | undefined {
  const inner = unwrapped(expression)
  if (inner.kind === 'source') return inner.name
  if (inner.kind !== 'member' || inner.key.kind !== 'literal') return undefined
  return typeof inner.key.value === 'string' ? inner.key.value : undefined
}
