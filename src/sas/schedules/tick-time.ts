import { createHash } from 'node:crypto'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import { nextDue } from './calendar.js'

type Timed = Pick<ScheduleDocument, 'scheduleId' | 'jitterMs' | 'calendar'>

/** Returns when a supervisor submits the tick: at its due time and its jitter. */
export function actAt(schedule: Timed, dueMs: number): number {
  return dueMs + jitterOf(schedule, dueMs)
}

/**
 * Returns the delay of one tick, from 0 to less than `jitterMs`. All instances compute the same delay from
 * the schedule's id and the due time. The delay ends before the next tick is due, because ticks are submitted in
 * their order, and a tick behind a long delay would be late.
 */
function jitterOf({ scheduleId, jitterMs, calendar }: Timed, dueMs: number): number {
  if (jitterMs === 0) return 0
  const nextMs = nextDue(calendar, dueMs) ?? Infinity
  const hash = createHash('sha256').update(`${scheduleId}@${dueMs}`).digest()
  return Math.floor((hash.readUInt32BE(0) / 2 ** 32) * Math.min(jitterMs, nextMs - dueMs))
}

/** Returns the schedule with the first tick after `afterMs` as its next tick. */
export function withNextAfter<T extends ScheduleDocument>(schedule: T, afterMs: number): T {
  const nextDueMs = nextDue(schedule.calendar, afterMs)
  const isWaiting = nextDueMs !== null && schedule.paused === null
  return { ...schedule, nextDueMs, completeByMs: isWaiting ? actAt(schedule, nextDueMs) : null }
}
