import { createRequire } from 'node:module'
import type * as Re2 from 're2js'

/** The largest number of characters of a pattern. */
const maxPatternLength = 200
/** The largest number of instructions of a compiled pattern. */
const maxInstructions = 1_000
/** The largest number of characters of a text that is compared with a pattern. */
const maxTextLength = 10_000
/** The largest number of compiled patterns that are kept. */
const maxRemembered = 100

/** Patterns by their text, or the reason why a text is not a pattern. */
const remembered = new Map<string, Re2.RE2JS | string>()

let engine: typeof Re2 | null = null

/** Loads the engine for the first pattern, because most workflows have none. */
function loaded(): typeof Re2 {
  engine ??= createRequire(import.meta.url)('re2js') as typeof Re2
  return engine
}

/** Returns the reason why a text is not a pattern, or null. */
export function patternProblem(pattern: string): string | null {
  const compiled = patternOf(pattern)
  return typeof compiled === 'string' ? compiled : null
}

/**
 * Checks whether the pattern matches a part of the text. The engine never goes back in the text, and both
 * lengths are limited. So no pattern and no text can hold up a scheduler.
 */
export function matches(text: string, pattern: string): boolean {
  const compiled = patternOf(pattern)
  return typeof compiled !== 'string' && text.length <= maxTextLength && compiled.test(text)
}

function patternOf(pattern: string): Re2.RE2JS | string {
  const known = remembered.get(pattern)
  if (known !== undefined) return known
  const made = compiled(pattern)
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(pattern, made)
  return made
}

function compiled(pattern: string): Re2.RE2JS | string {
  if (pattern.length > maxPatternLength)
    return `the pattern has ${pattern.length} characters; at most ${maxPatternLength} are allowed`
  const { RE2JS, RE2JSException } = loaded()
  try {
    const made = RE2JS.compile(pattern)
    const size = made.matcher('').programSize()
    if (size <= maxInstructions) return made
    return `the pattern ${JSON.stringify(pattern)} repeats too much: use smaller numbers in its braces`
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return `the pattern ${JSON.stringify(pattern)} is not a regular expression of RE2: ${error.message}`
  }
}
