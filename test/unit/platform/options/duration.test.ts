import { describe, expect, it } from 'vitest'
import { durationMs, instantMs, lengthMs } from '../../../../src/platform/options/duration.js'

describe('a duration', () => {
  it.each([
    [250, 250],
    [0.5, 0.5],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['0.125s', 125],
    ['36525d', 36_525 * 86_400_000],
    [' 30s ', 30_000],
  ])('of %j is %d ms', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms)
  })

  it.each([
    0,
    -1,
    Number.NaN,
    Infinity,
    '',
    '30',
    's',
    '0s',
    '-1s',
    '1 s',
    '1S',
    '1w',
    '.5s',
    '1e3ms',
    '1m30s',
  ])('cannot be %j', (duration) => {
    expect(durationMs(duration)).toBeNull()
  })

  it.each([`${'9'.repeat(400)}d`, '1000000000d', Number.MAX_VALUE])(
    'cannot be %j, which exceeds the range of dates',
    (duration) => {
      expect(durationMs(duration)).toBeNull()
    },
  )
})

it('a length may be zero but not negative', () => {
  expect(lengthMs(0)).toBe(0)
  expect(lengthMs(-1)).toBeNull()
})

it.each([
  ['2026-03-01T08:00:00Z', '2026-03-01T08:00:00.000Z'],
  ['2026-03-01T08:00:00.25Z', '2026-03-01T08:00:00.250Z'],
  ['2026-03-01T08:00+01:00', '2026-03-01T07:00:00.000Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(new Date(instantMs(text) ?? Number.NaN).toISOString()).toBe(instant)
})

it.each([
  'soon',
  'order 4711',
  'parcel-81516',
  '12',
  'monday 7',
  '2026',
  '2026-13-01',
  '2026-03-01T08:00:00',
])('%s is no instant, because it is no date or depends on the time zone of the host (F-X21)', (text) => {
  expect(instantMs(text)).toBeNull()
})
