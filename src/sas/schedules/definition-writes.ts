import type { ScheduleDocument, ScheduledJobDocument } from '../model/schedule-documents.js'
import { replacing, type StateStore, type StateWrite, type Stored } from '../store/state-store.js'
import type { Schedule } from './define-schedule.js'
import { withOpenTicks } from './open-ticks.js'
import {
  isDeleted,
  newSchedule,
  readSchedule,
  readScheduledJob,
  redefined,
  scheduleAddress,
  scheduledJobOf,
  withChange,
} from './stored-schedule.js'

/** Makes a definition of what is stored. The schedule is null if it is missing or deleted. */
export type Define = (
  schedule: ScheduleDocument | null,
  job: () => Promise<ScheduledJobDocument | null>,
) => Schedule | Promise<Schedule>

export interface DefinitionWrites {
  readonly change: 'created' | 'updated' | 'unchanged'
  readonly schedule: ScheduleDocument
  readonly writes: readonly StateWrite[]
}

/** Returns the writes that store a definition. `who` is the operator who changes it, or null for a module. */
export async function definitionWrites(
  { store, now }: { readonly store: StateStore; readonly now: number },
  id: string,
  define: Define,
  who: { readonly by: string; readonly why: string } | null,
): Promise<DefinitionWrites> {
  const found = await readSchedule(store, scheduleAddress(id))
  const before = found === null ? null : await withOpenTicks(store, found, now)
  const present = before === null || isDeleted(before) ? null : before
  let reading: ReturnType<typeof readScheduledJob> | null = null
  const jobBefore = () => (reading ??= readScheduledJob(store, id))
  const schedule = await define(present, jobBefore)
  if (present !== null && present.definitionHash === schedule.hash) {
    return { change: 'unchanged', schedule: present, writes: [] }
  }
  const defined = present === null ? newSchedule(schedule, now) : redefined(present, schedule, now)
  const after = who === null ? defined : withChange(defined, who, now)
  const writes = [written(before, after), written(await jobBefore(), scheduledJobOf(schedule))]
  return { change: present === null ? 'created' : 'updated', schedule: after, writes }
}

function written(
  before: Stored<StateWrite['document']> | null,
  document: StateWrite['document'],
): StateWrite {
  return before === null ? { kind: 'create', document } : replacing(before, document)
}
