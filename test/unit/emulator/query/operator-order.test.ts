import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../src/emulator/query/index.js'

const document = { yes: true, no: false, six: 6, three: 3, text: 'x' }

function rowsOf(expression: string): readonly unknown[] {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([document])
}

describe('operators without parentheses', () => {
  it.each([
    ['2 + 3 * 4', '2 + (3 * 4)', 14],
    ['2 * 3 + 4', '(2 * 3) + 4', 10],
    ['20 - 6 - 3', '(20 - 6) - 3', 11],
    ['1 < 2 = true', '(1 < 2) = true', true],
    ['c.yes = 1 < 2', 'c.yes = (1 < 2)', true],
    ['c.text || "y" || "z"', '(c.text || "y") || "z"', 'xyz'],
    ['c.six - 3 BETWEEN 1 + 1 AND 2 + 2', '(c.six - 3) BETWEEN (1 + 1) AND (2 + 2)', true],
    ['c.text || "y" LIKE "x" || "%"', '(c.text || "y") LIKE ("x" || "%")', true],
    ['NOT c.no AND c.yes', '(NOT c.no) AND c.yes', true],
    ['c.yes OR c.yes AND c.no', 'c.yes OR (c.yes AND c.no)', true],
    ['-c.six + 7', '(-c.six) + 7', 1],
    ['c.nothing ?? c.yes AND c.no', 'c.nothing ?? (c.yes AND c.no)', false],
    ['c.no ? 1 : c.yes ? 2 : 3', 'c.no ? 1 : (c.yes ? 2 : 3)', 2],
  ])('%s means %s', (expression, explicit, value) => {
    expect(rowsOf(expression)).toEqual([value])
    expect(rowsOf(explicit)).toEqual(rowsOf(expression))
  })
})
