import type { Span } from './query-error.js'

/** A parsed query without a meaning yet. It is plain data, so that it can be cached, analysed and rewritten. */
export interface Query {
  readonly selection: Selection
  readonly isDistinct: boolean
  readonly top: Count | undefined
  /** Absent in `SELECT 1`, which gives one row whatever the container holds. */
  readonly source: Source | undefined
  readonly where: Expression | undefined
  readonly orderBy: readonly OrderItem[]
  readonly page: Page | undefined
  readonly span: Span
}

/** The contents of a row: `*`, `VALUE expression`, or named expressions. */
export type Selection =
  | { readonly kind: 'all'; readonly span: Span }
  | { readonly kind: 'value'; readonly expression: Expression }
  | { readonly kind: 'list'; readonly items: readonly SelectItem[] }

export interface SelectItem {
  readonly expression: Expression
  readonly alias: string | undefined
}

/**
 * `FROM c`, `FROM root r`. The collection's name has no meaning; only the alias (or the name without an alias)
 * counts.
 */
export interface Source {
  readonly alias: string
}

export interface OrderItem {
  readonly expression: Expression
  readonly isDescending: boolean
}

/** `OFFSET skip LIMIT take`. */
export interface Page {
  readonly skip: Count
  readonly take: Count
  readonly span: Span
}

/** The number of rows in TOP, OFFSET and LIMIT. */
export type Count = Literal | ParameterReference

export type Expression =
  | Literal
  | ParameterReference
  | SourceReference
  | Member
  | Parenthesized
  | Unary
  | Binary
  | Logical
  | Coalesce
  | Conditional
  | In
  | Between
  | Like
  | Call
  | ObjectLiteral
  | ArrayLiteral

export interface Literal {
  readonly kind: 'literal'
  readonly value: null | undefined | boolean | number | string
  readonly span: Span
}

/** `@name`, including the `@`. */
export interface ParameterReference {
  readonly kind: 'parameter'
  readonly name: string
  readonly span: Span
}

/** A bare name, which is either the source's alias or a mistake. */
export interface SourceReference {
  readonly kind: 'source'
  readonly name: string
  readonly span: Span
}

/** `object.key` and `object[key]`; after a dot the key is a literal. */
export interface Member {
  readonly kind: 'member'
  readonly object: Expression
  readonly key: Expression
  readonly span: Span
}

/** Kept in the tree, because parentheses decide whether a mixture of operators is clear (see `refuseUnclear`). */
export interface Parenthesized {
  readonly kind: 'parenthesized'
  readonly inner: Expression
  readonly span: Span
}

export interface Unary {
  readonly kind: 'unary'
  readonly operator: 'NOT' | '-' | '+'
  readonly operand: Expression
  readonly span: Span
}

type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>='
type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'

export interface Binary {
  readonly kind: 'binary'
  readonly operator: ComparisonOperator | ArithmeticOperator | '||'
  readonly left: Expression
  readonly right: Expression
  readonly span: Span
}

/** A whole chain of ANDs or of ORs, so that a long chain does not nest. */
export interface Logical {
  readonly kind: 'logical'
  readonly operator: 'AND' | 'OR'
  readonly operands: readonly Expression[]
  readonly span: Span
}

/** `left ?? right`. */
interface Coalesce {
  readonly kind: 'coalesce'
  readonly left: Expression
  readonly right: Expression
  readonly span: Span
}

/** `condition ? consequent : alternative`. */
export interface Conditional {
  readonly kind: 'conditional'
  readonly condition: Expression
  readonly consequent: Expression
  readonly alternative: Expression
  readonly span: Span
}

export interface In {
  readonly kind: 'in'
  readonly needle: Expression
  readonly items: readonly Expression[]
  readonly isNegated: boolean
  readonly span: Span
}

export interface Between {
  readonly kind: 'between'
  readonly operand: Expression
  readonly low: Expression
  readonly high: Expression
  readonly isNegated: boolean
  readonly span: Span
}

export interface Like {
  readonly kind: 'like'
  readonly operand: Expression
  readonly pattern: Expression
  /** The character that makes the next one of the pattern literal. */
  readonly escape: string | undefined
  readonly isNegated: boolean
  readonly span: Span
}

export interface Call {
  readonly kind: 'call'
  /** The name as written. Function names ignore case. */
  readonly name: string
  readonly arguments: readonly Expression[]
  readonly span: Span
}

export interface ObjectLiteral {
  readonly kind: 'object'
  readonly properties: readonly { readonly name: string; readonly value: Expression }[]
  readonly span: Span
}

interface ArrayLiteral {
  readonly kind: 'array'
  readonly items: readonly Expression[]
  readonly span: Span
}

/** Returns the expressions directly inside an expression. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'source':
      return []
    case 'member':
      return [expression.object, expression.key]
    case 'parenthesized':
      return [expression.inner]
    case 'unary':
      return [expression.operand]
    case 'binary':
    case 'coalesce':
      return [expression.left, expression.right]
    case 'logical':
      return expression.operands
    case 'conditional':
      return [expression.condition, expression.consequent, expression.alternative]
    case 'in':
      return [expression.needle, ...expression.items]
    case 'between':
      return [expression.operand, expression.low, expression.high]
    case 'like':
      return [expression.operand, expression.pattern]
    case 'call':
      return expression.arguments
    case 'object':
      return expression.properties.map((property) => property.value)
    case 'array':
      return expression.items
  }
}

/** Returns an expression without the parentheses around it. */
export function unwrapped(expression: Expression): Exclude<Expression, Parenthesized> {
  let inner = expression
  while (inner.kind === 'parenthesized') inner = inner.inner
  return inner
}
