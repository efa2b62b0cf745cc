import { Effort } from '../../language/effort.js'
import { isWithinEdits } from './edits.js'
import type { SearchTerm } from './search-term.js'
import { wordsOf } from './words.js'

/** A text in which terms are counted. It is split into words only once. */
export class SearchableText {
  private readonly words: readonly string[]
  private readonly counts = new Map<string, number>()
  private readonly effort = new Effort('comparedWords')

  constructor(text: string) {
    this.words = wordsOf(text)
    for (const word of this.words) this.counts.set(word, this.countOf(word) + 1)
  }

  /** The number of words, without stop words. */
  get length(): number {
    return this.words.length
  }

  contains(term: SearchTerm): boolean {
    return this.occurrencesOf(term) > 0
  }

  /** Counts how often a term occurs. A term without words, such as a stop word, never occurs. */
  occurrencesOf({ words, distance }: SearchTerm): number {
    const [first] = words
    if (first === undefined) return 0
    if (distance > 0) return this.similarPhrases(words, distance)
    if (words.length === 1) return this.countOf(first)
    return words.every((word) => this.counts.has(word)) ? this.exactPhrases(words) : 0
  }

  private countOf(word: string): number {
    return this.counts.get(word) ?? 0
  }

  /** Searches in time linear in both lengths (Knuth, Morris, Pratt). */
  private exactPhrases(phrase: readonly string[]): number {
    this.effort.spend(this.words.length)
    const borders = bordersOf(phrase)
    let count = 0
    let matched = 0
    for (const word of this.words) {
      while (matched > 0 && word !== phrase[matched]) matched = borders[matched - 1] ?? 0
      if (word === phrase[matched]) matched += 1
      if (matched < phrase.length) continue
      count += 1
      matched = borders[matched - 1] ?? 0
    }
    return count
  }

  private similarPhrases(phrase: readonly string[], distance: number): number {
    let count = 0
    for (let at = 0; at + phrase.length <= this.words.length; at += 1) {
      const isSimilar = phrase.every((wanted, offset) => {
        const word = this.words[at + offset] ?? ''
        this.effort.spend(word.length)
        return isWithinEdits(wanted, word, distance)
      })
      if (isSimilar) count += 1
    }
    return count
  }
}

/** Returns, for each beginning of a phrase, the length of the longest shorter beginning that it ends with. */
function bordersOf(phrase: readonly string[]): readonly number[] {
  const borders = [0]
  let length = 0
  for (let at = 1; at < phrase.length; at += 1) {
    while (length > 0 && phrase[at] !== phrase[length]) length = borders[length - 1] ?? 0
    if (phrase[at] === phrase[length]) length += 1
    borders.push(length)
  }
  return borders
}
