import { describe, expect, it } from 'vitest'
import {
  callback,
  date,
  duration,
  durationRange,
  fixedOrRange,
  flag,
  having,
  oneOf,
  readOptions,
  retryOption,
  secretThat,
  text,
  textThat,
  wholeNumber,
  type Shape,
} from '../../../../src/platform/options.js'

type Kind = Shape[string]

const act = (): undefined => undefined
const backoff = { minMs: 500, maxMs: 30_000 }

function read(kind: Kind, value: unknown) {
  return readOptions({ it: kind }, { it: value })
}

describe('a value of the right kind', () => {
  it.each<[string, Kind, unknown, unknown]>([
    ['a whole number', wholeNumber(1, 5), 5, 5],
    ['the smallest whole number', wholeNumber(1, 5), 1, 1],
    ['a number without an upper bound', wholeNumber(0), 1e9, 1e9],
    ['milliseconds', duration(), 1, 1],
    ['a text with a unit', duration(), '1.5m', 90_000],
    ['no time at all', duration(0), '0s', 0],
    ['a text', text(), 'x', 'x'],
    ['a text that passes', textThat('an a', (value) => value === 'a'), 'a', 'a'],
    ['a secret', secretThat('an a', (value) => value === 'a'), 'a', 'a'],
    ['one of some', oneOf('a', 'b'), 'b', 'b'],
    ['a flag', flag(), false, false],
    ['a Date', date(), new Date(0), new Date(0)],
    ['a function', callback(), act, act],
    ['an object with methods', having('a sink', 'emit'), { emit: act }, { emit: act }],
    ['a range', durationRange(), { min: 1, max: '1s' }, { minMs: 1, maxMs: 1_000 }],
    ['a fixed interval', fixedOrRange(), '1s', { minMs: 1_000, maxMs: 1_000 }],
    ['an interval that doubles', fixedOrRange(), { min: 7, max: 7 }, { minMs: 7, maxMs: 7 }],
    ['tries', retryOption(backoff), { tries: 3 }, { tries: 3, backoff }],
    [
      'a back-off',
      retryOption(backoff, 4),
      { backoff: { min: 1, max: 2 } },
      { tries: 4, backoff: { minMs: 1, maxMs: 2 } },
    ],
  ])('is read: %s', (_name, kind, value, expected) => {
    expect(read(kind, value)).toEqual({ values: { it: expected }, problems: [] })
  })
})

describe('a value of the wrong kind', () => {
  const aDuration = "it must be a duration from 1 ms to 100 years, such as 30000 or '30s'"
  it.each<[Kind, unknown, string]>([
    [wholeNumber(1, 5), 0, 'it is 0; it must be a whole number from 1 to 5'],
    [wholeNumber(1, 5), 6, 'it is 6; it must be a whole number from 1 to 5'],
    [wholeNumber(1), 1.5, 'it is 1.5; it must be a whole number from 1'],
    [wholeNumber(1), '5', 'it is "5"; it must be a whole number from 1'],
    [wholeNumber(1), 5n, 'it is 5; it must be a whole number from 1'],
    [duration(), 0, `it is 0; ${aDuration}`],
    [duration(), '36525.1d', `it is "36525.1d"; ${aDuration}`],
    [duration(), 'soon', `it is "soon"; ${aDuration}`],
    [duration(), Infinity, `it is Infinity; ${aDuration}`],
    [duration(), [1], `it is [1]; ${aDuration}`],
    [duration(0), -1, "it is -1; it must be a duration from 0 ms to 100 years, such as 30000 or '30s'"],
    [text(), ' ', 'it is " "; it must be a string that is not empty'],
    [textThat('an a', (value) => value === 'a'), 'b', 'it is "b"; it must be an a'],
    [
      secretThat('an a', (value) => value === 'a'),
      'pass',
      'it is of another form (its value is not shown); it must be an a',
    ],
    [textThat('anything', () => true), 5, 'it is 5; it must be anything'],
    [
      secretThat('anything', () => true),
      5,
      'it is of another form (its value is not shown); it must be anything',
    ],
    [oneOf('a'), 'b', 'it is "b"; it must be "a"'],
    [oneOf('a', 'b', 'c'), 'd', 'it is "d"; it must be "a", "b" or "c"'],
    [flag(), 1, 'it is 1; it must be true or false'],
    [date(), new Date(Number.NaN), 'it is an invalid Date; it must be a valid Date'],
    [callback(), 'log', 'it is "log"; it must be a function'],
    [having('a sink', 'emit', 'end'), { emit: act }, 'it is an object; it must be a sink'],
    [having('a sink', 'emit'), act, 'it is a function; it must be a sink'],
    [
      durationRange(),
      { min: 2, max: 1 },
      'it is 2 ms to 1 ms; it must be a range whose min does not exceed its max',
    ],
    [durationRange(), { min: 2 }, `it.max is missing; ${aDuration}`],
    [fixedOrRange(), true, `it is true; ${aDuration}, or { min, max } of them`],
    [fixedOrRange(), { min: 0, max: 1 }, `it.min is 0; ${aDuration}`],
    [retryOption(backoff), {}, 'it.tries is missing; it must be a whole number from 1'],
    [retryOption(backoff), 3, 'it is 3; it must be an object with tries, backoff'],
    [retryOption(backoff, 3), { trys: 1 }, 'it.trys is not an option: the options are tries, backoff'],
  ])('is reported with the rule that it breaks', (kind, value, problem) => {
    expect(read(kind, value).problems).toEqual([problem])
  })
})
