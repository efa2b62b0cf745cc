import { describe, expect, it } from 'vitest'
import { filterOf } from '../../../../src/cli/input/selection.js'
import { instantOf } from '../../../../src/operations/index.js'

const now = Date.UTC(2026, 0, 31, 12)

describe('a selection of jobs on the command line', () => {
  it('combines all its options', () => {
    const options = { workflow: 'w', state: 'error', step: 'pay', since: '2h' }
    expect(filterOf(options, now)).toEqual({
      workflow: 'w',
      state: 'Error',
      step: 'pay',
      since: new Date(now - 7_200_000),
    })
    expect(filterOf({}, now)).toEqual({})
  })

  it('is rejected with every problem at once', () => {
    expect(() => filterOf({ state: 'Done', since: 'yesterday' }, now)).toThrow(
      /--state "Done" must be one of Pending, .*; --since "yesterday" must be an age such as 30m/,
    )
  })

  it.each([
    ['30m', now - 1_800_000],
    ['1d', now - 86_400_000],
    ['2026-01-31T10:00:00Z', now - 7_200_000],
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['5', null],
    ['-1h', null],
    ['2026-13-01', null],
    ['', null],
  ])('reads --since %j', (text, expected) => {
    expect(instantOf(text, now)).toBe(expected)
  })
})
