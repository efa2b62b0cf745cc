import { tickJobId } from '../model/document-ids.js'
import type { PassedTicks, PassReason, ScheduleDocument } from '../model/schedule-documents.js'
import { nextDue } from './calendar.js'
import { withNextAfter } from './tick-time.js'

/** A tick whose job is to be submitted. */
export interface Tick {
  readonly dueMs: number
  readonly jobId: string
}

const keptPassed = 10

/** Returns the schedule after the next tick was submitted. */
export function submitted<T extends ScheduleDocument>(schedule: T, { dueMs, jobId }: Tick): T {
  const counted = { ...schedule, last: { dueMs, jobId }, submitted: schedule.submitted + 1 }
  return withNextAfter(counted, dueMs)
}

/** Returns the schedule after these ticks. A row that continues the newest row is added to it. */
export function passedOver(schedule: ScheduleDocument, row: PassedTicks): ScheduleDocument {
  const { missed, skipped, passed } = schedule
  const newest = passed.at(-1)
  const isContinued =
    newest?.reason === row.reason &&
    newest.message === row.message &&
    nextDue(schedule.calendar, Date.parse(newest.to)) === Date.parse(row.from)
  const rows = isContinued
    ? [...passed.slice(0, -1), { ...newest, to: row.to, count: newest.count + row.count }]
    : [...passed, row]
  const counted = {
    ...schedule,
    missed: missed + (isMissed(row.reason) ? row.count : 0),
    skipped: skipped + (isMissed(row.reason) ? 0 : row.count),
    passed: rows.slice(-keptPassed),
  }
  return withNextAfter(counted, Date.parse(row.to))
}

/**
 * Returns the schedule with these ticks counted as submitted, of those that were counted as passed over. An
 * instance that was frozen before it wrote their jobs corrects the count. Returns null if none was passed over.
 */
export function withLateJobs<T extends ScheduleDocument>(schedule: T, dueTimes: readonly number[]): T | null {
  let corrected: T | null = null
  for (const dueMs of dueTimes) corrected = withLateJob(corrected ?? schedule, dueMs) ?? corrected
  return corrected
}

function withLateJob<T extends ScheduleDocument>(schedule: T, dueMs: number): T | null {
  const isHere = ({ from, to }: PassedTicks): boolean => Date.parse(from) <= dueMs && dueMs <= Date.parse(to)
  const row = schedule.passed.find(isHere)
  if (row === undefined) return null
  const last = { dueMs, jobId: tickJobId(schedule.scheduleId, dueMs) }
  const count = isMissed(row.reason) ? ('missed' as const) : ('skipped' as const)
  return {
    ...schedule,
    submitted: schedule.submitted + 1,
    [count]: schedule[count] - 1,
    passed: schedule.passed.flatMap((each) => (each === row ? without(schedule, row, dueMs) : [each])),
    last: (schedule.last?.dueMs ?? 0) < dueMs ? last : schedule.last,
  }
}

/** Returns what is left of a row without one of its ticks: the ticks before it, and those after it. */
function without({ calendar }: ScheduleDocument, row: PassedTicks, dueMs: number): readonly PassedTicks[] {
  let [beforeMs, before] = [Date.parse(row.from), 0]
  for (let ms: number | null = beforeMs; ms !== null && ms < dueMs; ms = nextDue(calendar, ms)) {
    beforeMs = ms
    before += 1
  }
  const after = row.count - before - 1
  const from = new Date(nextDue(calendar, dueMs) ?? 0).toISOString()
  return [
    ...(before > 0 ? [{ ...row, to: new Date(beforeMs).toISOString(), count: before }] : []),
    ...(after > 0 ? [{ ...row, from, count: after }] : []),
  ]
}

function isMissed(reason: PassReason): boolean {
  return reason === 'late' || reason === 'refused'
}
