import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../../src/emulator/query/index.js'

const document = {
  text: 'The red bicycles of Anna’s brother are ready. RED is the colour, not blue.',
  misspelt: 'A bycycle in rad',
  german: 'Straße über ZÜRICH',
  decomposed: 'cafe\u0301 society',
  russian: 'Мой Велосипед красный',
  digits: 'model 42b, serial 9007199254740993',
  empty: '',
  nil: null,
  list: ['red'],
  number: 5,
}

function valueOf(expression: string, input: object = document): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([{ ...input }])[0]
}

describe('a full-text function', () => {
  it.each<[string, boolean]>([
    ['FULLTEXTCONTAINS(c.text, "bicycle")', true],
    ['FullTextContains(c.text, "red bicycle")', true],
    ['FULLTEXTCONTAINS(c.text, "bicycle red")', false],
    ['FULLTEXTCONTAINS(c.text, "red blue")', false],
    ['FULLTEXTCONTAINS(c.text, "skateboard")', false],
    ['FULLTEXTCONTAINS(c.text, "red") AND FULLTEXTCONTAINS(c.text, "blue")', true],
    ['FULLTEXTCONTAINSALL(c.text, "red", "bicycle")', true],
    ['FullTextContainsAll(c.text, "bicycle", "red")', true],
    ['FULLTEXTCONTAINSALL(c.text, "red", "skateboard")', false],
    ['FULLTEXTCONTAINSALL(c.text, "red")', true],
    ['FULLTEXTCONTAINSANY(c.text, "bicycle", "skateboard")', true],
    ['FullTextContainsAny(c.text, "car", "skateboard", "red bicycle")', true],
    ['FULLTEXTCONTAINSANY(c.text, "car", "skateboard")', false],
  ])('finds words and phrases as documented: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each<[string, boolean]>([
    ['FULLTEXTCONTAINS(c.text, "READY")', true],
    ['FULLTEXTCONTAINS(c.text, "brothers")', true],
    ['FULLTEXTCONTAINS(c.text, "colours")', true],
    ['FULLTEXTCONTAINS(c.text, "bicyc")', false],
    ['FULLTEXTCONTAINS(c.text, "read")', false],
    ['FULLTEXTCONTAINS(c.text, "Anna\'s")', true],
    ['FULLTEXTCONTAINS(c.text, "anna")', true],
    ['FULLTEXTCONTAINS(c.text, "bicycles, (Anna)")', true],
    ['FULLTEXTCONTAINS(c.german, "zürich")', true],
    ['FULLTEXTCONTAINS(c.german, "zurich")', false],
    ['FULLTEXTCONTAINS(c.german, "straße")', true],
    ['FULLTEXTCONTAINS(c.decomposed, "café")', true],
    ['FULLTEXTCONTAINS(c.russian, "велосипед")', true],
    ['FULLTEXTCONTAINS(c.digits, "42B")', true],
    ['FULLTEXTCONTAINS(c.digits, "9007199254740992")', false],
    ['FULLTEXTCONTAINS(c.empty, "red")', false],
  ])('compares words by their stems, whatever their case: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each<[string, boolean]>([
    ['FULLTEXTCONTAINS(c.text, "the")', false],
    ['FULLTEXTCONTAINS(c.text, "")', false],
    ['FULLTEXTCONTAINS(c.text, "...")', false],
    ['FULLTEXTCONTAINS(c.text, "the red bicycles of")', true],
    ['FULLTEXTCONTAINS(c.text, "colour, not the blue")', true],
  ])('ignores stop words, which no page describes in detail: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each<[string, boolean | undefined]>([
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": 1})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": 0})', false],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "bicycle", "distance": 1})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "bicycles", "distance": 2})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "tricycle", "distance": 2})', false],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "rod", "distance": 1})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "road", "distance": 1})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "ad", "distance": 1})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "bycycle red", "distance": 1})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red bycycle", "distance": 2})', false],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "bycycle"})', true],
    ['FULLTEXTCONTAINSALL(c.misspelt, {"term": "red", "distance": 1}, "bycycle")', true],
    ['FULLTEXTCONTAINSANY(c.misspelt, "car", {"term": "bicycle", "distance": 2})', true],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": 3})', undefined],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": -1})', undefined],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": 0.5})', undefined],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": "1"})', undefined],
    ['FULLTEXTCONTAINS(c.misspelt, {"term": "red", "distance": null})', undefined],
    ['FULLTEXTCONTAINS(c.misspelt, {"distance": 1})', undefined],
  ])('accepts words with at most two edits: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each(['FULLTEXTCONTAINS', 'FULLTEXTCONTAINSALL', 'FULLTEXTCONTAINSANY'])(
    '%s is undefined if the text or a term has the wrong type',
    (name) => {
      const texts = ['c.number', 'c.nil', 'c.list', 'c.nothing', 'c', 'true']
      const results = [
        ...texts.map((text) => `${name}(${text}, "red")`),
        ...texts.map((term) => `${name}(c.text, ${term})`),
      ]
      expect(results.map((expression) => valueOf(expression))).toEqual(results.map(() => undefined))
    },
  )

  it('is undefined if one of several terms has the wrong type, even if another one decides', () => {
    expect(valueOf('FULLTEXTCONTAINSANY(c.text, "red", 5)')).toBeUndefined()
    expect(valueOf('FULLTEXTCONTAINSALL(c.text, "skateboard", 5)')).toBeUndefined()
  })

  it.each(['FULLTEXTCONTAINS(c.text)', 'FULLTEXTCONTAINS(c.text, "a", "b")', 'FULLTEXTCONTAINSANY(c.text)'])(
    'is refused with a wrong count of arguments: %s',
    (expression) => {
      expect(() => valueOf(expression)).toThrow(QueryError)
    },
  )

  it.each(['FULLTEXTSCORE(c.text, "red")', 'RRF(1, 2)'])(
    'is refused outside ORDER BY RANK if it is a score: %s',
    (expression) => {
      expect(() => valueOf(expression)).toThrow(/only in ORDER BY RANK/u)
    },
  )

  it('searches a long text for a long phrase in linear time', () => {
    const input = {
      text: 'y '.repeat(500_000),
      phrase: `${'y '.repeat(250_000)}z`,
      word: 'yz'.repeat(500_000),
    }
    expect(valueOf('FULLTEXTCONTAINS(c.text, c.phrase)', { ...input, text: `${input.text} z y` })).toBe(true)
    expect(valueOf('FULLTEXTCONTAINS(c.word, "yz")', input)).toBe(false)
  })

  it.each([
    ['marks', 'a\u0301\u0323'.padEnd(400_000, '\u0301\u0323')],
    ['letters', 'y'.repeat(400_000)],
    ['apostrophes', "a'".repeat(200_000)],
  ])('reads one word of many %s in linear time', (_kind, text) => {
    expect(valueOf('FULLTEXTCONTAINS(c.text, "red")', { text: `${text} red` })).toBe(true)
  })

  it('refuses searches that compare too much, such as long fuzzy phrases', () => {
    const input = { text: 'abc '.repeat(100_000), phrase: `${'abc '.repeat(1000)} xyz` }
    const search = (): unknown => valueOf('FULLTEXTCONTAINS(c.text, {term: c.phrase, distance: 1})', input)
    expect(search).toThrow(/limit/u)
  })
})
