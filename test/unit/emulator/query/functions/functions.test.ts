import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../../src/emulator/query/index.js'

const document = {
  text: 'Hello',
  number: -2.5,
  list: [1, 'two', { a: 1, b: { c: 2 } }, [3]],
  empty: '',
  nil: null,
  yes: true,
}

function valueOf(expression: string): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([document])[0]
}

describe('a query function', () => {
  it.each<[string, unknown]>([
    ['STARTSWITH(c.text, "He")', true],
    ['STARTSWITH(c.text, "he")', false],
    ['StartsWith(c.text, "he", true)', true],
    ['STARTSWITH(c.text, "he", false)', false],
    ['STARTSWITH(c.text, "he", 1)', undefined],
    ['STARTSWITH(c.number, "he")', undefined],
    ['STARTSWITH(c.text, c.nothing)', undefined],
    ['ENDSWITH(c.text, "lo")', true],
    ['ENDSWITH(c.text, "LO", true)', true],
    ['CONTAINS(c.text, "ell")', true],
    ['CONTAINS(c.text, "ELL")', false],
    ['CONTAINS(c.text, "ELL", true)', true],
    ['STRINGEQUALS(c.text, "hello")', false],
    ['STRINGEQUALS(c.text, "hello", true)', true],
    ['LOWER(c.text)', 'hello'],
    ['UPPER(c.text)', 'HELLO'],
    ['UPPER(1)', undefined],
    ['LENGTH(c.text)', 5],
    ['LENGTH(c.list)', undefined],
    ['SUBSTRING(c.text, 1, 3)', 'ell'],
    ['SUBSTRING(c.text, 3, 99)', 'lo'],
    ['SUBSTRING(c.text, 9, 1)', ''],
    ['SUBSTRING(c.text, -1, 2)', ''],
    ['SUBSTRING(c.text, 0, 0)', ''],
    ['SUBSTRING(c.text, 0.5, 1)', undefined],
    ['CONCAT("a", "b", c.text)', 'abHello'],
    ['CONCAT("a", 1)', undefined],
    ['INDEX_OF(c.text, "l")', 2],
    ['INDEX_OF(c.text, "l", 3)', 3],
    ['INDEX_OF(c.text, "x")', -1],
    ['INDEX_OF(c.text, "l", -1)', undefined],
    ['TRIM("  a b ")', 'a b'],
    ['REPLACE(c.text, "l", "$&")', 'He$&$&o'],
    ['REPLACE(c.text, "", "x")', undefined],
    ['REPLACE(c.text, "l", 1)', undefined],
    ['ToString(c.text)', 'Hello'],
    ['ToString(c.number)', '-2.5'],
    ['ToString(c.yes)', 'true'],
    ['ToString(c.nil)', 'null'],
    ['ToString([1, {"a": "b"}])', '[1,{"a":"b"}]'],
    ['ToString(c.nothing)', undefined],
    ['IS_DEFINED(c.nil)', true],
    ['IS_DEFINED(c.nothing)', false],
    ['IS_NULL(c.nil)', true],
    ['IS_NULL(c.nothing)', false],
    ['IS_NUMBER(c.number)', true],
    ['IS_NUMBER("1")', false],
    ['IS_STRING(c.empty)', true],
    ['IS_STRING(1)', false],
    ['IS_BOOL(false)', true],
    ['IS_BOOL(0)', false],
    ['IS_ARRAY(c.list)', true],
    ['IS_ARRAY(c)', false],
    ['IS_OBJECT(c)', true],
    ['IS_OBJECT(c.list)', false],
    ['IS_OBJECT(c.nil)', false],
    ['IS_PRIMITIVE(c.nil)', true],
    ['IS_PRIMITIVE(c.list)', false],
    ['IS_PRIMITIVE(c.nothing)', false],
    ['ARRAY_CONTAINS(c.list, "two")', true],
    ['ARRAY_CONTAINS(c.list, [3])', true],
    ['ARRAY_CONTAINS(c.list, 3)', false],
    ['ARRAY_CONTAINS(c.list, {"a": 1})', false],
    ['ARRAY_CONTAINS(c.list, {"a": 1}, true)', true],
    ['ARRAY_CONTAINS(c.list, {"b": {"c": 2}}, true)', true],
    ['ARRAY_CONTAINS(c.list, {"a": 2}, true)', false],
    ['ARRAY_CONTAINS(c.list, {"z": 1}, true)', false],
    ['ARRAY_CONTAINS(c.list, 1, true)', true],
    ['ARRAY_CONTAINS(c.list, {"a": 1}, "x")', undefined],
    ['ARRAY_CONTAINS(c.text, "H")', undefined],
    ['ARRAY_CONTAINS(c.list, c.nothing)', undefined],
    ['ARRAY_LENGTH(c.list)', 4],
    ['ARRAY_LENGTH(c.text)', undefined],
    ['ABS(c.number)', 2.5],
    ['ABS("1")', undefined],
    ['FLOOR(c.number)', -3],
    ['CEILING(c.number)', -2],
    ['CEILING(-0.5)', 0],
    ['ROUND(c.number)', -3],
    ['ROUND(2.5)', 3],
    ['ROUND(2.4)', 2],
    ['ROUND(-0.4)', 0],
  ])('has the expected value: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('LIKE', () => {
  it.each<[string, boolean | undefined]>([
    ['c.text LIKE "Hello"', true],
    ['c.text LIKE "hello"', false],
    ['c.text LIKE "H_llo"', true],
    ['c.text LIKE "H%"', true],
    ['c.text LIKE "%l%o"', true],
    ['c.text LIKE "%l"', false],
    ['c.text LIKE "%"', true],
    ['c.empty LIKE ""', true],
    ['c.empty LIKE "_"', false],
    ['c.text LIKE "[A-H]ello"', true],
    ['c.text LIKE "[^A-H]ello"', false],
    ['c.text LIKE "[-H]ello"', true],
    ['"a%c" LIKE "a!%c" ESCAPE "!"', true],
    ['"abc" LIKE "a!%c" ESCAPE "!"', false],
    ['"a[" LIKE "a["', true],
    ['"a.c" LIKE "a.c"', true],
    ['"abc" LIKE "a.c"', false],
    ['"a\\nb" LIKE "a%b"', true],
    ['c.text LIKE "x" || "y"', false],
    ['c.text LIKE "He" || "%"', true],
    ['c.number LIKE "%"', undefined],
    ['c.text NOT LIKE "H%"', false],
    ['c.nothing NOT LIKE "H%"', undefined],
  ])('has the expected value: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it('takes linear time for a pattern with many runs', () => {
    const matches = compileQuery('SELECT VALUE c.t LIKE @p FROM c', [
      { name: '@p', value: '%a'.repeat(40) + 'b' },
    ])
    expect(matches.execute([{ t: 'a'.repeat(5000) }])).toEqual([false])
  })
})

describe('an expression of operators and literals', () => {
  it.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 2 - 3', 5],
    ['7 % 4', 3],
    ['1 / 0', undefined],
    ['1 + "a"', undefined],
    ['-c.number', 2.5],
    ['- -1', 1],
    ['+1', 1],
    ['-0', 0],
    ['-"1"', undefined],
    ['1.5e3', 1500],
    ['.5', 0.5],
    ['"a" || \'b\' || "c"', 'abc'],
    ['"a" || 1', undefined],
    ['"\\u0041\\n\\"\\\\\\/"', 'A\n"\\/'],
    ["'it\\'s \"so\"'", 'it\'s "so"'],
    ['TRUE', true],
    ['Null', null],
    ['undefined', undefined],
    ['c.nothing ?? "x"', 'x'],
    ['c.nil ?? "x"', null],
    ['c.nothing ?? c.nothing ?? 2', 2],
    ['c.yes ? 1 : 2', 1],
    ['c.nothing ? 1 : 2', 2],
    ['c.text ? 1 : 2', 2],
    ['false ? 1 : true ? 2 : 3', 2],
    ['c.list[2].b.c', 2],
    ['c.list[1 + 1].a', 1],
    ['c.list["0"]', undefined],
    ['c.text[0]', undefined],
    ['c[0]', undefined],
    ['[1, 2][1]', 2],
    ['{"a": 5}.a', 5],
    ['NOT NOT true', true],
  ])('has the expected value: %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})
