import type { ILexingError } from 'chevrotain'
import { expressionsOf, subqueriesOf, type Query } from './ast.js'
import { refuseDeepTokens, refuseDeepTree, refuseLongText } from './depth.js'
import { QueryError } from './query-error.js'
import { QueryParser } from './query-parser.js'
import { lexer } from './tokens.js'
import { syntaxErrorNear } from './tree.js'

/**
 * The maximum number of trees that are kept. They are kept because the same query often runs again with other
 * parameters. The oldest is dropped first.
 */
const rememberedTrees = 500
const trees = new Map<string, Query>()

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
  const [oldest] = trees.size >= rememberedTrees ? trees.keys() : []
  if (oldest !== undefined) trees.delete(oldest)
  trees.set(text, query)
  return query
}

function check(query: Query): void {
  expressionsOf(query).forEach(refuseDeepTree)
  subqueriesOf(query).forEach(check)
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
