import { finite } from '../../values/values.js'
import type { SearchTerm } from './search-term.js'
import { SearchableText } from './searchable-text.js'

/** Determines how much repeated occurrences of a term add to the score (k1 of BM25). */
const saturation = 1.2

/** Determines how much the length of a text reduces its score (b of BM25). */
const lengthWeight = 0.75

/** Facts about all texts, on which each score depends. */
export interface TextStatistics {
  /** The number of documents, including those without a text. */
  readonly documents: number
  /** The number of words in all texts, without stop words. */
  readonly words: number
  /** The number of documents that contain each term. */
  readonly hits: readonly number[]
}

/** Counts the texts of documents. A document whose value is not a string counts as one without words. */
export function textStatistics(values: Iterable<unknown>, terms: readonly SearchTerm[]): TextStatistics {
  const hits = terms.map(() => 0)
  let documents = 0
  let words = 0
  for (const value of values) {
    documents += 1
    if (typeof value !== 'string') continue
    const text = new SearchableText(value)
    words += text.length
    for (const [index, term] of terms.entries()) if (text.contains(term)) hits[index] = (hits[index] ?? 0) + 1
  }
  return { documents, words, hits }
}

/**
 * Scores a text by the terms that it contains (Okapi BM25). A phrase is one term. The score is higher for
 * texts that fit better, and 0 for a text that contains no term. A value that is not a string has no score.
 */
export function fullTextScore(
  value: unknown,
  terms: readonly SearchTerm[],
  { documents, words, hits }: TextStatistics,
): number | undefined {
  if (typeof value !== 'string') return undefined
  if (words === 0) return 0
  const text = new SearchableText(value)
  const relativeLength = (text.length * documents) / words
  const slowness = saturation * (1 - lengthWeight + lengthWeight * relativeLength)
  const score = terms.reduce((total, term, index) => {
    const occurrences = text.occurrencesOf(term)
    if (occurrences === 0) return total
    const rarity = rarityOf(hits[index] ?? 0, documents)
    return total + (rarity * occurrences * (saturation + 1)) / (occurrences + slowness)
  }, 0)
  return finite(score)
}

/**
 * Returns the inverse document frequency of a term. It is never negative if `hits` is at most `documents`.
 */
function rarityOf(hits: number, documents: number): number {
  return Math.log(1 + (documents - hits + 0.5) / (hits + 0.5))
}
