import type { Clock } from '../../platform/index.js'
import type { ProcessState } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { ticksAfter, ticksBefore } from './ticks-around.js'
import { withOpenTicks } from './open-ticks.js'
import { type ScheduleView, viewOfSchedule } from './schedule-view.js'
import { isDeleted, readSchedule, scheduleAddress } from './stored-schedule.js'
import { decodeDocument } from '../model/decode.js'
import type { StateStore } from '../store/state-store.js'

/** A tick that was due, and the state of its job. */
export interface PastTick {
  readonly due: string
  readonly jobId: string
  /** Null if there is no job, because the tick was passed over or its job has expired. */
  readonly state: ProcessState | null
}

/** A schedule, and its ticks around the present. */
export interface ScheduleTicks {
  readonly schedule: ScheduleView
  /** The due times of the next ticks, the earliest first. Empty while the schedule is paused. */
  readonly next: readonly string[]
  /** The ticks that were due, the latest first. */
  readonly previous: readonly PastTick[]
}

/** Reads a schedule and the jobs of its last ticks. Returns null if there is no such schedule. */
export async function readScheduleTicks(
  { store, clock }: { readonly store: StateStore; readonly clock: Clock },
  id: string,
  count: number,
): Promise<ScheduleTicks | null> {
  const [stored, now] = [await readSchedule(store, scheduleAddress(id)), clock.now()]
  if (stored === null || isDeleted(stored)) return null
  const found = await withOpenTicks(store, stored, now)
  const createdMs = Date.parse(found.createdAt)
  const past = ticksBefore(found, now, count).filter(({ dueMs }) => dueMs >= createdMs)
  const previous = await Promise.all(
    past.map(async ({ dueMs, jobId }) => ({
      due: new Date(dueMs).toISOString(),
      jobId,
      state: await stateOf(store, jobId),
    })),
  )
  const next = found.paused === null ? ticksAfter(found, now, count) : []
  return {
    schedule: viewOfSchedule(found),
    next: next.map((dueMs) => new Date(dueMs).toISOString()),
    previous,
  }
}

async function stateOf(store: StateStore, jobId: string): Promise<ProcessState | null> {
  const document = await store.read({ pk: jobId, id: jobDocumentId(jobId) })
  if (document === null) return null
  const decoded = decodeDocument(document)
  return decoded.kind === 'job' ? decoded.job.processState : null
}
