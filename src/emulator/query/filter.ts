import { unwrapped, type Expression } from './language/ast.js'
import { compileExpression } from './compile-expression.js'
import { pathOf } from './paths.js'
import { parameterValue, type Scope } from './scope.js'
import { isPrimitive } from './functions/values.js'

/** A compiled WHERE clause, and what is known about matching documents. */
export interface Filter {
  /** Returns whether a document passes. Only `true` passes; false and undefined do not. */
  readonly matches: (document: unknown) => boolean
  /** See `CompiledQuery.equalities`. */
  readonly equalities: ReadonlyMap<string, unknown>
  /** See `CompiledQuery.requiredTexts`. */
  readonly requiredTexts: readonly string[]
}

/** Compiles a WHERE clause. Without one, every document passes. */
export function compileFilter(where: Expression | undefined, scope: Scope): Filter {
  const conjuncts = where === undefined ? [] : conjunctsOf(where)
  const compiled = conjuncts.map((conjunct) => compileExpression(conjunct, scope))
  const equalities = new Map<string, unknown>()
  for (const conjunct of conjuncts) {
    const equality = equalityOf(conjunct, scope)
    if (equality !== undefined && !equalities.has(equality.path))
      equalities.set(equality.path, equality.value)
  }
  return {
    matches: (document) => {
      for (const conjunct of compiled) if (conjunct(document) !== true) return false
      return true
    },
    equalities,
    requiredTexts: conjuncts.flatMap((conjunct) => requiredText(conjunct, scope) ?? []),
  }
}

/** The longest text worth searching for in every document. */
const longestRequiredText = 200

/** Returns the constant's JSON text, which every matching document contains, whatever the path. */
function requiredText(conjunct: Expression, scope: Scope): string | undefined {
  if (conjunct.kind !== 'binary' || conjunct.operator !== '=') return undefined
  const { left, right } = conjunct
  const [path, constant] = pathOf(left) === undefined ? [right, left] : [left, right]
  const value = (pathOf(path)?.length ?? 0) === 0 ? undefined : constantOf(constant, scope)
  return typeof value === 'string' && value.length <= longestRequiredText ? JSON.stringify(value) : undefined
}

function conjunctsOf(where: Expression): Expression[] {
  const inner = unwrapped(where)
  return inner.kind === 'logical' && inner.operator === 'AND' ? inner.operands.flatMap(conjunctsOf) : [inner]
}

function equalityOf(conjunct: Expression, scope: Scope): { path: string; value: unknown } | undefined {
  if (conjunct.kind !== 'binary' || conjunct.operator !== '=') return undefined
  const { left, right } = conjunct
  const [property, constant] = pathOf(left) === undefined ? [right, left] : [left, right]
  const steps = pathOf(property)
  if (steps === undefined || steps.length === 0) return undefined
  // A name with a dot in it would look like a nested one.
  if (steps.some((step) => typeof step === 'number' || step.includes('.'))) return undefined
  const value = constantOf(constant, scope)
  return isPrimitive(value) ? { path: steps.join('.'), value } : undefined
}

function constantOf(expression: Expression, scope: Scope): unknown {
  const inner = unwrapped(expression)
  if (inner.kind === 'literal') return inner.value
  if (inner.kind === 'parameter') return parameterValue(inner, scope)
  if (inner.kind !== 'unary' || inner.operator !== '-') return undefined
  const value = constantOf(inner.operand, scope)
  return typeof value === 'number' ? 0 - value : undefined
}
