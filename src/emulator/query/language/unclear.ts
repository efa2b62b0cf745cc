import { childrenOf, expressionsOf, subqueriesOf, type Binary, type Expression, type Query } from './ast.js'
import { QueryError } from './query-error.js'

/**
 * Refuses mixtures of operators whose grouping is disputed. In the grammar of the .NET client, NOT binds as
 * tightly as a minus sign, and `||` binds more loosely than any other operator between values. In standard
 * SQL, NOT binds loosely and `||` tightly. Languages also differ in how tightly `&`, `|`, `^` and the shifts
 * bind. The error asks for parentheses, because a wrong guess would give wrong rows.
 */
export function refuseUnclear(query: Query): void {
  expressionsOf(query).forEach(refuseUnclearIn)
  subqueriesOf(query).forEach(refuseUnclear)
}

function refuseUnclearIn(expression: Expression): void {
  const mixture = unclearMixture(expression)
  if (mixture !== undefined) {
    const reason = `${mixture} without parentheses is unclear; add them.`
    throw new QueryError('NotSupported', reason, expression.span)
  }
  childrenOf(expression).forEach(refuseUnclearIn)
}

function unclearMixture(expression: Expression): string | undefined {
  const { kind } = expression
  if (kind === 'binary') return unclearBinary(expression)
  if (kind === 'logical') return mixtureWith(expression.operator, expression.operands, disputed)
  if (kind === 'in') return mixtureWith('IN', [expression.needle], comparisonsAndBits)
  if (kind !== 'between' && kind !== 'like') return undefined
  return mixtureWith(kind.toUpperCase(), [expression.operand], comparisonsAndBits)
}

function unclearBinary(expression: Binary): string | undefined {
  const { operator, left, right } = expression
  if (operator === '??') return undefined
  if (isNot(left)) return `NOT before ${operator}`
  const unlike = [left, right].find(
    (operand): operand is Binary =>
      operand.kind === 'binary' &&
      operand.operator !== operator &&
      (isDisputed(operator, operand.operator) || isDisputed(operand.operator, operator)),
  )
  return unlike === undefined ? undefined : `${unlike.operator} beside ${operator}`
}

/** Checks whether languages group `operator` and the other operator in different ways. */
function isDisputed(operator: string, other: string): boolean {
  return bits.has(operator) || (operator === '||' && comparisons.has(other))
}

function mixtureWith(
  operator: string,
  operands: readonly Expression[],
  unclear: ReadonlySet<string>,
): string | undefined {
  // NOT before AND or OR is clear, because NOT binds tighter than both in every language.
  if (unclear === comparisonsAndBits && operands.some(isNot)) return `NOT before ${operator}`
  const found = operands.find(
    (operand): operand is Binary => operand.kind === 'binary' && unclear.has(operand.operator),
  )
  return found === undefined ? undefined : `${found.operator} beside ${operator}`
}

function isNot(expression: Expression): boolean {
  return expression.kind === 'unary' && expression.operator === 'NOT'
}

const bits: ReadonlySet<string> = new Set(['&', '|', '^', '<<', '>>', '>>>'])
const comparisons: ReadonlySet<string> = new Set(['=', '!=', '<>', '<', '<=', '>', '>='])
const disputed: ReadonlySet<string> = new Set([...bits, '||'])
const comparisonsAndBits: ReadonlySet<string> = new Set([...bits, ...comparisons])
