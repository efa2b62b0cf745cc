import { createRequire } from 'node:module'

type Stemmer = (word: string) => string

/** Words that carry no meaning of their own. The service removes them from English texts. */
const stopWords = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with`.split(/\s+/u),
)

/** A word of letters, marks and digits, which may have apostrophes inside. */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu

/** Longer words are not stemmed, because neither stemming nor Unicode normalization takes linear time. */
const longestStemmed = 40

/** The most words whose stems are remembered. */
const mostRemembered = 20_000

let stem: Stemmer | null = null
const remembered = new Map<string, string>()

/** Returns the stems of the words of a text in their order, without stop words. Ignores case. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  for (const [match] of text.toLowerCase().matchAll(wordPattern)) {
    if (!stopWords.has(match)) words.push(stemOf(match))
  }
  return words
}

function stemOf(word: string): string {
  if (word.length > longestStemmed) return word
  const known = remembered.get(word)
  if (known !== undefined) return known
  const found = stemmer()(word.normalize('NFC').replaceAll('’', "'"))
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(word, found)
  return found
}

/** Loads the stemmer when the first word needs it. Uses `require`, because queries run synchronously. */
function stemmer(): Stemmer {
  stem ??= createRequire(import.meta.url)('wink-porter2-stemmer') as Stemmer
  return stem
}
