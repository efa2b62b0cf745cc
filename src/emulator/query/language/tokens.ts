import type { TokenType } from 'chevrotain'
import { createToken, Lexer } from './parser-library.js'

/** A bare name: an alias, a property after a dot, or a function. */
export const identifier = createToken({ name: 'Identifier', pattern: /[A-Za-z_][A-Za-z0-9_]*/ })

const keywordTokens: TokenType[] = []

/**
 * Creates the token type of a reserved word, whose case is ignored. A longer name wins: `INDEX_OF` is one
 * name, although it starts with `IN`.
 */
function keyword(word: string): TokenType {
  const token = createToken({ name: word, pattern: new RegExp(word, 'i'), longer_alt: identifier })
  keywordTokens.push(token)
  return token
}

/**
 * Reserved words. A word comes after all longer words that start with it, because the lexer takes the first
 * match.
 */
export const keywords = {
  and: keyword('AND'),
  array: keyword('ARRAY'),
  asc: keyword('ASC'),
  as: keyword('AS'),
  between: keyword('BETWEEN'),
  by: keyword('BY'),
  desc: keyword('DESC'),
  distinct: keyword('DISTINCT'),
  escape: keyword('ESCAPE'),
  exists: keyword('EXISTS'),
  false: keyword('FALSE'),
  from: keyword('FROM'),
  group: keyword('GROUP'),
  in: keyword('IN'),
  join: keyword('JOIN'),
  like: keyword('LIKE'),
  limit: keyword('LIMIT'),
  not: keyword('NOT'),
  null: keyword('NULL'),
  offset: keyword('OFFSET'),
  order: keyword('ORDER'),
  or: keyword('OR'),
  select: keyword('SELECT'),
  top: keyword('TOP'),
  true: keyword('TRUE'),
  udf: keyword('UDF'),
  undefined: keyword('UNDEFINED'),
  value: keyword('VALUE'),
  where: keyword('WHERE'),
} as const

export const parameter = createToken({ name: 'Parameter', pattern: /@[A-Za-z0-9_]+/ })
export const numberLiteral = createToken({
  name: 'Number',
  // A name must not follow directly. Otherwise, `0b1` would be the number 0 with the alias b1.
  pattern: /(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![A-Za-z0-9_])/,
})
export const stringLiteral = createToken({
  name: 'String',
  pattern: /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/,
  line_breaks: true,
})

/** Any operator between two values, except AND, OR and `??`. */
export const binaryOperator = createToken({ name: 'BinaryOperator', pattern: Lexer.NA })

const punctuationTokens: TokenType[] = []

function punctuation(name: string, pattern: string | RegExp): TokenType {
  const token = createToken({ name, pattern })
  punctuationTokens.push(token)
  return token
}

function operator(name: string, pattern: string | RegExp): TokenType {
  const token = createToken({ name, pattern, categories: [binaryOperator] })
  punctuationTokens.push(token)
  return token
}

/** Operators and punctuation, in the order in which the lexer tries them. `??` comes before `?`. */
export const punctuations = {
  coalesce: punctuation('Coalesce', '??'),
  question: punctuation('Question', '?'),
  complement: punctuation('Complement', '~'),
  plus: operator('Plus', '+'),
  minus: operator('Minus', '-'),
  star: operator('Star', '*'),
  otherOperator: operator('Operator', /\|\||<<|>>>?|[<>!]=|<>|[=<>&|^/%]/),
  openParenthesis: punctuation('OpenParenthesis', '('),
  closeParenthesis: punctuation('CloseParenthesis', ')'),
  openBracket: punctuation('OpenBracket', '['),
  closeBracket: punctuation('CloseBracket', ']'),
  openBrace: punctuation('OpenBrace', '{'),
  closeBrace: punctuation('CloseBrace', '}'),
  comma: punctuation('Comma', ','),
  colon: punctuation('Colon', ':'),
  dot: punctuation('Dot', '.'),
} as const

/**
 * Matches an unclosed comment up to the end of the text, so that the lexer does not search for the end of a
 * comment again from each further `/`.
 */
const openComment = createToken({ name: 'OpenComment', pattern: /\/\*[\s\S]*/, line_breaks: true })

const skipped = [
  createToken({ name: 'Space', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true }),
  createToken({ name: 'LineComment', pattern: /--[^\n]*/, group: Lexer.SKIPPED }),
  createToken({
    name: 'BlockComment',
    pattern: /\/\*[\s\S]*?\*\//,
    group: Lexer.SKIPPED,
    line_breaks: true,
  }),
]

/** Every token, in the order in which the lexer tries them. */
export const vocabulary: TokenType[] = [
  ...skipped,
  openComment,
  ...keywordTokens,
  identifier,
  parameter,
  numberLiteral,
  stringLiteral,
  binaryOperator,
  ...punctuationTokens,
]

/**
 * Splits a text into tokens without comments and white space. Stops at the first character that starts no
 * token.
 */
export const lexer = new Lexer(vocabulary, {
  ensureOptimizations: false,
  positionTracking: 'onlyOffset',
  recoveryEnabled: false,
})
