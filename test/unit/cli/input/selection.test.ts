import { describe, expect, it } from 'vitest'
import { filterOf } from '../../../../src/cli/input/selection.js'
import { instantOf } from '../../../../src/operations/index.js'

const now = Date.UTC(2026, 0, 31, 12)

describe('a selection of jobs on the command line', () => {
  it('combines all its options', () => {
    const found = { text: 'x', waitingFor: 'retry', agent: 'bank', took: '90s' }
    const options = { workflow: 'w', state: 'error', step: 'pay', since: '2h', ...found }
    expect(filterOf(options, now)).toEqual({
      workflow: 'w',
      state: 'Error',
      step: 'pay',
      since: new Date(now - 7_200_000),
      text: 'x',
      waitingFor: 'retry',
      agent: 'bank',
      tookAtLeast: '90s',
    })
    expect(filterOf({}, now)).toEqual({})
  })

  it('is rejected with every problem at once', () => {
    expect(() => filterOf({ state: 'Done', since: 'yesterday' }, now)).toThrow(
      /--state "Done" must be one of Pending, .*; --since "yesterday" must be an age such as 30m/,
    )
  })

  it.each([
    [{ waitingFor: 'rain' }, '--waiting-for "rain" must be one of question, event, time, retry'],
    [{ took: '0s' }, '--took "0s" must be a duration such as 90s, 30m or 2h'],
    [{ text: '' }, '--text must not be empty'],
    [{ agent: '' }, '--agent must not be empty'],
  ])('refuses %j', (options, message) => {
    expect(() => filterOf(options, now)).toThrow(message)
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
