import { tickJobId } from '../model/document-ids.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import type { StateStore } from '../store/state-store.js'
import { submitted } from './counted-ticks.js'
import { jobExists } from './tick-submission.js'

/**
 * The most ticks that are submitted before the schedule is written. The job of an open tick is its only
 * record, so another instance reads up to this many jobs when it takes over.
 */
export const maxOpenTicks = 5

/** The margin for an instance that lost its connection, and for the difference between clocks. */
const marginMs = 3_600_000

/**
 * Checks whether the ticks since the stored version may stay open, so that the schedule is not written. Their
 * jobs must be kept at least until the next tick, and until an open tick is too late to be submitted again.
 *
 * @param retainForMs the time for which the ended jobs are kept, or null if they are kept without limit
 */
export function mayStayOpen(
  stored: ScheduleDocument,
  next: ScheduleDocument,
  retainForMs: number | null,
): boolean {
  if (stored.nextDueMs === null || next.completeByMs === null) return false
  if (next.submitted - stored.submitted >= maxOpenTicks) return false
  const neededMs = next.completeByMs - stored.nextDueMs + next.catchUpMs + marginMs
  return retainForMs === null || neededMs <= retainForMs
}

/** Returns the schedule with its open ticks counted. A tick is open if it was due and its job exists. */
export async function withOpenTicks<T extends ScheduleDocument>(
  store: StateStore,
  stored: T,
  now: number,
): Promise<T> {
  let schedule = stored
  for (let count = 0; count < maxOpenTicks; count += 1) {
    const { scheduleId, nextDueMs: dueMs } = schedule
    if (dueMs === null || dueMs > now) break
    const jobId = tickJobId(scheduleId, dueMs)
    if (!(await jobExists(store, jobId))) break
    schedule = submitted(schedule, { dueMs, jobId })
  }
  return schedule
}
