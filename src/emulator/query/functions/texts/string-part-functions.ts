import type { QueryFunction } from '../../values/query-function.js'
import { joined, ofString, partsOf, substring } from './string-functions.js'
import { indexOf, lastIndexOf } from './text-search.js'

/**
 * The longest result of REPLICATE. If the result would be longer, it is undefined, as the service's
 * documentation says.
 */
const longestReplica = 10_000

/**
 * Searches backwards. The third argument is the position of the last character that may belong to the match.
 */
function lastIndex(text: unknown, wanted: unknown, ...rest: readonly unknown[]): number | undefined {
  const last = rest.length === 0 ? Number.MAX_SAFE_INTEGER : rest[0]
  if (typeof text !== 'string' || typeof wanted !== 'string') return undefined
  if (typeof last !== 'number' || !Number.isInteger(last) || last < 0) return undefined
  return lastIndexOf(text, wanted, last - wanted.length + 1)
}

function right(text: unknown, length: unknown): string | undefined {
  if (typeof text !== 'string' || typeof length !== 'number') return undefined
  return substring(text, Math.max(0, text.length - length), length)
}

function replicate(text: unknown, times: unknown): string | undefined {
  if (typeof text !== 'string' || typeof times !== 'number' || times < 0) return undefined
  const count = Math.trunc(times)
  if (text.length * count > longestReplica) return undefined
  return text === '' ? '' : text.repeat(count)
}

/** Reverses whole characters rather than the halves of surrogate pairs, so that the result is valid text. */
function reverse(text: string): string {
  return Array.from(text).reverse().join('')
}

function stringJoin(array: unknown, separator: unknown): string | undefined {
  if (!Array.isArray(array) || typeof separator !== 'string') return undefined
  const items: readonly unknown[] = array
  if (items.length === 0) return ''
  return items.every((item) => typeof item === 'string') ? joined(items, separator) : undefined
}

function stringSplit(text: unknown, separator: unknown): readonly string[] | undefined {
  if (typeof text !== 'string' || typeof separator !== 'string') return undefined
  return separator === '' ? [text] : partsOf(text, separator)
}

function ofTwo(evaluate: (one: unknown, other: unknown) => unknown): QueryFunction {
  return { minArguments: 2, maxArguments: 2, evaluate }
}

/**
 * Returns a function that takes the text before or after a delimiter. The result for a text without it is
 * undefined.
 */
function ofDelimiter(
  find: (text: string, delimiter: string) => number,
  take: (text: string, at: number, end: number) => string,
): QueryFunction {
  return ofTwo((text, delimiter) => {
    if (typeof text !== 'string' || typeof delimiter !== 'string') return undefined
    const at = find(text, delimiter)
    return at < 0 ? undefined : take(text, at, at + delimiter.length)
  })
}

/** Functions that find, take or arrange parts of strings. The result for any other type is undefined. */
export const stringPartFunctions: Readonly<Record<string, QueryFunction>> = {
  LASTINDEXOF: { minArguments: 2, maxArguments: 3, evaluate: lastIndex },
  LASTSUBSTRINGAFTER: ofDelimiter(lastIndexOf, (text, _at, end) => text.slice(end)),
  LASTSUBSTRINGBEFORE: ofDelimiter(lastIndexOf, (text, at) => text.slice(0, at)),
  LEFT: ofTwo((text, length) => substring(text, 0, length)),
  REPLICATE: ofTwo(replicate),
  REVERSE: ofString(reverse),
  RIGHT: ofTwo(right),
  STRINGJOIN: ofTwo(stringJoin),
  STRINGSPLIT: ofTwo(stringSplit),
  SUBSTRINGAFTER: ofDelimiter(indexOf, (text, _at, end) => text.slice(end)),
  SUBSTRINGBEFORE: ofDelimiter(indexOf, (text, at) => text.slice(0, at)),
}
