import { describe, expect, it } from 'vitest'
import type { ScheduleDocument } from '../../../../src/sas/model/schedule-documents.js'
import {
  decideTick,
  maxPassedAtOnce,
  queueLookMs,
  refusedTick,
  type TickFacts,
} from '../../../../src/sas/schedules/decide-tick.js'
import { aSchedule } from '../../../support/a-schedule.js'

const start = Date.parse('2026-11-23T12:00:00Z')
const minute = 60_000
const graceMs = 2_000
const running = { kind: 'running' } as const
const first = start + minute

function decide(schedule: ScheduleDocument, now: number, facts: Partial<TickFacts> = {}) {
  return decideTick(schedule, { now, graceMs, previous: null, isSubmitted: null, ...facts })
}

/** Decides and returns the decision if it advances the schedule. */
function advance(schedule: ScheduleDocument, now: number, facts: Partial<TickFacts> = {}) {
  const decision = decide(schedule, now, facts)
  if (decision.kind !== 'advance') throw new Error(`the decision is ${JSON.stringify(decision)}`)
  return decision
}

describe('a jitter that is longer than the time between two ticks', () => {
  it('ends before the next tick, so that no tick waits behind another until it is late (I23)', () => {
    const times = { catchUpMs: 2 * minute, jitterMs: 30 * minute }
    let schedule = aSchedule(start, { ...times, calendar: { cron: '* * * * *', timeZone: 'UTC' } })
    for (let now = start; now < start + 60 * minute; now += 1_000) {
      const decision = decide(schedule, now)
      if (decision.kind === 'advance') schedule = decision.schedule
    }
    expect(schedule).toMatchObject({ submitted: 59, missed: 0, skipped: 0 })
  })
})

describe('a tick', () => {
  it('waits until it is due, and is then submitted under the id of its due time', () => {
    const schedule = aSchedule(start)
    expect(decide(schedule, first - 1)).toEqual({ kind: 'wait', untilMs: first })
    const { submission, cancel, schedule: next } = advance(schedule, first)
    expect(submission).toEqual({ dueMs: first, jobId: 'nightly@20261123T120100Z' })
    expect(cancel).toBeNull()
    expect(next).toMatchObject({
      submitted: 1,
      last: { dueMs: first, jobId: 'nightly@20261123T120100Z' },
      nextDueMs: first + minute,
      completeByMs: first + minute,
    })
  })

  it('has an id with milliseconds if its due time has them', () => {
    const schedule = aSchedule(start, { calendar: { everyMs: 250 } })
    expect(advance(schedule, start + 250).submission?.jobId).toBe('nightly@20261123T120000.250Z')
  })

  it('is delayed by the same jitter on every instance, within its bound', () => {
    const delays = Array.from({ length: 500 }, (_, index) => {
      const schedule = aSchedule(start + index * minute, { jitterMs: 10_000 })
      expect(aSchedule(start + index * minute, { jitterMs: 10_000 })).toEqual(schedule)
      return (schedule.completeByMs ?? 0) - (schedule.nextDueMs ?? 0)
    })
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThan(10_000)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(9_000)
  })

  it('is not decided while the schedule is paused', () => {
    const paused = { since: '', by: 'ann', why: 'audit' }
    expect(decide(aSchedule(start, { paused }), first + minute)).toEqual({ kind: 'rest' })
  })

  it('leaves the schedule at rest after the last tick of its pattern', () => {
    const never = { cron: '0 0 30 2 *', timeZone: 'UTC' }
    const schedule = { ...aSchedule(start), calendar: never }
    const { schedule: next } = advance(schedule, first)
    expect(next).toMatchObject({ submitted: 1, nextDueMs: null, completeByMs: null })
    expect(decide(next, first + minute)).toEqual({ kind: 'rest' })
  })
})

describe('a late tick', () => {
  const hour = 60 * minute
  const schedule = aSchedule(start, { catchUpMs: hour })

  it('is made up as long as catchUp allows', () => {
    expect(advance(schedule, first + hour).submission?.dueMs).toBe(first)
    expect(decide(schedule, first + hour + 1)).toEqual({ kind: 'read', what: 'isSubmitted' })
  })

  it('is counted as missed afterwards, together with the later ones', () => {
    const now = first + hour + 10 * minute + 1
    const decision = advance(schedule, now, { isSubmitted: false })
    expect(decision.submission).toBeNull()
    expect(decision.passed).toMatchObject({ reason: 'late', count: 11 })
    expect(decision.schedule).toMatchObject({ missed: 11, submitted: 0, nextDueMs: first + 11 * minute })
    expect(decision.schedule.passed).toEqual([
      {
        reason: 'late',
        from: '2026-11-23T12:01:00.000Z',
        to: '2026-11-23T12:11:00.000Z',
        count: 11,
        message: '',
      },
    ])
  })

  it('is not counted as missed if an instance submitted it and died before the second write', () => {
    const now = first + hour + 10 * minute + 1
    const { schedule: next, submission } = advance(schedule, now, { isSubmitted: true })
    expect(submission).toBeNull()
    expect(next).toMatchObject({ submitted: 1, missed: 0, last: { dueMs: first }, nextDueMs: first + minute })
  })

  it('continues the row of missed ticks in the next decision, a bounded number at once', () => {
    const now = first + hour + 1_000 * minute
    let document = schedule
    for (let decisions = 0; decisions < 5; decisions += 1) {
      document = advance(document, now, { isSubmitted: false }).schedule
    }
    expect(document).toMatchObject({ missed: 1_000, passed: [{ count: 1_000 }] })
    expect(maxPassedAtOnce).toBe(200)
  })
})

describe('overlap: skip', () => {
  const schedule = aSchedule(start, { overlap: 'skip', last: { dueMs: start, jobId: 'nightly@0' } })

  it('asks for the previous run', () => {
    expect(decide(schedule, first)).toEqual({ kind: 'read', what: 'previous' })
  })

  it('submits if the previous run ended before the tick was due', () => {
    expect(
      advance(schedule, first, { previous: { kind: 'ended', endedAtMs: first } }).submission,
    ).not.toBeNull()
    expect(advance(schedule, first, { previous: { kind: 'none' } }).submission).not.toBeNull()
  })

  it('skips if the previous run still runs after the grace, and not before', () => {
    const early = decide(schedule, first + graceMs - 1, { previous: running })
    expect(early).toEqual({ kind: 'wait', untilMs: first + graceMs })
    const { schedule: next } = advance(schedule, first + graceMs, { previous: running, isSubmitted: false })
    expect(next).toMatchObject({ skipped: 1, missed: 0, submitted: 0, passed: [{ reason: 'overlap' }] })
  })

  it('gives the same answer when the run has ended meanwhile (F-T7)', () => {
    const previous = { kind: 'ended', endedAtMs: first + 3 * minute + 1 } as const
    const { schedule: next } = advance(schedule, first + 10 * minute, { previous, isSubmitted: false })
    expect(next).toMatchObject({ skipped: 4, nextDueMs: first + 4 * minute })
  })
})

describe('overlap: queue', () => {
  const schedule = aSchedule(start, { overlap: 'queue', catchUpMs: 5 * minute })

  it('waits for the end of the previous run, and then submits the tick', () => {
    const now = first + 3 * minute
    expect(decide(schedule, now, { previous: running })).toEqual({ kind: 'wait', untilMs: now + queueLookMs })
    const ended = { kind: 'ended', endedAtMs: now } as const
    expect(advance(schedule, now, { previous: ended }).submission?.dueMs).toBe(first)
  })

  it('misses a tick that waited longer than catchUp', () => {
    const now = first + 5 * minute + 1
    const { schedule: next } = advance(schedule, now, { previous: running, isSubmitted: false })
    expect(next).toMatchObject({ missed: 1, nextDueMs: first + minute })
  })
})

describe('overlap: cancelPrevious', () => {
  const last = { dueMs: start, jobId: 'nightly@0' }
  const schedule = aSchedule(start, { overlap: 'cancelPrevious', last })

  it('cancels the previous run, and submits', () => {
    const { cancel, submission } = advance(schedule, first, { previous: running })
    expect([cancel, submission?.dueMs]).toEqual(['nightly@0', first])
    expect(advance(schedule, first, { previous: { kind: 'ended', endedAtMs: 0 } }).cancel).toBeNull()
  })

  it('passes over ticks that the next tick would cancel immediately', () => {
    const now = first + 3 * minute
    const { schedule: next } = advance(schedule, now, { previous: running, isSubmitted: false })
    expect(next).toMatchObject({ skipped: 3, nextDueMs: now })
    expect(advance(next, now, { previous: running }).submission?.dueMs).toBe(now)
  })
})

it('ticks during a pause are passed over after it, and are not made up', () => {
  const schedule = aSchedule(start, { resumedMs: first + 4 * minute + 1 })
  const { schedule: next } = advance(schedule, first + 5 * minute, { isSubmitted: false })
  expect(next).toMatchObject({ skipped: 5, missed: 0, passed: [{ reason: 'paused', count: 5 }] })
  expect(advance(next, first + 5 * minute).submission?.dueMs).toBe(first + 5 * minute)
})

it('a tick whose job is refused for good is counted as missed, with the reason', () => {
  const schedule = aSchedule(start)
  const { schedule: next } = refusedTick(schedule, { dueMs: first, jobId: '' }, 'the list is too long')
  expect(next).toMatchObject({ missed: 1, nextDueMs: first + minute })
  expect(next.passed).toMatchObject([{ reason: 'refused', count: 1, message: 'the list is too long' }])
})
