import { describe, expect, it } from 'vitest'
import { ticksAfter, ticksBefore } from '../../../../src/sas/schedules/ticks-around.js'

const scheduleId = 'nightly'
const at = (text: string): number => Date.parse(text)
const text = (ms: number): string => new Date(ms).toISOString()

describe('the ticks around a time', () => {
  it.each([
    ['an interval', { everyMs: 3_600_000 }, '2026-01-01T11:00:00.000Z', '2026-01-01T13:00:00.000Z'],
    [
      'every night',
      { cron: '30 2 * * *', timeZone: 'UTC' },
      '2026-01-01T02:30:00.000Z',
      '2026-01-02T02:30:00.000Z',
    ],
    [
      'working days, over a weekend',
      { cron: '0 8 * * 1-5', timeZone: 'Europe/Berlin' },
      '2026-01-01T07:00:00.000Z',
      '2026-01-02T07:00:00.000Z',
    ],
    [
      'the 29th of February',
      { cron: '0 0 29 2 *', timeZone: 'UTC' },
      '2024-02-29T00:00:00.000Z',
      '2028-02-29T00:00:00.000Z',
    ],
  ])('%s: the last and the next', (_what, calendar, last, next) => {
    const now = at('2026-01-01T12:00:00Z') - (JSON.stringify(calendar).includes('every') ? 1 : 0)
    const times = { scheduleId, calendar }
    expect(ticksBefore(times, now, 1).map(({ dueMs }) => text(dueMs))).toEqual([last])
    expect(ticksAfter(times, at('2026-01-01T12:00:00Z'), 1).map(text)).toEqual([next])
  })

  it('ten ticks of each side, in order, though their distances differ', () => {
    const times = { scheduleId, calendar: { cron: '0 8 * * 1-5', timeZone: 'UTC' } }
    const now = at('2026-01-07T12:00:00Z')
    const before = ticksBefore(times, now, 10)
    expect(before.map(({ dueMs }) => text(dueMs).slice(0, 10))).toEqual([
      '2026-01-07',
      '2026-01-06',
      '2026-01-05',
      '2026-01-02',
      '2026-01-01',
      '2025-12-31',
      '2025-12-30',
      '2025-12-29',
      '2025-12-26',
      '2025-12-25',
    ])
    expect(before[0]?.jobId).toBe('nightly@20260107T080000Z')
    expect(ticksAfter(times, now, 10)).toHaveLength(10)
  })
})
