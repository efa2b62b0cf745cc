import type { QueryFunction } from '../../values/query-function.js'
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
      const terms: SearchTerm[] = []
      for (const value of wanted) {
        const term = searchTerm(value)
        if (term === undefined) return undefined
        terms.push(term)
      }
      return holds(new SearchableText(text), terms)
    },
  }
}

function containsAll(text: SearchableText, terms: readonly SearchTerm[]): boolean {
  return terms.every((term) => text.contains(term))
}

function containsAny(text: SearchableText, terms: readonly SearchTerm[]): boolean {
  return terms.some((term) => text.contains(term))
}

/**
 * Functions that search the words of a text. All texts are treated as English, because containers of this
 * emulator have no full-text policy that names another language.
 */
export const fullTextFunctions: Readonly<Record<string, QueryFunction>> = {
  FULLTEXTCONTAINS: ofTerms(2, containsAll),
  FULLTEXTCONTAINSALL: ofTerms(Infinity, containsAll),
  FULLTEXTCONTAINSANY: ofTerms(Infinity, containsAny),
}
