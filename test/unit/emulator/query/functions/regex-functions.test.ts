import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const names = ['REGEXEXTRACT', 'REGEXEXTRACTALL', 'REGEXMATCH']

describe('a function of regular expressions', () => {
  it.each<Row>([
    ['RegexMatch("abcd", "ABC")', false],
    ['RegexMatch("abcd", "ABC", "")', false],
    ['RegexMatch("abcd", "ABC", "i")', true],
    ['RegexMatch("abcd", "ab.", "")', true],
    ['RegexMatch("abcd", "ab c", "x")', true],
    ['RegexMatch("abcd", "aB c", "ix")', true],
    ['RegexMatch("03a", "[0-9]")', true],
    ['RegexMatch("salt3824908", "salt{1}")', true],
    ['RegexMatch("shame", "s....", "i")', true],
    ['RegexMatch("Tecozow coat", " coat{1}")', true],
    ['REGEXEXTRACT("SKU-93821-BLUE", "[A-Z]+")', 'SKU'],
    ['REGEXEXTRACT("SKU-93821-BLUE", "[0-9]+")', '93821'],
    ['REGEXEXTRACTALL("A12-B34-C56", "[0-9]+")', ['12', '34', '56']],
    ['REGEXEXTRACTALL("north-east-west", "[a-z]+")', ['north', 'east', 'west']],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['REGEXMATCH("a\\nb", "^b$")', false],
    ['REGEXMATCH("a\\nb", "^b$", "m")', true],
    ['REGEXMATCH("a\\nb", "a.b")', false],
    ['REGEXMATCH("a\\nb", "a.b", "s")', true],
    ['REGEXMATCH("A\\nB", "^a.b$", "smi")', true],
    ['REGEXMATCH("É", "é", "i")', true],
    ['REGEXMATCH("ab", "a # the first\\n b", "x")', true],
    ['REGEXMATCH("a b", "a\\\\ b", "x")', true],
    ['REGEXMATCH("a#b", "a\\\\#b", "x")', true],
    ['REGEXMATCH("a b", "a[ ]b", "x")', true],
    ['REGEXMATCH("a b", "a[[:digit:] ]b", "x")', true],
    ['REGEXMATCH("a#b", "a[]#]b", "x")', true],
    ['REGEXMATCH("ab", "a b")', false],
  ])('obeys the modifiers: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['REGEXEXTRACT("sku-1 SKU-2", "SKU-([0-9]+)", "i", 1)', '1'],
    ['REGEXEXTRACT("sku-1 SKU-2", "SKU-([0-9]+)", "", 1)', '2'],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", 0)', 'sk'],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", 2)', 'k'],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", 3)', undefined],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", -1)', undefined],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", 0.5)', undefined],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", "1")', undefined],
    ['REGEXEXTRACT("sku-1", "(s)(k)", "", c.nothing)', undefined],
    ['REGEXEXTRACTALL("SKU-1 sku-2 SKU-3", "SKU-([0-9]+)", "i", 1)', ['1', '2', '3']],
    ['REGEXEXTRACTALL("SKU-1 sku-2 SKU-3", "SKU-([0-9]+)", "", 1)', ['1', '3']],
    ['REGEXEXTRACTALL("a1", "(a)(1)", "", 3)', undefined],
    ['REGEXEXTRACT("2026-11-22", "(?P<month>-[0-9]+)", "", 1)', '-11'],
    ['REGEXEXTRACT("a🙂b", "a.b")', 'a🙂b'],
    ['REGEXEXTRACTALL("a1 $23 $4", "(?<=[$])[0-9]+")', ['23', '4']],
    ['REGEXEXTRACTALL("a1 $23 b4", "(?<![$0-9])([0-9])", "", 1)', ['1', '4']],
  ])('returns the wanted group: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['REGEXEXTRACT("abc", "[0-9]")', undefined],
    ['REGEXEXTRACTALL("abc", "[0-9]")', []],
    ['REGEXEXTRACT("b", "(a)|b", "", 1)', undefined],
    ['REGEXEXTRACTALL("bab", "(a)|b", "", 1)', ['a']],
    ['REGEXEXTRACTALL("ab", "x*")', ['', '', '']],
    ['REGEXEXTRACT("", "")', ''],
  ])(
    'is undefined or leaves out what is not in the text, which no page documents: %s',
    (expression, value) => {
      expect(rowsOf(expression)).toEqual(rowsWith(value))
    },
  )

  it.each([
    ...names.flatMap((name) =>
      ['undefined', 'null', 'true', '1', '["a"]', '{"a": 1}', 'c.nothing'].flatMap((value) => [
        `${name}(${value}, "a")`,
        `${name}("a", ${value})`,
        `${name}("a", "a", ${value})`,
      ]),
    ),
    ...names.flatMap((name) =>
      ['"("', '")"', '"["', '"*"', '"a**"', '"[z-a]"', '"(a repeat count"'].map(
        (bad) => `${name}("a", ${bad})`,
      ),
    ),
    ...names.flatMap((name) => ['"g"', '"I"', '" "', '"i,m"'].map((bad) => `${name}("a", "a", ${bad})`)),
  ])('is undefined for an invalid text, expression or modifier: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each([
    ...['a(?=b)', 'a(?!c)', '(?<=(a))b', '(a)\\\\1', 'a++', 'a*+', 'a{2}+', '(?>a)', '\\\\Ra', '\\\\p{Xan}'],
    ...['a{1001}', '(?:a{100}){100}', `${'('.repeat(1500)}${')'.repeat(1500)}`],
  ])('refuses what only the service can run: %s', (pattern) => {
    expect(() => rowsOf(`REGEXMATCH("ab", "${pattern}")`)).toThrow(
      expect.objectContaining({ code: 'NotSupported', status: 501 }) as Error,
    )
  })

  it('gives each of many expressions its own answer', () => {
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`)
    const list = words.map((word) => `REGEXEXTRACT(c.text, "\\\\b${word}\\\\b")`).join(',')
    const text = words.join(' ')
    expect(rowsOf(`[${list}, ${list}]`, { text })).toEqual([[...words, ...words]])
  })

  it.each([
    ...names.map((name) => `${name}("a")`),
    'REGEXMATCH("a", "a", "", 0)',
    'REGEXEXTRACT(1, 2, 3, 4, 5)',
  ])('refuses a wrong count of arguments: %s', (expression) => {
    expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
  })
})

describe('a hostile regular expression', () => {
  const letters = 'a'.repeat(100_000)

  it.each<[string, string, unknown]>([
    ['REGEXMATCH(c.text, @pattern)', '(a+)+$', true],
    ['REGEXMATCH(c.text, @pattern)', '^(a|a)*b$', false],
    ['REGEXMATCH(c.text, @pattern)', '(a*)*[bc]', false],
    ['REGEXEXTRACT(c.text, @pattern, "", 1) ?? "none"', '(a+)+[bc]', 'none'],
    ['ARRAY_LENGTH(REGEXEXTRACTALL(c.text, @pattern))', 'a', 100_000],
    ['ARRAY_LENGTH(REGEXEXTRACTALL(c.text, @pattern))', 'a|b', 100_000],
  ])('takes linear time: %s with %s', (expression, pattern, value) => {
    expect(rowsOf(expression, { text: letters }, { pattern })).toEqual([value])
  })

  it.each<[string, string]>([
    ['REGEXEXTRACTALL(c.text, @pattern)', 'a*b|a'],
    ['REGEXEXTRACTALL(c.text, @pattern, "", 1)', '(a)(a*b)?'],
    ['REGEXMATCH(c.text, @pattern)', '\\b[ab]*a[ab]{900}[cd]'],
    ['REGEXMATCH(c.text, @pattern)', '(?:a?){900}a{900}[bc]'],
    ['REGEXEXTRACT(c.text, @pattern, "", 1)', `${'(a|b)'.repeat(300)}[cd]`],
  ])('is refused when it takes too many steps: %s with %s', (expression, pattern) => {
    expect(() => rowsOf(expression, { text: letters }, { pattern })).toThrow(
      'more steps for one text than the limit of 50000000',
    )
  })

  it('is refused when it is too long to compile', () => {
    expect(rowsOf('REGEXMATCH(c.text, @pattern)', { text: letters }, { pattern: 'a'.repeat(4096) })).toEqual([
      true,
    ])
    expect(() =>
      rowsOf('REGEXMATCH(c.text, @pattern)', { text: letters }, { pattern: 'a'.repeat(4097) }),
    ).toThrow('the limit is 4096')
  })

  it('does not affect the next one', () => {
    const pattern = 'a*b|a'
    expect(() => rowsOf('REGEXEXTRACTALL(c.text, @pattern)', { text: letters }, { pattern })).toThrow('steps')
    expect(rowsOf('REGEXEXTRACTALL(c.text, @pattern)', { text: 'aab' }, { pattern })).toEqual([['aab']])
  })
})
