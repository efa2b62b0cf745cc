import { describe, expect, it } from 'vitest'
import {
  fullTextScore,
  textStatistics,
} from '../../../../../../src/emulator/query/functions/full-text/full-text-score.js'
import {
  searchTerm,
  type SearchTerm,
} from '../../../../../../src/emulator/query/functions/full-text/search-term.js'

function terms(...values: readonly unknown[]): readonly SearchTerm[] {
  return values.map(searchTerm).filter((term) => term !== undefined)
}

function scoreOf(texts: readonly unknown[], ...wanted: readonly unknown[]): readonly (number | undefined)[] {
  const statistics = textStatistics(texts, terms(...wanted))
  return texts.map((text) => fullTextScore(text, terms(...wanted), statistics))
}

describe('FullTextScore', () => {
  it('computes BM25 with k1 = 1.2 and b = 0.75', () => {
    const [first, second, third] = scoreOf(['red bicycle', 'red red car house', 'blue sky moon'], 'red')
    const rarity = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    const score = (occurrences: number, length: number): number =>
      (rarity * occurrences * 2.2) / (occurrences + 1.2 * (0.25 + (0.75 * length) / 3))
    expect(first).toBeCloseTo(score(1, 2), 12)
    expect(second).toBeCloseTo(score(2, 4), 12)
    expect(third).toBe(0)
  })

  it('adds the scores of several terms, of which rare ones count more', () => {
    const texts = ['mountain bicycle', 'bicycle', 'bicycle', 'mountain', 'car']
    const [both = 0, common = 0, , rare = 0, none] = scoreOf(texts, 'bicycle', 'mountain')
    expect(both).toBeGreaterThan(rare)
    expect(rare).toBeGreaterThan(common)
    expect(none).toBe(0)
  })

  it('scores a short text above a long one with the same words', () => {
    const [short = 0, long = 0] = scoreOf(['red', 'red house near water'], 'red')
    expect(short).toBeGreaterThan(long)
  })

  it('stays positive for a term that every document contains', () => {
    const scores = scoreOf(['red', 'red'], 'red')
    expect(scores.every((score = 0) => score > 0)).toBe(true)
  })

  it('takes a phrase as one term, and stems and fuzzy terms as the search does', () => {
    expect(scoreOf(['red bicycle', 'bicycle red'], 'red bicycles')).toEqual([expect.any(Number), 0])
    expect(scoreOf(['red bicycle', 'bicycle red'], 'red bicycles')[0]).toBeGreaterThan(0)
    expect(scoreOf(['bycycle'], { term: 'bicycle', distance: 1 })[0]).toBeGreaterThan(0)
    expect(scoreOf(['bycycle'], 'bicycle')).toEqual([0])
  })

  it.each([undefined, null, 5, ['red'], {}])('gives no score to the value %j, which is no text', (value) => {
    expect(scoreOf([value, 'red'], 'red')).toEqual([undefined, expect.any(Number)])
  })

  it('scores a text without words as 0', () => {
    expect(scoreOf(['', 'red'], 'red')).toEqual([0, expect.any(Number)])
  })

  it('counts documents without a text, so that a term is rarer among them', () => {
    const [alone = 0] = scoreOf(['red'], 'red')
    const [among = 0] = scoreOf(['red', undefined, undefined], 'red')
    expect(among).not.toBe(alone)
  })

  it('scores 0 without documents, without words and without terms', () => {
    expect(fullTextScore('red', terms('red'), { documents: 0, words: 0, hits: [0] })).toBe(0)
    expect(scoreOf(['the', 'of'], 'the')).toEqual([0, 0])
    expect(scoreOf(['red'])).toEqual([0])
  })
})
