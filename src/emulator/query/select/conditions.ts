import { pathOf, rootOf, unwrapped, type Binary, type Call, type Expression } from '../language/ast.js'
import { parameterValue, type Scope } from './scope.js'
import { intersectionOf, pointSpan, prefixSpan, spanOf, type Span } from '../values/span.js'
import { canonicalText, isPrimitive } from '../values/values.js'

/**
 * States that the value at a path lies in one of several spans. The statement is true for every frame that
 * passes a filter.
 */
export interface Condition {
  /** The alias with which the path begins. */
  readonly alias: string
  readonly steps: readonly (string | number)[]
  /** No two spans have a value in common. */
  readonly spans: readonly Span[]
}

/** Returns the expressions that a WHERE clause joins with AND. */
export function conjunctsOf(where: Expression): Expression[] {
  const inner = unwrapped(where)
  return inner.kind === 'logical' && inner.operator === 'AND' ? inner.operands.flatMap(conjunctsOf) : [inner]
}

/** Returns the condition that a conjunct states, or undefined if no index can use the conjunct. */
export function conditionOf(conjunct: Expression, scope: Scope): Condition | undefined {
  if (conjunct.kind === 'binary') return comparisonOf(conjunct, scope)
  if (conjunct.kind === 'call') return beginningOf(conjunct, scope)
  if (conjunct.kind === 'between') {
    return betweenOf(conjunct.operand, constantOf(conjunct.low, scope), constantOf(conjunct.high, scope))
  }
  if (conjunct.kind !== 'in') return undefined
  return oneOf(
    conjunct.needle,
    conjunct.items.map((item) => constantOf(item, scope)),
  )
}

/** Returns the path of a conjunct that says that a property exists, with its alias. */
export function presenceOf(conjunct: Expression): Omit<Condition, 'spans'> | undefined {
  if (conjunct.kind !== 'call' || conjunct.name.toUpperCase() !== 'IS_DEFINED') return undefined
  return conditionOn(conjunct.arguments[0], [])
}

/** States that the array at a path contains a value. */
export interface Containing extends Omit<Condition, 'spans'> {
  readonly item: unknown
}

/** Returns what a conjunct with ARRAY_CONTAINS states. Ignores a conjunct with a third argument, which may allow partial matches. */
export function containingOf(conjunct: Expression, scope: Scope): Containing | undefined {
  if (conjunct.kind !== 'call' || conjunct.name.toUpperCase() !== 'ARRAY_CONTAINS') return undefined
  const [array, item, ...more] = conjunct.arguments
  const on = conditionOn(array, [])
  return on === undefined || item === undefined || more.length > 0
    ? undefined
    : { ...on, item: constantOf(item, scope) }
}

/** Returns spans that contain every value that two conditions on one path allow. */
export function sharedSpans(ones: readonly Span[], others: readonly Span[]): readonly Span[] {
  // One list alone contains all these values. Two long lists of IN would have too many combinations.
  if (ones.length > 1 && others.length > 1) return ones.length < others.length ? ones : others
  return ones.flatMap((one) => others.map((other) => intersectionOf(one, other)))
}

/** The operators with their sides exchanged. */
const mirrored = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

function comparisonOf({ operator, left, right }: Binary, scope: Scope): Condition | undefined {
  if (!isComparison(operator)) return undefined
  const isPathFirst = pathOf(left) !== undefined
  const [property, constant] = isPathFirst ? [left, right] : [right, left]
  const value = constantOf(constant, scope)
  if (!isPrimitive(value)) return undefined
  const applied = isPathFirst ? operator : mirrored[operator]
  return conditionOn(property, [applied === '=' ? pointSpan(value) : spanOf(applied, value)])
}

function isComparison(operator: Binary['operator']): operator is keyof typeof mirrored {
  return operator in mirrored
}

function betweenOf(operand: Expression, low: unknown, high: unknown): Condition | undefined {
  if (!isPrimitive(low) || !isPrimitive(high)) return undefined
  return conditionOn(operand, [intersectionOf(spanOf('>=', low), spanOf('<=', high))])
}

/** Returns the condition of STARTSWITH. With a third argument, the function may ignore case. */
function beginningOf(
  { name, arguments: [text, prefix, ...more] }: Call,
  scope: Scope,
): Condition | undefined {
  if (name.toUpperCase() !== 'STARTSWITH' || prefix === undefined || more.length > 0) return undefined
  const wanted = constantOf(prefix, scope)
  return typeof wanted === 'string' ? conditionOn(text, [prefixSpan(wanted)]) : undefined
}

function oneOf(needle: Expression, values: readonly unknown[]): Condition | undefined {
  if (!values.every(isPrimitive)) return undefined
  const distinct = new Map(values.map((value) => [canonicalText(value), value]))
  return conditionOn(needle, [...distinct.values()].map(pointSpan))
}

function conditionOn(property: Expression | undefined, spans: readonly Span[]): Condition | undefined {
  if (property === undefined) return undefined
  const alias = rootOf(property)
  const steps = pathOf(property) ?? []
  return alias === undefined || steps.length === 0 ? undefined : { alias, steps, spans }
}

function constantOf(expression: Expression, scope: Scope): unknown {
  const inner = unwrapped(expression)
  if (inner.kind === 'literal') return inner.value
  if (inner.kind === 'parameter') return parameterValue(inner, scope)
  if (inner.kind !== 'unary' || inner.operator !== '-') return undefined
  const value = constantOf(inner.operand, scope)
  return typeof value === 'number' ? 0 - value : undefined
}
