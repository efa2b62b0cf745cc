import type { Calendar, OverlapPolicy, PassedTicks, ScheduleDocument } from '../model/schedule-documents.js'

/** A row of ticks for which no job was submitted. */
export interface PassedRow {
  /** `late` and `refused` ticks count as missed. Ticks passed over by `overlap` or `paused` count as skipped. */
  readonly reason: 'late' | 'overlap' | 'paused' | 'refused'
  /** The due times of the first and of the last tick, ISO-8601 UTC. */
  readonly from: string
  readonly to: string
  readonly count: number
  /** The reason why a job was refused. Otherwise empty. */
  readonly message: string
}

/** A schedule as it is stored. */
export interface ScheduleView {
  readonly id: string
  readonly workflow: string
  /** The cron pattern, or null if the schedule has an interval. */
  readonly cron: string | null
  readonly timeZone: string | null
  readonly everyMs: number | null
  readonly overlap: 'skip' | 'queue' | 'allow' | 'cancelPrevious'
  readonly catchUpMs: number
  readonly jitterMs: number
  /** The due time of the next tick, ISO-8601 UTC. Null if there is none. */
  readonly nextDue: string | null
  /** The newest tick whose job was submitted. */
  readonly last: { readonly due: string; readonly jobId: string } | null
  /** The number of ticks whose job was submitted. */
  readonly submitted: number
  /** The number of ticks that no instance submitted in time, or whose job was refused. */
  readonly missed: number
  /** The number of ticks that were passed over by `overlap`, or during a pause. */
  readonly skipped: number
  /** The newest ten rows of ticks that were passed over, the newest last. */
  readonly passed: readonly PassedRow[]
  readonly paused: { readonly since: string; readonly by: string; readonly why: string } | null
  /** The newest decisions of operators, the newest last. `set` is a change of the definition. */
  readonly audit: readonly {
    readonly command: 'pause' | 'resume' | 'trigger' | 'backfill' | 'delete' | 'set'
    readonly at: string
    readonly by: string
    readonly why: string
  }[]
}

export function viewOfSchedule(schedule: ScheduleDocument): ScheduleView {
  const { scheduleId: id, workflow, catchUpMs, jitterMs, nextDueMs, last } = schedule
  const { submitted, missed, skipped, paused, audit: others, changes = [] } = schedule
  const made = [...others, ...changes.map((change) => ({ command: 'set' as const, ...change }))]
  const audit = made.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  const overlap: OverlapPolicy = schedule.overlap
  const passed: readonly PassedTicks[] = schedule.passed
  return {
    id,
    workflow,
    ...timesOf(schedule.calendar),
    overlap,
    catchUpMs,
    jitterMs,
    nextDue: nextDueMs === null ? null : new Date(nextDueMs).toISOString(),
    last: last === null ? null : { due: new Date(last.dueMs).toISOString(), jobId: last.jobId },
    submitted,
    missed,
    skipped,
    passed,
    paused,
    audit,
  }
}

function timesOf(calendar: Calendar): Pick<ScheduleView, 'cron' | 'timeZone' | 'everyMs'> {
  if ('everyMs' in calendar) return { cron: null, timeZone: null, everyMs: calendar.everyMs }
  return { ...calendar, everyMs: null }
}
