import { describe, expect, it } from 'vitest'
import type { Expression } from '../../../../src/emulator/query/language/ast.js'
import { parse } from '../../../../src/emulator/query/language/parse.js'
import { Shapes } from '../../../../src/emulator/query/select/shapes.js'

function expressionOf(text: string): Expression {
  const { selection } = parse(`SELECT VALUE ${text} FROM c`)
  if (selection.kind !== 'value') throw new TypeError('the text is no expression')
  return selection.expression
}

describe('the number of an expression', () => {
  it.each([
    ['c.a', 'c["a"]'],
    ['c.a + 1', '( (c . a)+(1) )'],
    ['{a: [c.b, "x"]}', '{"a": [ (c.b), \'x\' ]}'],
    ['LENGTH(c.a)', 'LENGTH( c.a )'],
    ['ARRAY(SELECT VALUE t FROM t IN c.l)', 'ARRAY( SELECT  VALUE (t) FROM t  IN c.l )'],
  ])('is the same for %s and %s', (one, other) => {
    const shapes = new Shapes()
    expect(shapes.numberOf(expressionOf(one))).toBe(shapes.numberOf(expressionOf(other)))
  })

  it.each([
    ['c.a', 'd.a'],
    ['c.a', 'c.b'],
    ['c[0]', 'c["0"]'],
    ['1', '"1"'],
    ['null', 'undefined'],
    ['c.a + 1', '1 + c.a'],
    ['c.a + 1', 'c.a - 1'],
    ['(c.a - 1) - 1', 'c.a - (1 - 1)'],
    ['{a: 1}', '{b: 1}'],
    ['LOWER(c.a)', 'UPPER(c.a)'],
    ['@a', '@b'],
    ['c.a LIKE "x"', 'c.a LIKE "x" ESCAPE "!"'],
    ['ARRAY(SELECT VALUE t FROM t IN c.l)', 'ARRAY(SELECT VALUE t FROM t IN c.m)'],
    ['ARRAY(SELECT VALUE 1)', 'EXISTS(SELECT VALUE 1)'],
  ])('differs for %s and %s', (one, other) => {
    const shapes = new Shapes()
    expect(shapes.numberOf(expressionOf(one))).not.toBe(shapes.numberOf(expressionOf(other)))
  })

  it('needs only one read of each part, even if the number of every part is requested', () => {
    let looks = 0
    const span = { start: 0, end: 0 }
    let chain: Expression = {
      kind: 'literal',
      span,
      get value(): number {
        looks += 1
        return 1
      },
    }
    const shapes = new Shapes()
    for (let length = 0; length < 100; length += 1) {
      chain = { kind: 'unary', operator: '-', operand: chain, span }
      shapes.numberOf(chain)
    }
    expect(looks).toBe(1)
  })
})
