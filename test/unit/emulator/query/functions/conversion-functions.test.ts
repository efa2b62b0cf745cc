import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const names = ['STRINGTOARRAY', 'STRINGTOBOOLEAN', 'STRINGTONULL', 'STRINGTONUMBER', 'STRINGTOOBJECT']

describe('a conversion of a text', () => {
  it.each<Row>([
    ['StringToArray("[]")', []],
    [`StringToArray('[ "coats", "gloves", "hats" ]')`, ['coats', 'gloves', 'hats']],
    [
      `StringToArray('[ { "types": [ "coats", "gloves" ] }, [ "hats" ], 76, false, null ]')`,
      [{ types: ['coats', 'gloves'] }, ['hats'], 76, false, null],
    ],
    [`StringToArray("[ 'coats', 'gloves', 'hats' ]")`, undefined],
    ['StringToBoolean("true")', true],
    ['StringToBoolean("true  ")', true],
    ['StringToBoolean("  false")', false],
    ['StringToBoolean("  false  ")', false],
    ['StringToNull("null")', null],
    ['StringToNull("  null  ")', null],
    ['StringToNull("NULL")', undefined],
    ['StringToNull("Null")', undefined],
    ['StringToNumber("100")', 100],
    ['StringToNumber("3.14")', 3.14],
    ['StringToNumber("   60   ")', 60],
    ['StringToNumber("-1.79769e+308")', -1.79769e308],
    ['StringToNumber("Hello")', undefined],
    ['StringToObject("{}")', {}],
    [`StringToObject('{"isAvailable": true}')`, { isAvailable: true }],
    [`StringToObject('{"division": {"name": "Sales"}}')`, { division: { name: 'Sales' } }],
    [`StringToObject("{'price': 27.55}")`, undefined],
    ['StringToArray("[1e999]")', undefined],
    ['StringToArray("[1e308]")', [1e308]],
    [`StringToObject('{"a":[{"b":-1e999}]}')`, undefined],
    ['ToString(125)', '125'],
    ['ToString(0.1234)', '0.1234'],
    ['ToString(false)', 'false'],
    ['ToString([ 1, 2, 3 ])', '[1,2,3]'],
    ['ToString({ "department": "Bicycles" })', '{"department":"Bicycles"}'],
    ['ToString("Hello World")', 'Hello World'],
    ['ToString(undefined)', undefined],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each(
    names.flatMap((name) =>
      ['undefined', 'null', 'true', '1', '[]', '{}', 'c.nothing', '""', '"x"', '"[1"', '"\\\\"'].map(
        (value) => `${name}(${value})`,
      ),
    ),
  )('is undefined for anything but a text of JSON: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each([
    ...['STRINGTOARRAY("{}")', 'STRINGTOARRAY("null")', 'STRINGTOBOOLEAN("1")', 'STRINGTOBOOLEAN("TRUE")'],
    ...['STRINGTONULL("0")', 'STRINGTONUMBER("true")', 'STRINGTONUMBER("NaN")', 'STRINGTONUMBER("Infinity")'],
    ...['STRINGTONUMBER("01")', 'STRINGTONUMBER("0x10")', 'STRINGTONUMBER("1,5")', 'STRINGTONUMBER("1e400")'],
    ...['STRINGTOOBJECT("[]")', 'STRINGTOOBJECT("null")', 'STRINGTOOBJECT("{} {}")'],
  ])('is undefined for JSON of another type: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each<Row>([
    ['STRINGTONUMBER("-0")', 0],
    ['STRINGTONUMBER("9007199254740993")', 2 ** 53],
    ['STRINGTONUMBER("\\n1e-2\\t")', 0.01],
    [`STRINGTOARRAY('["\\\\u00e9", "🙂"]')`, ['é', '🙂']],
    [`STRINGTOOBJECT('{"a": 1, "a": 2}')`, { a: 2 }],
    [`STRINGTOOBJECT('{"a": 1}').a`, 1],
  ])('reads a text as JSON: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it('reads an object with any name as its own property', () => {
    expect(JSON.stringify(rowsOf(`STRINGTOOBJECT('{"__proto__": 1}')`))).toBe('[{"__proto__":1}]')
  })

  it('reads values as deep as a document may be', () => {
    const text = `${'['.repeat(128)}${']'.repeat(128)}`
    expect(rowsOf('TOSTRING(STRINGTOARRAY(c.text))', { text })).toEqual([text])
  })

  it.each([
    ['STRINGTOARRAY(c.text)', `${'['.repeat(130)}${']'.repeat(130)}`],
    ['STRINGTOARRAY(c.text)', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['STRINGTOOBJECT(c.text)', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`],
  ])('refuses a value that is nested deeper: %s', (expression, text) => {
    expect(() => rowsOf(expression, { text })).toThrow('nested deeper than the limit of 128')
  })

  it.each([...names, 'TOSTRING'].flatMap((name) => [`${name}()`, `${name}("1", "2")`]))(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )
})
