import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { refuseLongResult } from '../../language/query-limits.js'
import { indexOf as indexIn } from './text-search.js'

/** Returns a function of a string. The result for any other type is undefined. */
export function ofString(compute: (text: string) => unknown): QueryFunction {
  return ofOne((text) => (typeof text === 'string' ? compute(text) : undefined))
}

/** Returns a function that tests two strings. A third argument `true` makes it ignore case. */
function ofTwoStrings(holds: (text: string, other: string) => boolean): QueryFunction {
  return {
    minArguments: 2,
    maxArguments: 3,
    evaluate: (text, other, ignoresCase = false) => {
      if (typeof text !== 'string' || typeof other !== 'string' || typeof ignoresCase !== 'boolean')
        return undefined
      return ignoresCase ? holds(text.toLowerCase(), other.toLowerCase()) : holds(text, other)
    },
  }
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value)
}

export function substring(text: unknown, start: unknown, length: unknown): string | undefined {
  if (typeof text !== 'string' || !isInteger(start) || !isInteger(length)) return undefined
  return start < 0 || length <= 0 ? '' : text.slice(start, start + length)
}

function replace(text: unknown, wanted: unknown, replacement: unknown): string | undefined {
  if (typeof text !== 'string' || typeof wanted !== 'string' || typeof replacement !== 'string')
    return undefined
  return wanted === '' ? undefined : joined(partsOf(text, wanted), replacement)
}

/** Returns the parts before, between and after the occurrences of a string that is not empty. */
export function partsOf(text: string, wanted: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (let at = indexIn(text, wanted); at >= 0; at = indexIn(text, wanted, from)) {
    parts.push(text.slice(from, at))
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}

/** Joins texts. Refuses a result that would be too long, before creating it. */
export function joined(parts: readonly string[], separator: string): string {
  const characters = parts.reduce((total, part) => total + part.length, separator.length * (parts.length - 1))
  refuseLongResult(characters)
  return parts.join(separator)
}

function indexOf(text: unknown, wanted: unknown, from: unknown = 0): number | undefined {
  if (typeof text !== 'string' || typeof wanted !== 'string' || !isInteger(from) || from < 0) return undefined
  return indexIn(text, wanted, from)
}

function concat(...parts: readonly unknown[]): string | undefined {
  return parts.every((part) => typeof part === 'string') ? joined(parts, '') : undefined
}

/** Functions of strings. The result for any other type is undefined. */
export const stringFunctions: Readonly<Record<string, QueryFunction>> = {
  CONCAT: { minArguments: 2, maxArguments: Infinity, evaluate: concat },
  CONTAINS: ofTwoStrings((text, other) => indexIn(text, other) >= 0),
  ENDSWITH: ofTwoStrings((text, other) => text.endsWith(other)),
  INDEX_OF: { minArguments: 2, maxArguments: 3, evaluate: indexOf },
  LENGTH: ofString((text) => text.length),
  LOWER: ofString((text) => text.toLowerCase()),
  REPLACE: { minArguments: 3, maxArguments: 3, evaluate: replace },
  STARTSWITH: ofTwoStrings((text, other) => text.startsWith(other)),
  STRINGEQUALS: ofTwoStrings((text, other) => text === other),
  SUBSTRING: { minArguments: 3, maxArguments: 3, evaluate: substring },
  UPPER: ofString((text) => text.toUpperCase()),
}
