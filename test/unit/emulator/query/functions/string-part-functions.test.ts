import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastIndexOf } from '../../../../../src/emulator/query/functions/texts/text-search.js'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const ofTwoTexts = [
  ...['LASTINDEXOF', 'LASTSUBSTRINGAFTER', 'LASTSUBSTRINGBEFORE', 'STRINGSPLIT'],
  ...['SUBSTRINGAFTER', 'SUBSTRINGBEFORE'],
]
const ofTextAndNumber = ['LEFT', 'RIGHT', 'REPLICATE']
const notTexts = ['undefined', 'null', 'true', '1', '["a"]', '{"a": 1}', 'c.nothing']
const notNumbers = ['undefined', 'null', 'true', '"1"', '[1]', '{"a": 1}', 'c.nothing']

describe('a function of parts of strings', () => {
  it.each<Row>([
    ['LASTINDEXOF("abcdeabc", "abc")', 5],
    ['LASTINDEXOF("abcdeabc", "abc", 6)', 0],
    ['LASTINDEXOF("abcdeabc", "abc", 7)', 5],
    ['LASTINDEXOF("abcdeabc", "fg")', -1],
    ['LASTSUBSTRINGAFTER("/products/shoes/boots", "/")', 'boots'],
    ['LASTSUBSTRINGAFTER("A-B-C", "-")', 'C'],
    ['LASTSUBSTRINGAFTER("bike::touring::frame", "::")', 'frame'],
    ['LASTSUBSTRINGBEFORE("/products/shoes/boots", "/")', '/products/shoes'],
    ['LASTSUBSTRINGBEFORE("A-B-C", "-")', 'A-B'],
    ['LASTSUBSTRINGBEFORE("bike::touring::frame", "::")', 'bike::touring'],
    ['LEFT("AdventureWorks", 0)', ''],
    ['LEFT("AdventureWorks", 5)', 'Adven'],
    ['LEFT("AdventureWorks", LENGTH("AdventureWorks"))', 'AdventureWorks'],
    ['LEFT("AdventureWorks", 100)', 'AdventureWorks'],
    ['REPLICATE("Cosmic", 3)', 'CosmicCosmicCosmic'],
    ['REPLICATE("Cosmic", -1)', undefined],
    ['REVERSE("AdventureWorks")', 'skroWerutnevdA'],
    ['REVERSE(REVERSE("AdventureWorks"))', 'AdventureWorks'],
    ['RIGHT("AdventureWorks", 0)', ''],
    ['RIGHT("AdventureWorks", 1)', 's'],
    ['RIGHT("AdventureWorks", 5)', 'Works'],
    ['RIGHT("AdventureWorks", LENGTH("AdventureWorks"))', 'AdventureWorks'],
    ['RIGHT("AdventureWorks", 100)', 'AdventureWorks'],
    ['STRINGJOIN(["Iropa", "Mountain", "Bike"], " ")', 'Iropa Mountain Bike'],
    ['STRINGJOIN(["Iropa", "Mountain", "Bike"], "")', 'IropaMountainBike'],
    ['STRINGJOIN(["Iropa", "Mountain", "Bike"], undefined)', undefined],
    ['STRINGJOIN(["6", "7", "4", "3"], "A")', '6A7A4A3'],
    ['STRINGJOIN(["Adventure", "LT"], "Works")', 'AdventureWorksLT'],
    ['STRINGSPLIT("Handlebar", "e")', ['Handl', 'bar']],
    ['STRINGSPLIT("CARBON_STEEL_BIKE_WHEEL", "_")', ['CARBON', 'STEEL', 'BIKE', 'WHEEL']],
    ['STRINGSPLIT("Road Bike", " ")', ['Road', 'Bike']],
    ['STRINGSPLIT("xenmoun mountain bike", "moun")', ['xen', ' ', 'tain bike']],
    ['STRINGSPLIT("AluminumBikeFrame", undefined)', undefined],
    ['STRINGSPLIT("Helmet", "")', ['Helmet']],
    ['STRINGSPLIT("", "")', ['']],
    ['SUBSTRINGAFTER("contoso|north|2026", "|")', 'north|2026'],
    ['SUBSTRINGAFTER("a/b/c", "/")', 'b/c'],
    ['SUBSTRINGAFTER("bike::touring::frame", "::")', 'touring::frame'],
    ['SUBSTRINGBEFORE("contoso|north|2026", "|")', 'contoso'],
    ['SUBSTRINGBEFORE("a/b/c", "/")', 'a'],
    ['SUBSTRINGBEFORE("bike::touring::frame", "::")', 'bike'],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['LASTINDEXOF("abc", "abc", 1)', -1],
    ['LASTINDEXOF("abc", "c", 0)', -1],
    ['LASTINDEXOF("aaa", "aa")', 1],
    ['LASTINDEXOF("abc", "c", 9007199254740992)', 2],
    ['LASTINDEXOF("abc", "c", -1)', undefined],
    ['LASTINDEXOF("abc", "c", 1.5)', undefined],
    ['LASTINDEXOF("abc", "c", "1")', undefined],
    ['LASTINDEXOF("abc", "c", c.nothing)', undefined],
    ['LEFT("abc", -1)', ''],
    ['LEFT("abc", 1.5)', undefined],
    ['RIGHT("abc", -1)', ''],
    ['RIGHT("abc", 1.5)', undefined],
    ['RIGHT("", 1)', ''],
    ['REPLICATE("a", 0)', ''],
    ['REPLICATE("ab", 2.9)', 'abab'],
    ['REPLICATE("", 9007199254740992)', ''],
    ['LENGTH(REPLICATE("a", 10000))', 10_000],
    ['REPLICATE("a", 10001)', undefined],
    ['REPLICATE("ab", 5001)', undefined],
    ['REPLICATE("a", 1e300)', undefined],
    ['REVERSE("")', ''],
    ['REVERSE("a🙂é")', 'é🙂a'],
    ['STRINGJOIN([], "-")', ''],
    ['STRINGJOIN(["a"], "-")', 'a'],
    ['STRINGJOIN(["a", 1], "-")', undefined],
    ['STRINGJOIN(["a", null], "-")', undefined],
    ['STRINGJOIN("abc", "-")', undefined],
    ['STRINGJOIN(["a"], 1)', undefined],
    ['STRINGSPLIT("-a--b-", "-")', ['', 'a', '', 'b', '']],
    ['STRINGSPLIT("", "-")', ['']],
    ['STRINGSPLIT("a🙂b", "🙂")', ['a', 'b']],
    ['STRINGSPLIT("aAa", "A")', ['a', 'a']],
    ['SUBSTRINGAFTER("a/", "/")', ''],
    ['SUBSTRINGBEFORE("/a", "/")', ''],
  ])('has the expected value at a boundary: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each(['LASTSUBSTRINGAFTER', 'LASTSUBSTRINGBEFORE', 'SUBSTRINGAFTER', 'SUBSTRINGBEFORE'])(
    '%s is undefined without the delimiter, which no page documents',
    (name) => {
      expect(rowsOf(`${name}("abc", "/")`)).toEqual([])
    },
  )

  it.each([
    ...ofTwoTexts.flatMap((name) =>
      notTexts.flatMap((value) => [`${name}("a", ${value})`, `${name}(${value}, "a")`]),
    ),
    ...ofTextAndNumber.flatMap((name) => notTexts.map((value) => `${name}(${value}, 1)`)),
    ...ofTextAndNumber.flatMap((name) => notNumbers.map((value) => `${name}("a", ${value})`)),
    ...notTexts.map((value) => `REVERSE(${value})`),
  ])('is undefined for a value of a wrong type: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each([
    ...[...ofTwoTexts, ...ofTextAndNumber, 'STRINGJOIN'].flatMap((name) => [
      `${name}(1)`,
      `${name}(1, 2, 3, 4)`,
    ]),
    ...['REVERSE()', 'REVERSE(1, 2)', 'LEFT(1, 2, 3)', 'SUBSTRINGAFTER(1, 2, 3)'],
  ])('refuses a wrong count of arguments: %s', (expression) => {
    expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
  })
})

describe('a function of parts of a long string', () => {
  const text = 'a'.repeat(1_500_000)

  it.each<[string, unknown]>([
    ['LASTINDEXOF(c.text, @wanted)', -1],
    ['SUBSTRINGBEFORE(c.text, @wanted) ?? "none"', 'none'],
    ['LASTSUBSTRINGAFTER(c.text, @wanted) ?? "none"', 'none'],
    ['ARRAY_LENGTH(STRINGSPLIT(c.text, @wanted))', 1],
    ['LENGTH(REVERSE(c.text))', 1_500_000],
  ])('takes linear time: %s', (expression, value) => {
    const wanted = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`
    expect(rowsOf(expression, { text }, { wanted })).toEqual([value])
  })

  it('refuses a joined text of more than 4 MB before creating it', () => {
    const query = `STRINGJOIN([${Array(5000).fill('c.text').join(',')}], c.text)`
    expect(() => rowsOf(query, { text })).toThrow('the limit of 4194304 characters')
  })

  it('finds the last place of a text as String.lastIndexOf does', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.nat(50), fc.nat(150), (parts, repeat, last) => {
        const searched = parts.join('ab'.repeat(repeat))
        const wanted = `${'ab'.repeat(repeat)}${parts[1] ?? ''}${'ab'.repeat(repeat)}`
        expect(lastIndexOf(searched, wanted, last)).toBe(searched.lastIndexOf(wanted, last))
        expect(lastIndexOf(searched, wanted)).toBe(searched.lastIndexOf(wanted))
      }),
      { numRuns: 500 },
    )
  })
})
