import { pathOf, unwrapped, type Expression } from './language/ast.js'
import { compileExpression } from './compile-expression.js'
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
  const requiredTexts: string[] = []
  for (const { steps, value } of conjuncts.flatMap((conjunct) => equalityOf(conjunct, scope) ?? [])) {
    // The JSON of every matching document contains the constant's, whatever the path.
    if (typeof value === 'string' && value.length <= longestRequiredText) {
      requiredTexts.push(JSON.stringify(value))
    }
    const path = steps.join('.')
    // A name with a dot in it would look like a nested one.
    const isNamed = steps.every((step) => typeof step === 'string' && !step.includes('.'))
    if (isNamed && isPrimitive(value) && !equalities.has(path)) equalities.set(path, value)
  }
  return {
    matches: (document) => {
      for (const conjunct of compiled) if (conjunct(document) !== true) return false
      return true
    },
    equalities,
    requiredTexts,
  }
}

/** The longest text worth searching for in every document. */
const longestRequiredText = 200

function conjunctsOf(where: Expression): Expression[] {
  const inner = unwrapped(where)
  return inner.kind === 'logical' && inner.operator === 'AND' ? inner.operands.flatMap(conjunctsOf) : [inner]
}

/** Returns the path and the constant that a conjunct compares. */
function equalityOf(
  conjunct: Expression,
  scope: Scope,
): { readonly steps: readonly (string | number)[]; readonly value: unknown } | undefined {
  if (conjunct.kind !== 'binary' || conjunct.operator !== '=') return undefined
  const { left, right } = conjunct
  const [property, constant] = pathOf(left) === undefined ? [right, left] : [left, right]
  const steps = pathOf(property) ?? []
  return steps.length === 0 ? undefined : { steps, value: constantOf(constant, scope) }
}

function constantOf(expression: Expression, scope: Scope): unknown {
  const inner = unwrapped(expression)
  if (inner.kind === 'literal') return inner.value
  if (inner.kind === 'parameter') return parameterValue(inner, scope)
  if (inner.kind !== 'unary' || inner.operator !== '-') return undefined
  const value = constantOf(inner.operand, scope)
  return typeof value === 'number' ? 0 - value : undefined
}
