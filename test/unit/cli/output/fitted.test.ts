import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationText } from '../../../../src/cli/output/duration-text.js'
import { fitted } from '../../../../src/cli/output/fitted.js'
import { wrapped } from '../../../../src/cli/output/terminal.js'

describe('a table with a limited width', () => {
  it('keeps cells that fit', () => {
    const rows = [['0', 'worker-1', '"12"']]
    expect(fitted(['LEASE', 'OWNER', 'POSITION'], rows, 80)).toEqual(rows)
  })

  it('shortens only the widest cells, in the middle', () => {
    const token = '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF-3FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'
    const [row] = fitted(['LEASE', 'OWNER', 'POSITION'], [[token, 'worker-1', '"12"']], 40)
    expect(row?.slice(1)).toEqual(['worker-1', '"12"'])
    expect(row?.[0]).toMatch(/^1FFF+…F+$/)
    expect(row?.[0]).toHaveLength(40 - 'worker-1'.length - 'POSITION'.length - 4)
  })

  it('keeps every line within the width', () => {
    const cell = fc.string({ maxLength: 90 })
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 1 }), (rows) => {
        for (const row of fitted(['A', 'B', 'C', 'D'], rows, 80))
          expect(row.reduce((sum, { length }) => sum + length, 0) + 6).toBeLessThanOrEqual(80)
      }),
    )
  })
})

it('durations are shown in their largest unit', () => {
  expect([0, 999, 59_999, 60_000, 3_599_999, 7_200_000, 90_000_000, null].map(durationText)).toEqual([
    '0 s',
    '0 s',
    '59 s',
    '1 min',
    '59 min',
    '2 h',
    '1 d',
    '?',
  ])
})

it('lines are broken between words only', () => {
  expect(wrapped('one two three incomprehensibilities', 11, '  ').split('\n')).toEqual([
    '  one two',
    '  three',
    '  incomprehensibilities',
  ])
})
