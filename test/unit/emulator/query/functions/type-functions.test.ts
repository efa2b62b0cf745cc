import { describe, expect, it } from 'vitest'
import { rowsOf, type Row } from './rows-of.js'

const values = {
  undefined: 'c.nothing',
  null: 'null',
  boolean: 'false',
  number: '1.5',
  string: '""',
  array: '[]',
  object: '{}',
}

type Kind = keyof typeof values

const kinds = Object.keys(values) as Kind[]

describe('a test of a type', () => {
  it.each<[string, readonly Kind[]]>([
    ['IS_DEFINED', ['null', 'boolean', 'number', 'string', 'array', 'object']],
    ['IS_NULL', ['null']],
    ['IS_BOOL', ['boolean']],
    ['IS_NUMBER', ['number']],
    ['IS_FINITE_NUMBER', ['number']],
    ['IS_INTEGER', []],
    ['IS_STRING', ['string']],
    ['IS_ARRAY', ['array']],
    ['IS_OBJECT', ['object']],
    ['IS_PRIMITIVE', ['null', 'boolean', 'number', 'string']],
  ])('%s is true for %j only, and false for all other values', (name, wanted) => {
    const accepted = kinds.filter((kind) => {
      const [answer] = rowsOf(`${name}(${values[kind]})`)
      expect(typeof answer).toBe('boolean')
      return answer === true
    })
    expect(accepted).toEqual(wanted)
  })

  it.each<Row>([
    ['IS_FINITE_NUMBER(1234.567)', true],
    ['IS_FINITE_NUMBER(8.9 / 0.0)', false],
    ['IS_FINITE_NUMBER(SQRT(-1.0))', false],
    ['IS_INTEGER(3454.123)', false],
    ['IS_INTEGER(5523432)', true],
    ['IS_INTEGER(-9223372036854775808)', true],
    ['IS_INTEGER(9223372036854775807)', true],
    ['IS_INTEGER(18446744073709551615)', false],
    ['IS_NUMBER({ "name": "Tecozow coat" }.name)', false],
    ['IS_NUMBER({ "quantity": 0 }.quantity)', true],
    ['IS_PRIMITIVE({ "onSale": false }.onSale)', true],
    ['IS_PRIMITIVE({}.category)', false],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['IS_INTEGER(5.0)', true],
    ['IS_INTEGER(-0)', true],
    ['IS_INTEGER(1e18)', true],
    ['IS_INTEGER(1e19)', false],
    ['IS_INTEGER(-1e19)', false],
    ['IS_INTEGER("5")', false],
  ])('reads a whole number of 64 bits as an integer: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each(['IS_INTEGER()', 'IS_INTEGER(1, 2)', 'IS_FINITE_NUMBER()', 'IS_FINITE_NUMBER(1, 2)'])(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )
})
