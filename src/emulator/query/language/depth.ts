import type { IToken } from 'chevrotain'
import {
  childrenOf,
  expressionsOf,
  sourceQueriesOf,
  subqueriesOf,
  type Expression,
  type Query,
} from './ast.js'
import { QueryError, type Span } from './query-error.js'
import { longestQuery, mostJoins } from './query-limits.js'
import { keywords } from './tokens.js'

/** The maximum depth of a tree, which recursive functions can still follow. Real queries are less deep. */
const deepestTree = 500

/** Like `deepestTree`, for the parser, whose stack frames are larger. */
const deepestNesting = 100

/** Tokens after which the grammar nests without a closing token. */
const prefixes = new Set(['NOT', '-', '+', '~'])
const rightNesting = new Set(['?', '??'])

/** Refuses a text that is longer than the service accepts. */
export function refuseLongText(text: string): void {
  if (text.length <= longestQuery) return
  const reason =
    `The query has ${text.length} characters; the limit is ${longestQuery}. Pass long ` +
    'values as parameters.'
  throw new QueryError('BadRequest', reason, { start: longestQuery, end: text.length })
}

/** Refuses tokens that nest so deep that the parser's stack could overflow. */
export function refuseDeepTokens(tokens: readonly IToken[]): void {
  const open: number[] = [0]
  let signs = 0
  let questions = 0
  for (const [index, { image, startOffset }] of tokens.entries()) {
    // A subquery takes twice as many stack frames as other brackets.
    const levels = tokens[index + 1]?.tokenType === keywords.select ? 2 : 1
    if (/^[([{]$/u.test(image)) open.push((open.at(-1) ?? 0) + levels)
    if (/^[)\]}]$/u.test(image)) open.pop()
    signs = prefixes.has(image.toUpperCase()) ? signs + 1 : 0
    if (rightNesting.has(image)) questions += 1
    if (Math.max(open.at(-1) ?? 0, signs, questions) > deepestNesting) {
      throw tooDeep(deepestNesting, { start: startOffset, end: startOffset + image.length })
    }
  }
}

/**
 * Refuses a tree that is too deep for recursion, including its subqueries. `1+1+…` and `c.a.a.…` are deep
 * even without parentheses.
 */
export function refuseDeepTree(root: Query): void {
  let level: readonly (Query | Expression)[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestTree) throw tooDeep(deepestTree, root.span)
    level = level.flatMap(partsOf)
  }
}

function partsOf(node: Query | Expression): readonly (Query | Expression)[] {
  if (!('kind' in node)) return [...sourceQueriesOf(node), ...expressionsOf(node)]
  return node.kind === 'subquery' ? [node.query] : childrenOf(node)
}

/** Refuses a query with more JOINs than the service accepts, counted in the query and its subqueries. */
export function refuseManyJoins(query: Query): void {
  if (joinsOf(query) <= mostJoins) return
  const reason = `The SQL query exceeded the maximum number of joins. The allowed limit is ${mostJoins}.`
  throw new QueryError('SC3002', reason, query.span)
}

function joinsOf(query: Query): number {
  const own = Math.max(0, query.sources.length - 1)
  return subqueriesOf(query).reduce((sum, inner) => sum + joinsOf(inner), own)
}

function tooDeep(limit: number, span: Span): QueryError {
  return new QueryError(
    'BadRequest',
    `Nesting deeper than ${limit} levels is refused; split the query.`,
    span,
  )
}
