import type { QueryFunction } from './query-function.js'

function ofString(compute: (text: string) => unknown): QueryFunction {
  return {
    minArguments: 1,
    maxArguments: 1,
    evaluate: (text) => (typeof text === 'string' ? compute(text) : undefined),
  }
}

/** A question about two strings; a third argument `true` makes it blind to case. */
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

function substring(text: unknown, start: unknown, length: unknown): string | undefined {
  if (typeof text !== 'string' || !isInteger(start) || !isInteger(length)) return undefined
  return start < 0 || length <= 0 ? '' : text.slice(start, start + length)
}

function replace(text: unknown, wanted: unknown, replacement: unknown): string | undefined {
  if (typeof text !== 'string' || typeof wanted !== 'string' || typeof replacement !== 'string')
    return undefined
  return wanted === '' ? undefined : text.replaceAll(wanted, () => replacement)
}

function indexOf(text: unknown, wanted: unknown, from: unknown = 0): number | undefined {
  if (typeof text !== 'string' || typeof wanted !== 'string' || !isInteger(from) || from < 0) return undefined
  return text.indexOf(wanted, from)
}

function concat(...parts: readonly unknown[]): string | undefined {
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Functions of strings; anything else is undefined, but for ToString. */
export const stringFunctions: Readonly<Record<string, QueryFunction>> = {
  CONCAT: { minArguments: 2, maxArguments: Infinity, evaluate: concat },
  CONTAINS: ofTwoStrings((text, other) => text.includes(other)),
  ENDSWITH: ofTwoStrings((text, other) => text.endsWith(other)),
  INDEX_OF: { minArguments: 2, maxArguments: 3, evaluate: indexOf },
  LENGTH: ofString((text) => text.length),
  LOWER: ofString((text) => text.toLowerCase()),
  REPLACE: { minArguments: 3, maxArguments: 3, evaluate: replace },
  STARTSWITH: ofTwoStrings((text, other) => text.startsWith(other)),
  STRINGEQUALS: ofTwoStrings((text, other) => text === other),
  SUBSTRING: { minArguments: 3, maxArguments: 3, evaluate: substring },
  TOSTRING: { minArguments: 1, maxArguments: 1, evaluate: toText },
  TRIM: ofString((text) => text.trim()),
  UPPER: ofString((text) => text.toUpperCase()),
}
