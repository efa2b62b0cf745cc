import type { Span } from './query-error.js'

/**
 * A parsed query, in which names are not resolved yet. It is plain data, so that it can be cached, analysed
 * and rewritten.
 */
export interface Query {
  readonly selection: Selection
  readonly isDistinct: boolean
  readonly top: Count | undefined
  /** The place of the selection in the text, after DISTINCT and TOP. */
  readonly selectionSpan: Span
  /** The place of FROM with its JOINs. Empty without FROM. */
  readonly fromSpan: Span
  /** The source of FROM, then those of JOIN. Empty in `SELECT 1`, which always gives one row. */
  readonly sources: readonly Source[]
  readonly where: Expression | undefined
  readonly groupBy: readonly Expression[]
  readonly orderBy: readonly OrderItem[]
  /** The scoring function of `ORDER BY RANK`. */
  readonly rank: Expression | undefined
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

/** A set of values in FROM or JOIN. */
export interface Source {
  /**
   * The name for a value of the source. Undefined if there is no alias and the source is a subquery or ends
   * with a position, such as `c[0]`.
   */
  readonly alias: string | undefined
  readonly collection: Collection
  /** True for `alias IN collection`, which yields the elements of each array in the collection. */
  readonly isIterated: boolean
  readonly span: Span
}

/** A path from the container or from an earlier alias, or a subquery. */
export type Collection =
  | { readonly kind: 'path'; readonly root: SourceReference; readonly steps: readonly (string | number)[] }
  | { readonly kind: 'query'; readonly query: Query }

export interface OrderItem {
  readonly expression: Expression
  /** The direction as written. Without one, values ascend, and scores descend. */
  readonly direction: 'ASC' | 'DESC' | undefined
  /** True for a computed property, by which ORDER BY can order documents as by a stored property. */
  readonly isComputed?: boolean
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
  | Conditional
  | In
  | Between
  | Like
  | Call
  | ObjectLiteral
  | ArrayLiteral
  | Subquery

interface Node<Kind extends string> {
  readonly kind: Kind
  readonly span: Span
}

export interface Literal extends Node<'literal'> {
  readonly value: null | undefined | boolean | number | string
}

/** `@name`, including the `@`. */
export interface ParameterReference extends Node<'parameter'> {
  readonly name: string
}

/** A bare name, which is either the alias of a source or a mistake. */
export interface SourceReference extends Node<'source'> {
  readonly name: string
}

/** `object.key` and `object[key]`; after a dot the key is a literal. */
export interface Member extends Node<'member'> {
  readonly object: Expression
  readonly key: Expression
}

/**
 * An expression in parentheses. They are kept in the tree, because a plan copies expressions from the text
 * with their parentheses.
 */
export interface Parenthesized extends Node<'parenthesized'> {
  readonly inner: Expression
}

export interface Unary extends Node<'unary'> {
  readonly operator: 'NOT' | '-' | '+' | '~'
  readonly operand: Expression
}

type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>='
type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'
type BitwiseOperator = '&' | '|' | '^' | '<<' | '>>' | '>>>'

export interface Binary extends Node<'binary'> {
  readonly operator: ComparisonOperator | ArithmeticOperator | BitwiseOperator | '||' | '??'
  readonly left: Expression
  readonly right: Expression
}

/** A whole chain of ANDs or of ORs in one node, so that a long chain does not nest. */
export interface Logical extends Node<'logical'> {
  readonly operator: 'AND' | 'OR'
  readonly operands: readonly Expression[]
}

/** `condition ? consequent : alternative`. */
export interface Conditional extends Node<'conditional'> {
  readonly condition: Expression
  readonly consequent: Expression
  readonly alternative: Expression
}

export interface In extends Node<'in'> {
  readonly needle: Expression
  readonly items: readonly Expression[]
}

export interface Between extends Node<'between'> {
  readonly operand: Expression
  readonly low: Expression
  readonly high: Expression
}

export interface Like extends Node<'like'> {
  readonly operand: Expression
  readonly pattern: Expression
  /** The character that makes the next character of the pattern literal. */
  readonly escape: string | undefined
}

export interface Call extends Node<'call'> {
  /** The name as written. Function names are case-insensitive. */
  readonly name: string
  readonly arguments: readonly Expression[]
}

export interface ObjectLiteral extends Node<'object'> {
  readonly properties: readonly { readonly name: string; readonly value: Expression }[]
}

interface ArrayLiteral extends Node<'array'> {
  readonly items: readonly Expression[]
}

/** A query within an expression. Its form decides which value its rows become. */
export interface Subquery extends Node<'subquery'> {
  readonly form: SubqueryForm
  readonly query: Query
}

/** `scalar` is a query in parentheses; the other forms are `EXISTS (…)`, `ARRAY (…)` and so on. */
export type SubqueryForm = 'scalar' | 'EXISTS' | 'ARRAY' | 'FIRST' | 'LAST' | 'ALL'

/**
 * Returns the expressions directly inside an expression. For a subquery, there are none: its expressions
 * belong to its query.
 */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'source':
    case 'subquery':
      return []
    case 'member':
      return [expression.object, expression.key]
    case 'parenthesized':
      return [expression.inner]
    case 'unary':
      return [expression.operand]
    case 'binary':
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

/**
 * Returns the steps from a document to a property (`c.a["b"][0]`), or undefined when the expression is not
 * such a path.
 */
export function pathOf(expression: Expression): readonly (string | number)[] | undefined {
  const inner = unwrapped(expression)
  if (inner.kind === 'source') return []
  if (inner.kind !== 'member' || inner.key.kind !== 'literal') return undefined
  const { value } = inner.key
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const parent = pathOf(inner.object)
  return parent === undefined ? undefined : [...parent, value]
}

/** Returns the name at the root of a path (see {@link pathOf}). */
export function rootOf(expression: Expression): string | undefined {
  const inner = unwrapped(expression)
  if (inner.kind === 'source') return inner.name
  return inner.kind === 'member' ? rootOf(inner.object) : undefined
}

export function selectedExpressions(selection: Selection): readonly Expression[] {
  switch (selection.kind) {
    case 'all':
      return []
    case 'value':
      return [selection.expression]
    case 'list':
      return selection.items.map((item) => item.expression)
  }
}

/** Returns the expressions directly inside a query, but not those of its subqueries. */
export function expressionsOf({ selection, where, groupBy, orderBy, rank }: Query): readonly Expression[] {
  return [
    ...selectedExpressions(selection),
    ...(where === undefined ? [] : [where]),
    ...groupBy,
    ...orderBy.map((item) => item.expression),
    ...(rank === undefined ? [] : [rank]),
  ]
}

/** Returns the queries directly inside a query: those of its sources and of its expressions. */
export function subqueriesOf(query: Query): readonly Query[] {
  return [...sourceQueriesOf(query), ...expressionsOf(query).flatMap(subqueriesIn)]
}

/** Returns the subqueries in FROM and JOIN. */
export function sourceQueriesOf({ sources }: Query): readonly Query[] {
  return sources.flatMap(({ collection }) => (collection.kind === 'query' ? [collection.query] : []))
}

function subqueriesIn(expression: Expression): readonly Query[] {
  return expression.kind === 'subquery' ? [expression.query] : childrenOf(expression).flatMap(subqueriesIn)
}

/** Returns the alias of the container's documents if the first source is the whole container. */
export function documentAlias({ sources }: Query): string | undefined {
  const [first] = sources
  if (first === undefined || first.isIterated || first.collection.kind !== 'path') return undefined
  return first.collection.steps.length === 0 ? first.alias : undefined
}
