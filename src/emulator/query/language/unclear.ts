import { childrenOf, type Binary, type Expression } from './ast.js'
import { QueryError } from './query-error.js'

/**
 * Refuses mixtures of operators whose grouping is disputed. In the SDK's grammar, NOT binds as tightly as a
 * minus sign and `||` more loosely than any other operator. In standard SQL, both are the other way round.
 * Languages also differ in how tightly `&`, `|`, `^` and the shifts bind. The error asks for parentheses,
 * because a guess could be wrong.
 */
export function refuseUnclear(expression: Expression): void {
  const mixture = unclearMixture(expression)
  if (mixture !== undefined) {
    throw new QueryError(
      'NotSupported',
      `${mixture} without parentheses is unclear; add them.`,
      expression.span,
    )
  }
  for (const child of childrenOf(expression)) refuseUnclear(child)
}

function unclearMixture(expression: Expression): string | undefined {
  if (expression.kind === 'in') return unclearOperand(expression.needle, 'IN')
  if (expression.kind === 'between') return unclearOperand(expression.operand, 'BETWEEN')
  if (expression.kind === 'like') return unclearOperand(expression.operand, 'LIKE')
  if (expression.kind === 'binary') {
    const { operator, left, right } = expression
    if (operator === '??') return undefined
    if (isNot(left)) return `NOT before ${operator}`
    const unlike = [left, right].find((operand) => isBitwiseMixture(expression, operand))
    if (unlike?.kind === 'binary') return `${unlike.operator} beside ${operator}`
    return isComparison(expression) && [left, right].some(isConcatenation)
      ? `|| beside ${operator}`
      : undefined
  }
  if (expression.kind === 'logical') {
    if (expression.operands.some((operand) => operand.kind === 'binary' && isBitwise(operand.operator)))
      return `a bitwise operator beside ${expression.operator}`
    return expression.operands.some(isConcatenation) ? `|| beside ${expression.operator}` : undefined
  }
  if (expression.kind === 'conditional') {
    return [expression.condition, expression.alternative].some((operand) => isBinary(operand, '??'))
      ? '?? beside ?:'
      : undefined
  }
  return undefined
}

function unclearOperand(operand: Expression, operator: string): string | undefined {
  if (isNot(operand)) return `NOT before ${operator}`
  if (operand.kind === 'binary' && (isComparison(operand) || isBitwise(operand.operator)))
    return `${operand.operator} beside ${operator}`
  return undefined
}

/**
 * Checks whether an operand without parentheses has a different operator from the expression around it, and
 * at least one of the two operators is bitwise.
 */
function isBitwiseMixture({ operator }: Binary, operand: Expression): boolean {
  if (operand.kind !== 'binary' || operand.operator === operator) return false
  return isBitwise(operator) || isBitwise(operand.operator)
}

function isBitwise(operator: Binary['operator']): boolean {
  return ['&', '|', '^', '<<', '>>', '>>>'].includes(operator)
}

/** Checks whether `operator` compares rather than computes. */
function isComparison({ operator }: Binary): boolean {
  return ['=', '!=', '<', '<=', '>', '>='].includes(operator)
}

function isNot(expression: Expression): boolean {
  return expression.kind === 'unary' && expression.operator === 'NOT'
}

function isBinary(expression: Expression, operator: Binary['operator']): boolean {
  return expression.kind === 'binary' && expression.operator === operator
}

function isConcatenation(expression: Expression): boolean {
  return isBinary(expression, '||')
}
