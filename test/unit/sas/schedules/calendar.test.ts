import { describe, expect, it } from 'vitest'
import { cronProblem, nextDue, timeZoneProblem } from '../../../../src/sas/schedules/calendar.js'

/** The ticks of a pattern after a time, as text in UTC. */
function ticks(cron: string, timeZone: string, from: string, count: number): readonly string[] {
  const found: string[] = []
  for (let afterMs = Date.parse(from); found.length < count;) {
    const dueMs = nextDue({ cron, timeZone }, afterMs)
    if (dueMs === null) break
    found.push(new Date(dueMs).toISOString().slice(0, 16))
    afterMs = dueMs
  }
  return found
}

// The transitions of 2026, from the time zone database. Germany goes from 2:00 to 3:00 on 29 March and from 3:00
// to 2:00 on 25 October; New York from 2:00 to 3:00 on 8 March and from 2:00 to 1:00 on 1 November; Lord Howe from
// 2:00 to 2:30 on 4 October and from 2:00 to 1:30 on 5 April.
describe('a fixed time of day in the hour that is left out (F-T10)', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-09T06:30']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T12:00Z', ['2026-10-03T15:30', '2026-10-04T15:15']],
    // These hours end at midnight, so another day has begun.
    ['America/Nuuk', '30 23 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['America/Nuuk', '30 23 * * 6', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-04-05T00:30']],
    ['America/Nuuk', '0 30 23 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    // Samoa left out a whole day.
    ['Pacific/Apia', '0 9 * * *', '2011-12-29T20:00Z', ['2011-12-30T10:00', '2011-12-30T19:00']],
  ])('comes at the end of that hour in %s', (timeZone, cron, from, expected) => {
    expect(ticks(cron, timeZone, from, 2)).toEqual(expected)
  })
})

describe('a fixed time of day in the hour that comes twice', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T12:00Z', ['2026-04-04T14:45', '2026-04-05T15:15']],
  ])('comes the first time only in %s', (timeZone, cron, from, expected) => {
    expect(ticks(cron, timeZone, from, 2)).toEqual(expected)
  })
})

describe('a pattern for many times of a day', () => {
  it.each([
    ['2026-03-29T00:00Z', ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30']],
    ['2026-10-25T00:00Z', ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30']],
  ])('comes all the time around the transition after %s', (from, expected) => {
    expect(ticks('*/30 * * * *', 'Europe/Berlin', from, 3)).toEqual(expected)
  })

  it('does not come in an hour that is left out and ends at midnight', () => {
    expect(ticks('*/30 23 * * *', 'America/Nuuk', '2026-03-28T12:00Z', 1)).toEqual(['2026-03-30T00:00'])
  })

  it('comes in both of the doubled hours, and not in the one that is left out', () => {
    expect(ticks('*/30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 4)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
    ])
    expect(ticks('*/30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 1)).toEqual(['2026-03-30T00:00'])
  })
})

describe('an interval', () => {
  it('is counted from 1970, so an hour comes at each full hour', () => {
    const after = Date.parse('2026-11-23T12:34:56Z')
    expect(nextDue({ everyMs: 3_600_000 }, after)).toBe(Date.parse('2026-11-23T13:00:00Z'))
    expect(nextDue({ everyMs: 3_600_000 }, Date.parse('2026-11-23T13:00:00Z'))).toBe(
      Date.parse('2026-11-23T14:00:00Z'),
    )
  })
})

describe('a problem of a calendar', () => {
  const now = Date.parse('2026-11-23T12:00:00Z')

  it('names the pattern and shows the right form', () => {
    expect(cronProblem('30 25 * * *', now)).toMatch(/^cron is "30 25 \* \* \*"; it must have five fields/)
    expect(cronProblem('hourly', now)).toMatch(/five fields/)
    expect(cronProblem('0 0 30 2 *', now)).toBe('cron is "0 0 30 2 *", which never comes')
    expect(cronProblem('30 2 * * 1-5', now)).toBeNull()
  })

  it('names the time zone', () => {
    expect(timeZoneProblem('Europe/Berlin')).toBeNull()
    expect(timeZoneProblem('Berlin')).toMatch(/^timeZone is "Berlin"; it must be a name/)
  })
})
