import { wordsOf } from './words.js'

/** A phrase to find in a text: words that follow each other. */
export interface SearchTerm {
  readonly words: readonly string[]
  /** How many characters of each word may differ. */
  readonly distance: number
}

const mostEdits = 2

/**
 * Reads a string, or an object such as `{ term: 'bicycle', distance: 1 }`. Returns undefined for anything
 * else.
 */
export function searchTerm(value: unknown): SearchTerm | undefined {
  if (typeof value === 'string') return { words: wordsOf(value), distance: 0 }
  if (typeof value !== 'object' || value === null) return undefined
  const { term, distance = 0 }: { term?: unknown; distance?: unknown } = value
  if (typeof term !== 'string' || typeof distance !== 'number' || !Number.isInteger(distance))
    return undefined
  return distance < 0 || distance > mostEdits ? undefined : { words: wordsOf(term), distance }
}
