import { pathOf, rootOf, unwrapped, type Expression } from '../language/ast.js'
import { compileExpression } from './compile-expression.js'
import { parameterValue, type Frame, type Scope } from './scope.js'
import { isPrimitive } from '../values/values.js'

/** A compiled WHERE clause, and what is known about matching documents. */
export interface Filter {
  /** Checks whether a frame passes: the condition must be `true`, and neither false nor undefined. */
  readonly matches: (frame: Frame) => boolean
  /** Equalities between a property and a constant. Every frame that passes fulfils them. */
  readonly equalities: readonly Equality[]
}

/** An equality between a property and a constant, such as `c.a.b = 1`. */
export interface Equality {
  /** The alias of the value that has the property. */
  readonly alias: string
  readonly steps: readonly (string | number)[]
  readonly value: unknown
}

/** Compiles a WHERE clause. Without one, every row passes. */
export function compileFilter(where: Expression | undefined, scope: Scope): Filter {
  const conjuncts = where === undefined ? [] : conjunctsOf(where)
  const compiled = conjuncts.map((conjunct) => compileExpression(conjunct, scope))
  return {
    matches: (frame) => {
      for (const conjunct of compiled) if (conjunct(frame) !== true) return false
      return true
    },
    equalities: conjuncts.flatMap((conjunct) => equalityOf(conjunct, scope) ?? []),
  }
}

/** What the equalities of a filter say about the documents that pass. */
export interface DocumentHints {
  /** See `CompiledQuery.equalities`. */
  readonly equalities: ReadonlyMap<string, unknown>
  /** See `CompiledQuery.requiredTexts`. */
  readonly requiredTexts: readonly string[]
}

/** The longest text worth searching for in every document. */
const longestRequiredText = 200

/** Returns what is known about documents with this alias that pass a filter. */
export function hintsOf({ equalities }: Filter, alias: string | undefined): DocumentHints {
  const byPath = new Map<string, unknown>()
  const requiredTexts: string[] = []
  for (const { steps, value } of equalities.filter((equality) => equality.alias === alias)) {
    // The JSON of every matching document contains the constant's JSON, whatever the path.
    if (typeof value === 'string' && value.length <= longestRequiredText) {
      requiredTexts.push(JSON.stringify(value))
    }
    const path = steps.join('.')
    // A property name with a dot in it would look like a nested property.
    const isNamed = steps.every((step) => typeof step === 'string' && !step.includes('.'))
    if (isNamed && isPrimitive(value) && !byPath.has(path)) byPath.set(path, value)
  }
  return { equalities: byPath, requiredTexts }
}

function conjunctsOf(where: Expression): Expression[] {
  const inner = unwrapped(where)
  return inner.kind === 'logical' && inner.operator === 'AND' ? inner.operands.flatMap(conjunctsOf) : [inner]
}

/**
 * Returns the equality that a conjunct states, or undefined if it states none. The value is undefined if the
 * other side is not constant.
 */
function equalityOf(conjunct: Expression, scope: Scope): Equality | undefined {
  if (conjunct.kind !== 'binary' || conjunct.operator !== '=') return undefined
  const { left, right } = conjunct
  const [property, constant] = pathOf(left) === undefined ? [right, left] : [left, right]
  const alias = rootOf(property)
  const steps = pathOf(property) ?? []
  if (alias === undefined || steps.length === 0) return undefined
  return { alias, steps, value: constantOf(constant, scope) }
}

function constantOf(expression: Expression, scope: Scope): unknown {
  const inner = unwrapped(expression)
  if (inner.kind === 'literal') return inner.value
  if (inner.kind === 'parameter') return parameterValue(inner, scope)
  if (inner.kind !== 'unary' || inner.operator !== '-') return undefined
  const value = constantOf(inner.operand, scope)
  return typeof value === 'number' ? 0 - value : undefined
}
