import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { fullTextScore } from './full-text-score.js'
import { searchTerm, type SearchTerm } from './search-term.js'
import { SearchableText } from './searchable-text.js'

/** Returns a function of a text and search terms. An invalid text or term makes the result undefined. */
function ofTerms(
  maxArguments: number,
  holds: (text: SearchableText, terms: readonly SearchTerm[]) => boolean,
): QueryFunction {
  return {
    minArguments: 2,
    maxArguments,
    evaluate: (text, ...wanted) => {
      if (typeof text !== 'string') return undefined
      const terms = termsOf(wanted)
      return terms === undefined ? undefined : holds(new SearchableText(text), terms)
    },
  }
}

function termsOf(wanted: readonly unknown[]): readonly SearchTerm[] | undefined {
  const terms = wanted.map(searchTerm)
  return terms.every((term) => term !== undefined) ? terms : undefined
}

function containsAll(text: SearchableText, terms: readonly SearchTerm[]): boolean {
  return terms.every((term) => text.contains(term))
}

function containsAny(text: SearchableText, terms: readonly SearchTerm[]): boolean {
  return terms.some((term) => text.contains(term))
}

/** Scores a text with statistics that the caller has gathered. */
function scored(text: unknown, wanted: unknown, ...statistics: readonly unknown[]): number | undefined {
  const [documents, words, hits] = statistics
  const terms = Array.isArray(wanted) ? termsOf(wanted) : undefined
  if (terms === undefined || typeof documents !== 'number' || typeof words !== 'number') return undefined
  return isNumbers(hits) ? fullTextScore(text, terms, { documents, words, hits }) : undefined
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number')
}

/**
 * Functions that search the words of a text. Functions whose names begin with an underscore occur in the
 * queries of query plans. All texts are treated as English, because this emulator refuses a full-text policy
 * with another language.
 */
export const fullTextFunctions: Readonly<Record<string, QueryFunction>> = {
  FULLTEXTCONTAINS: ofTerms(2, containsAll),
  FULLTEXTCONTAINSALL: ofTerms(Infinity, containsAll),
  FULLTEXTCONTAINSANY: ofTerms(Infinity, containsAny),
  _FULLTEXTSCORE: { minArguments: 5, maxArguments: 5, evaluate: scored },
  _FULLTEXTWORDCOUNT: ofOne((text) =>
    typeof text === 'string' ? new SearchableText(text).length : undefined,
  ),
}
