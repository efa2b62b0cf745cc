import { containsAggregate } from '../select/aggregates.js'
import { childrenOf, documentAlias, type Expression, type Query } from '../language/ast.js'
import { parse } from '../language/parse.js'
import { notSupported, QueryError } from '../language/query-error.js'

/** A property that a container computes from each document. */
export interface ComputedProperty {
  /** The name by which queries read the property, at the top level of a document. */
  readonly name: string
  /** The query that gives its value, such as `SELECT VALUE LOWER(c.name) FROM c`. */
  readonly query: string
}

/** The value of a computed property, as an expression of a document. */
export interface ComputedValue {
  /** The name that the document has in the expression. */
  readonly alias: string
  readonly expression: Expression
}

/** Functions whose values differ from one evaluation to the next. */
const changingFunctions = /^(?:GETCURRENT\w+|NOW|AGO|RAND)$/u

/** Parses the query of a computed property. Throws {@link QueryError} if the service does not allow it. */
export function computedValue(text: string): ComputedValue {
  const query = parse(text)
  const alias = documentAlias(query)
  if (alias === undefined) throw refused(query, 'must read the documents themselves with FROM, as in FROM c')
  if (query.sources.length > 1) throw refused(query, 'must not have JOIN')
  if (query.selection.kind !== 'value') throw refused(query, 'must have SELECT VALUE')
  const clause = forbiddenClause(query)
  if (clause !== undefined) throw refused(query, `must not have ${clause}`)
  const { expression } = query.selection
  if (containsAggregate(expression)) throw refused(query, 'must not have an aggregate')
  refuseParts(expression, query)
  return { alias, expression }
}

function forbiddenClause({
  where,
  groupBy,
  orderBy,
  rank,
  page,
  top,
  isDistinct,
}: Query): string | undefined {
  if (where !== undefined) return 'WHERE'
  if (groupBy.length > 0) return 'GROUP BY'
  if (orderBy.length > 0 || rank !== undefined) return 'ORDER BY'
  if (page !== undefined) return 'OFFSET LIMIT'
  if (top !== undefined) return 'TOP'
  return isDistinct ? 'DISTINCT' : undefined
}

function refuseParts(expression: Expression, query: Query): void {
  if (expression.kind === 'subquery') {
    if (expression.form === 'ARRAY') throw notSupported('ARRAY in a computed property', expression.span)
    throw refused(query, 'must not have a subquery')
  }
  if (expression.kind === 'call') {
    const name = expression.name.toUpperCase()
    if (changingFunctions.test(name)) throw refused(query, `must not use ${name}, whose value changes`)
    if (name.startsWith('ST_')) throw refused(query, `must not use the spatial function ${name}`)
  }
  if (expression.kind === 'parameter') throw refused(query, `must not use the parameter ${expression.name}`)
  for (const child of childrenOf(expression)) refuseParts(child, query)
}

function refused({ span }: Query, rule: string): QueryError {
  return new QueryError('BadRequest', `The query of a computed property ${rule}.`, span)
}
