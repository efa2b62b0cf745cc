import type { IToken } from 'chevrotain'
import { childrenOf, type Expression } from './ast.js'
import { QueryError, type Span } from './query-error.js'

/** The longest query text in characters, as the account document states it. */
export const longestQuery = 262_144

/** The maximum depth of a tree. Real queries are less deep, and recursive functions can still follow it. */
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
  let open = 0
  let signs = 0
  let questions = 0
  for (const { image, startOffset } of tokens) {
    if (/^[([{]$/u.test(image)) open += 1
    if (/^[)\]}]$/u.test(image)) open -= 1
    signs = prefixes.has(image.toUpperCase()) ? signs + 1 : 0
    if (rightNesting.has(image)) questions += 1
    if (Math.max(open, signs, questions) > deepestNesting) {
      throw tooDeep(deepestNesting, { start: startOffset, end: startOffset + image.length })
    }
  }
}

/** Refuses a tree that is too deep for recursion. `1+1+…` and `c.a.a.…` are deep even without parentheses. */
export function refuseDeepTree(root: Expression): void {
  let level: readonly Expression[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestTree) throw tooDeep(deepestTree, root.span)
    level = level.flatMap(childrenOf)
  }
}

function tooDeep(limit: number, span: Span): QueryError {
  return new QueryError(
    'BadRequest',
    `Nesting deeper than ${limit} levels is refused; split the query.`,
    span,
  )
}
