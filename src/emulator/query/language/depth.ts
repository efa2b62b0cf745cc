import type { IToken } from 'chevrotain'
import { childrenOf, type Expression } from './ast.js'
import { QueryError, type Span } from './query-error.js'

/** Characters of a query's text, as the account document says. */
export const longestQuery = 262_144

/** Deeper than anybody writes, shallow enough for the stack of whoever walks a tree. */
const deepestTree = 500

/** As `deepestTree`, for the parser, whose frames are larger. */
const deepestNesting = 100

/** What the grammar answers with a rule within itself although nothing is closed afterwards. */
const prefixes = new Set(['NOT', '-', '+', '~'])
const rightNesting = new Set(['?', '??'])

/** Refuses a text that is longer than the service reads. */
export function refuseLongText(text: string): void {
  if (text.length <= longestQuery) return
  const reason = `The query has ${text.length} characters; the limit is ${longestQuery}. Pass long values as parameters.`
  throw new QueryError('BadRequest', reason, { start: longestQuery, end: text.length })
}

/** Refuses tokens that would take the parser deeper than its stack goes. */
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

/** Refuses a tree that recursion could not walk: `1+1+…` and `c.a.a.…` are deep without a parenthesis. */
export function refuseDeepTree(root: Expression): void {
  let level: readonly Expression[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestTree) throw tooDeep(deepestTree, root.span)
    level = level.flatMap(childrenOf)
  }
}

function tooDeep(limit: number, span: Span): QueryError {
  return new QueryError('BadRequest', `Nesting deeper than ${limit} is refused; take the query apart.`, span)
}
