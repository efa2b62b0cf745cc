import type { IToken } from 'chevrotain'
import type { Expression } from './ast.js'
import { binary } from './tree.js'

/**
 * The operators between two values, from the loosest binding to the tightest. The order is that of the
 * grammar in Microsoft's .NET client. The shifts, which this grammar lacks, stand where C# and JavaScript put
 * them.
 */
const levels: readonly (readonly string[])[] = [
  ['||'],
  ['|'],
  ['^'],
  ['&'],
  ['=', '!=', '<>'],
  ['<', '<=', '>', '>='],
  ['<<', '>>', '>>>'],
  ['+', '-'],
  ['*', '/', '%'],
]

const strengths = new Map(
  levels.flatMap((operators, strength) => operators.map((operator) => [operator, strength] as const)),
)

function strengthOf({ image }: IToken): number {
  return strengths.get(image) ?? 0
}

/** An operator and the operand on its right. */
export interface Link {
  readonly operator: IToken
  readonly operand: Expression
}

/**
 * Groups `a + b * c = d` by the strength of the operators. Operators of the same strength group from the
 * left.
 */
export function grouped(first: Expression, links: readonly Link[]): Expression {
  const operands = [first]
  const waiting: IToken[] = []
  const combine = (operator: IToken): void => {
    const [left, right] = operands.splice(-2)
    if (left === undefined || right === undefined) throw new TypeError('an operator needs two operands')
    operands.push(binary(operator, left, right))
  }
  for (const { operator, operand } of links) {
    while (isAtLeast(waiting.at(-1), operator)) waiting.splice(-1).forEach(combine)
    waiting.push(operator)
    operands.push(operand)
  }
  waiting.reverse().forEach(combine)
  return operands[0] ?? first
}

/**
 * Checks whether the waiting operator binds the operand on its right at least as tightly as the next operator
 * does.
 */
function isAtLeast(waiting: IToken | undefined, next: IToken): boolean {
  return waiting !== undefined && strengthOf(waiting) >= strengthOf(next)
}
