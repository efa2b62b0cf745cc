import type { ILexingError } from 'chevrotain'
import type { Query } from './ast.js'
import { refuseDeepTokens, refuseDeepTree, refuseLongText, refuseManyJoins } from './depth.js'
import { longestQuery } from './query-limits.js'
import { QueryError } from './query-error.js'
import { QueryParser } from './query-parser.js'
import { lexer } from './tokens.js'
import { syntaxErrorNear } from './tree.js'
import { refuseUnclear } from './unclear.js'

/** The trees of recent texts. They are kept because the same query often runs again with other parameters. */
const trees = new Map<string, Query>()

/** The maximum number of trees that are kept. */
const mostTrees = 500

/** The maximum total length of the texts of these trees. A tree takes about 50 bytes for each character. */
const mostCharacters = 4 * longestQuery

let rememberedCharacters = 0

/**
 * Created for the first query, because analysing the grammar would take a third of the emulator's start time.
 */
let sharedParser: QueryParser | undefined

/** Parses a text. Throws {@link QueryError} for an invalid or unsupported query. */
export function parse(text: string): Query {
  const known = trees.get(text)
  if (known !== undefined) return known
  refuseLongText(text)
  const query = read(text)
  check(query)
  remember(text, query)
  return query
}

/** Keeps a tree, and drops the oldest trees over the limits. */
function remember(text: string, query: Query): void {
  trees.set(text, query)
  rememberedCharacters += text.length
  for (const oldest of trees.keys()) {
    if (trees.size <= mostTrees && rememberedCharacters <= mostCharacters) return
    trees.delete(oldest)
    rememberedCharacters -= oldest.length
  }
}

function check(query: Query): void {
  refuseDeepTree(query)
  refuseManyJoins(query)
  refuseUnclear(query)
}

function read(text: string): Query {
  const { tokens, errors } = lexer.tokenize(text)
  const lexingError = errors[0]
  if (lexingError !== undefined) throw invalidToken(text, lexingError)
  refuseDeepTokens(tokens)
  const parser = (sharedParser ??= new QueryParser())
  parser.input = tokens
  const query = parser.query()
  const parsingError = parser.errors[0]
  if (parsingError === undefined) return query
  const { token } = parsingError
  // At the end of the text there is no token to point at, so the error names the last one.
  const near = Number.isNaN(token.startOffset) ? tokens.at(-1) : token
  if (near === undefined) {
    throw new QueryError('SC1001', 'Syntax error, the query is empty.', { start: 0, end: text.length })
  }
  throw syntaxErrorNear(near)
}

function invalidToken(text: string, { offset }: ILexingError): QueryError {
  const character = text.charAt(offset)
  const span = { start: offset, end: offset + 1 }
  return /["']/.test(character)
    ? new QueryError('SC1012', `Syntax error, invalid string literal token '${character}'.`, span)
    : new QueryError('SC1010', `Syntax error, invalid token '${character}'.`, span)
}
