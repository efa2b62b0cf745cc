import type { IToken } from 'chevrotain'
import type { Binary, Conditional, Expression, Literal, Logical } from './ast.js'
import { notSupported, QueryError, type Span } from './query-error.js'
import { keywords, numberLiteral, stringLiteral } from './tokens.js'

export function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: token.startOffset + token.image.length }
}

export function between(first: Span, last: Span): Span {
  return { start: first.start, end: last.end }
}

const binaryOperators: Readonly<Record<string, Binary['operator']>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '+': '+',
  '-': '-',
  '*': '*',
  '/': '/',
  '%': '%',
  '&': '&',
  '|': '|',
  '^': '^',
  '<<': '<<',
  '>>': '>>',
  '>>>': '>>>',
  '||': '||',
  '??': '??',
}

export function binary(token: IToken, left: Expression, right: Expression): Binary {
  const operator = binaryOperators[token.image]
  if (operator === undefined) throw syntaxErrorNear(token)
  return { kind: 'binary', operator, left, right, span: between(left.span, right.span) }
}

/** Returns a chain of ANDs or ORs, or the operand itself if there is only one. */
export function chain(operator: Logical['operator'], operands: readonly Expression[]): Expression {
  const first = operands[0]
  const last = operands.at(-1)
  if (first === undefined || last === undefined) throw new TypeError('a chain needs an operand')
  if (operands.length === 1) return first
  return { kind: 'logical', operator, operands, span: between(first.span, last.span) }
}

/**
 * Returns `condition ? consequent : alternative`. Refuses `??` without parentheses in the condition or in the
 * alternative. Microsoft's documentation compares both operators to those of C#, in which `??` binds tighter.
 * In the grammar of Microsoft's .NET client, however, `?:` binds tighter.
 */
export function conditional(
  condition: Expression,
  consequent: Expression,
  alternative: Expression,
): Conditional {
  const span = between(condition.span, alternative.span)
  const isUnclear = [condition, alternative].some(
    (operand) => operand.kind === 'binary' && operand.operator === '??',
  )
  if (isUnclear) throw notSupported('?? beside ?: without parentheses', span)
  return { kind: 'conditional', condition, consequent, alternative, span }
}

export function literalValue(token: IToken): Literal['value'] {
  switch (token.tokenType) {
    case numberLiteral:
      return finite(token)
    case stringLiteral:
      return textOf(token)
    case keywords.true:
      return true
    case keywords.false:
      return false
    case keywords.null:
      return null
    default:
      return undefined
  }
}

/** Returns the number of a token. A number that JSON cannot hold is refused. */
function finite(token: IToken): number {
  const value = Number(token.image)
  if (!Number.isFinite(value)) throw syntaxErrorNear(token)
  return value
}

const namedEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Returns the text of a string token without its quotes, and with its escapes resolved. */
export function textOf(token: IToken): string {
  return token.image.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{4})|[\s\S])/g, (escape, hex?: string) => {
    if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
    const named = namedEscapes[escape.slice(1)]
    if (named === undefined) throw invalidString(token)
    return named
  })
}

/** Returns the service's error for a token in the wrong place. */
export function syntaxErrorNear(token: IToken): QueryError {
  return new QueryError('SC1001', `Syntax error, incorrect syntax near '${token.image}'.`, spanOf(token))
}

function invalidString(token: IToken): QueryError {
  return new QueryError(
    'SC1012',
    `Syntax error, invalid string literal token '${token.image}'.`,
    spanOf(token),
  )
}
