import { tickJobId } from '../model/document-ids.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import { nextDue } from './calendar.js'
import type { Tick } from './counted-ticks.js'

/** Returns the ticks that are due from `fromMs` to `toMs`, or null if there are more than `most`. */
export function ticksBetween(
  { calendar, scheduleId }: Pick<ScheduleDocument, 'calendar' | 'scheduleId'>,
  fromMs: number,
  toMs: number,
  most: number,
): readonly Tick[] | null {
  const ticks: Tick[] = []
  for (let dueMs = nextDue(calendar, fromMs - 1); dueMs !== null && dueMs <= toMs;) {
    if (ticks.length === most) return null
    ticks.push({ dueMs, jobId: tickJobId(scheduleId, dueMs) })
    dueMs = nextDue(calendar, dueMs)
  }
  return ticks
}
