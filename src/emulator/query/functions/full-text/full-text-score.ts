import type { SearchTerm } from './search-term.js'
import { SearchableText } from './searchable-text.js'

/** Determines how much repeated occurrences of a term add to the score (k1 of BM25). */
const saturation = 1.2

/** Determines how much the length of a text reduces its score (b of BM25). */
const lengthWeight = 0.75

/**
 * Scores texts by the terms that they contain (Okapi BM25). First, the caller passes the text of every
 * searched document to `add`. Then, `score` uses the statistics of all these texts. A phrase is one term.
 */
export class FullTextScore {
  private documents = 0
  private words = 0
  /** The number of documents that contain each term. */
  private readonly hits: number[]

  constructor(private readonly terms: readonly SearchTerm[]) {
    this.hits = terms.map(() => 0)
  }

  /**
   * Counts the text of one document. A document whose value is not a string counts as a document without
   * words.
   */
  add(value: unknown): void {
    this.documents += 1
    if (typeof value !== 'string') return
    const text = new SearchableText(value)
    this.words += text.length
    for (const [index, term] of this.terms.entries()) {
      if (text.contains(term)) this.hits[index] = this.hitsOf(index) + 1
    }
  }

  /**
   * Returns the score of a text. It is higher for texts that fit better, and 0 for a text that contains no
   * term.
   */
  score(value: unknown): number {
    if (typeof value !== 'string' || this.words === 0) return 0
    const text = new SearchableText(value)
    const relativeLength = (text.length * this.documents) / this.words
    const slowness = saturation * (1 - lengthWeight + lengthWeight * relativeLength)
    return this.terms.reduce((total, term, index) => {
      const occurrences = text.occurrencesOf(term)
      return total + (this.rarityOf(index) * occurrences * (saturation + 1)) / (occurrences + slowness)
    }, 0)
  }

  /** Returns the inverse document frequency of a term, which is never negative. */
  private rarityOf(index: number): number {
    const hits = this.hitsOf(index)
    return Math.log(1 + (this.documents - hits + 0.5) / (hits + 0.5))
  }

  private hitsOf(index: number): number {
    return this.hits[index] ?? 0
  }
}
