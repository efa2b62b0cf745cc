import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { Effort } from '../../language/effort.js'
import { expressionNotSupported, refuseLongExpression } from '../../language/query-limits.js'

/**
 * A user's regular expression. The time of one search is at most proportional to the length of the text and
 * to that of the expression, because the engine never goes back in the text. It therefore supports neither
 * backreferences nor lookahead.
 */
export interface RegularExpression {
  readonly groupCount: number
  matches(text: string): boolean
  /**
   * Returns the first match if `group` is 0, and otherwise that group of the first match, counted from 1.
   * Returns undefined if there is none.
   */
  first(text: string, group: number): string | undefined
  /** Returns all matches, or one group of each. Leaves out matches without this group. */
  all(text: string, group: number): readonly string[]
}

/** Compiled expressions by modifiers and pattern. The value of an invalid expression is undefined. */
const remembered = new Map<string, RegularExpression | undefined>()

/** The most compiled expressions that are kept. Each of them may hold a few megabytes of states. */
const mostRemembered = 16

let engine: typeof Re2 | null = null

/** Loads the engine for the first regular expression, because most queries have none. */
function loaded(): typeof Re2 {
  engine ??= createRequire(import.meta.url)('re2js') as typeof Re2
  return engine
}

/**
 * Compiles a pattern with modifiers: `i` ignores case, `m` lets `^` and `$` match at each line, `s` lets `.`
 * match a line feed, `x` ignores white space in the pattern. Returns undefined if either is invalid.
 */
export function regularExpression(pattern: string, modifiers: string): RegularExpression | undefined {
  refuseLongExpression(pattern.length + modifiers.length)
  const key = `${modifiers}/${pattern}`
  if (remembered.has(key)) return remembered.get(key)
  const compiled = /^[imsx]*$/u.test(modifiers) ? compile(pattern, modifiers) : undefined
  const [oldest] = remembered.keys()
  if (remembered.size >= mostRemembered && oldest !== undefined) remembered.delete(oldest)
  remembered.set(key, compiled)
  return compiled
}

function compile(pattern: string, modifiers: string): RegularExpression | undefined {
  const { RE2JS, RE2JSException } = loaded()
  const flags =
    RE2JS.LOOKBEHINDS |
    (modifiers.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (modifiers.includes('m') ? RE2JS.MULTILINE : 0) |
    (modifiers.includes('s') ? RE2JS.DOTALL : 0)
  try {
    return runnable(RE2JS.compile(modifiers.includes('x') ? withoutSpace(pattern) : pattern, flags))
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    if (foreign.test(error.message)) throw expressionNotSupported(error.message)
    return undefined
  }
}

/** The engine's messages about expressions that the service may accept. */
const foreign = new RegExp(
  [
    'invalid or unsupported Perl syntax',
    'invalid escape sequence',
    'invalid nested repetition operator: `[*+?{}\\d,]*\\+`',
    'invalid character class range: `\\\\p',
    'invalid repeat count',
    'invalid capture in lookbehind',
    'expression (?:nests too deeply|too large)',
  ]
    .map((problem) => `^error parsing regexp: ${problem}`)
    .join('|'),
  'iu',
)

/** An escaped character, a set of characters, a run of white space, a comment, or any other character. */
const piece = /\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|[\t\n\v\f\r ]+|#[^\n]*|[^]/gu

function withoutSpace(pattern: string): string {
  return pattern.replace(piece, (part) => (/^[\t\n\v\f\r #]/u.test(part) ? '' : part))
}

function runnable(compiled: Re2.RE2JS): RegularExpression {
  const size = compiled.matcher('').programSize()
  const groupCount = compiled.groupCount()
  const searching = (text: string, group: number): Re2.Matcher => {
    return compiled.matcher(counted(text, group === 0 ? size : size * (1 + groupCount)))
  }
  return {
    groupCount,
    matches: (text) => compiled.test(counted(text, size)),
    first: (text, group) => {
      const matcher = searching(text, group)
      return matcher.find() ? (matcher.group(group) ?? undefined) : undefined
    },
    all: (text, group) => {
      const matcher = searching(text, group)
      const found: string[] = []
      while (matcher.find()) {
        const part = matcher.group(group)
        if (part !== null) found.push(part)
      }
      return found
    },
  }
}

/**
 * A text that limits how often the engine reads its characters. Between two reads, the engine takes at most
 * as many steps as the expression has instructions. One search is linear, but many searches in one text are
 * not: `a*b|a` reads the whole rest of `aaa…` before it finds each `a`.
 */
class CountedText extends String {
  private readonly effort = new Effort('expressionSteps')

  constructor(
    private readonly text: string,
    private readonly stepsPerRead: number,
  ) {
    super(text)
  }

  override charCodeAt(at: number): number {
    this.effort.spend(this.stepsPerRead)
    return this.text.charCodeAt(at)
  }
}

/**
 * Returns a counted text with the type `string`. The engine's functions also accept objects of the class
 * String.
 */
function counted(text: string, stepsPerRead: number): string {
  return new CountedText(text, stepsPerRead) as unknown as string
}
