import { describe, expect, it } from 'vitest'
import { rowsOf, type Row } from './rows-of.js'

const names = ['LTRIM', 'RTRIM', 'TRIM']
const wrong = ['undefined', 'null', 'true', '1', '["a"]', '{"a": 1}', 'c.nothing']

describe('a function that trims', () => {
  it.each<Row>([
    ['LTRIM("  AdventureWorks")', 'AdventureWorks'],
    ['LTRIM("  AdventureWorks  ")', 'AdventureWorks  '],
    ['LTRIM("AdventureWorks  ")', 'AdventureWorks  '],
    ['LTRIM("AdventureWorks", "Works")', 'AdventureWorks'],
    ['LTRIM("AdventureWorks", "Adventure")', 'Works'],
    ['LTRIM("AdventureWorks", "AdventureWorks")', ''],
    ['LTRIM("AdventureWorks", "")', 'AdventureWorks'],
    ['RTRIM("  AdventureWorks")', '  AdventureWorks'],
    ['RTRIM("  AdventureWorks  ")', '  AdventureWorks'],
    ['RTRIM("AdventureWorks", "Works")', 'Adventure'],
    ['RTRIM("AdventureWorks", "Adventure")', 'AdventureWorks'],
    ['RTRIM("AdventureWorks", "AdventureWorks")', ''],
    ['RTRIM("AdventureWorks", "")', 'AdventureWorks'],
    ['TRIM("   AdventureWorks   ")', 'AdventureWorks'],
    ['TRIM("---AdventureWorks---")', '---AdventureWorks---'],
    ['TRIM("___AdventureWorks___", "_")', 'AdventureWorks'],
    ['TRIM("---AdventureWorks---", "-")', 'AdventureWorks'],
    ['TRIM("-- AdventureWorks --", "-")', ' AdventureWorks '],
    ['TRIM("-_-AdventureWorks-_-", "-_")', 'AdventureWorks'],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['TRIM("\\t\\n\\r a b \\n")', 'a b'],
    ['TRIM("")', ''],
    ['TRIM("   ")', ''],
    ['TRIM("aaa", "a")', ''],
    ['TRIM(" a ", "a")', ' a '],
    ['TRIM("🙂a🙂🙂", "🙂")', 'a'],
    ['TRIM("🙂a🙃", "🙃")', '🙂a'],
    ['RTRIM("🙂", "🙂")', ''],
    ['RTRIM("a🙂", "a")', 'a🙂'],
    ['LTRIM("AAb", "a")', 'AAb'],
  ])('removes whole characters: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each(names.flatMap((name) => wrong.flatMap((value) => [`${name}(${value})`, `${name}("a", ${value})`])))(
    'is undefined unless all values are strings: %s',
    (expression) => {
      expect(rowsOf(expression)).toEqual([])
    },
  )

  it.each(names.flatMap((name) => [`${name}()`, `${name}("a", "b", "c")`]))(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )

  it('takes linear time for many characters', () => {
    const text = 'ab'.repeat(900_000)
    expect(rowsOf('TRIM(c.text, c.text)', { text })).toEqual([''])
  })
})
