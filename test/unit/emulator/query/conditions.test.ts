import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../src/emulator/query/index.js'
import { isAbove, isBelow } from '../../../../src/emulator/query/values/span.js'

/** Values of every type, in the order of ORDER BY. */
const values = [undefined, null, false, true, -1, 0, 5, 7, '', 'a', 'ab', 'ac', 'b', [], {}]

function conditionsOf(where: string): readonly (readonly [string, unknown])[] {
  const query = compileQuery(`SELECT * FROM c WHERE ${where}`, [{ name: '@five', value: 5 }])
  return query.conditions.map(({ steps, spans }) => [
    steps.join('.'),
    values.filter((value) => spans.some((span) => !isBelow(value, span) && !isAbove(value, span))),
  ])
}

describe('the conditions of a filter', () => {
  it.each<[string, string, unknown]>([
    ['c.a = 5', 'a', [5]],
    ['5 = c["a"].b', 'a.b', [5]],
    ['c.a[1] = @five', 'a.1', [5]],
    ['c.a = -1', 'a', [-1]],
    ['c.a = null', 'a', [null]],
    ['c.a < 5', 'a', [-1, 0]],
    ['c.a <= 5', 'a', [-1, 0, 5]],
    ['c.a > 5', 'a', [7]],
    ['c.a >= 5', 'a', [5, 7]],
    ['5 < c.a', 'a', [7]],
    ['5 <= c.a', 'a', [5, 7]],
    ['5 > c.a', 'a', [-1, 0]],
    ['5 >= c.a', 'a', [-1, 0, 5]],
    ['c.a > "a"', 'a', ['ab', 'ac', 'b']],
    ['c.a < "ab"', 'a', ['', 'a']],
    ['c.a > false', 'a', [true]],
    ['c.a >= null', 'a', [null]],
    ['c.a < null', 'a', []],
    ['c.a BETWEEN 0 AND 5', 'a', [0, 5]],
    ['c.a BETWEEN 5 AND 0', 'a', []],
    ['c.a BETWEEN 0 AND "a"', 'a', []],
    ['c.a IN (7, "b", 7)', 'a', [7, 'b']],
    ['STARTSWITH(c.a, "a")', 'a', ['a', 'ab', 'ac']],
    ['STARTSWITH(c.a, "")', 'a', ['', 'a', 'ab', 'ac', 'b']],
    ['c.a > 0 AND (c.a <= 5)', 'a', [5]],
    ['c.a > 0 AND c.a IN (0, 5, 7)', 'a', [5, 7]],
    ['c.a > 5 AND c.a < 5', 'a', []],
  ])('%s', (where, path, expected) => {
    expect(conditionsOf(where)).toEqual([[path, expected]])
  })

  it.each([
    'c.a = 1 OR c.a = 2',
    'c.a != 1',
    'c.a = c.b',
    'c.a = [1]',
    'STARTSWITH(c.a, "A", true)',
    'c.a IN (1, c.b)',
  ])('do not exist for %s', (where) => {
    expect(conditionsOf(where)).toEqual([])
  })
})
