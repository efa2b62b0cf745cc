import type { QueryFunction } from '../../values/query-function.js'

/** Returns the position after the unwanted characters at the beginning of a text. */
function startOf(text: string, unwanted: ReadonlySet<string>): number {
  let at = 0
  for (const character of text) {
    if (!unwanted.has(character)) break
    at += character.length
  }
  return at
}

/** Returns the position where the unwanted characters at the end of a text begin, but at least `start`. */
function endOf(text: string, unwanted: ReadonlySet<string>, start: number): number {
  let end = text.length
  while (end > start) {
    const length = (text.codePointAt(end - 2) ?? 0) > 0xffff ? 2 : 1
    if (!unwanted.has(text.slice(end - length, end))) break
    end -= length
  }
  return end
}

/**
 * Returns a function that removes white space. With a second argument, it instead removes the characters of
 * this argument.
 */
function ofTrim(
  removeSpace: (text: string) => string,
  { isAtStart, isAtEnd }: { readonly isAtStart: boolean; readonly isAtEnd: boolean },
): QueryFunction {
  return {
    minArguments: 1,
    maxArguments: 2,
    evaluate: (text, ...rest) => {
      if (typeof text !== 'string') return undefined
      if (rest.length === 0) return removeSpace(text)
      const [characters] = rest
      if (typeof characters !== 'string') return undefined
      const unwanted = new Set(characters)
      const start = isAtStart ? startOf(text, unwanted) : 0
      return text.slice(start, isAtEnd ? endOf(text, unwanted, start) : text.length)
    },
  }
}

export const trimFunctions = {
  LTRIM: ofTrim((text) => text.trimStart(), { isAtStart: true, isAtEnd: false }),
  RTRIM: ofTrim((text) => text.trimEnd(), { isAtStart: false, isAtEnd: true }),
  TRIM: ofTrim((text) => text.trim(), { isAtStart: true, isAtEnd: true }),
}
