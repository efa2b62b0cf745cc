import type { Checker, SimulationEvent, Written } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'

/** A schedule as it is stored, with the fields that the checker reads. */
interface Stored {
  readonly scheduleId: string
  readonly nextDueMs: number
  readonly submitted: number
  readonly missed: number
  readonly skipped: number
}

/** What the checker knows about one schedule. */
interface Known {
  readonly everyMs: number
  readonly firstMs: number
  stored: Stored
}

/** Checks the ticks of schedules with an interval against I23. It judges by the stored documents only. */
export class ScheduleChecker implements Checker {
  /** The process that created the job of each tick. Null if a client submitted the tick later. */
  readonly jobs = new Map<string, SimulatedProcess | null>()
  private readonly schedules = new Map<string, Known>()

  constructor(private readonly everyMs: number) {}

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    const after = JSON.parse(event.after.text) as { readonly type?: string; readonly jobId: string }
    if (after.type === 'sas.job' && event.before === null) return this.created(after.jobId, event)
    return after.type === 'sas.schedule' ? this.counted(after as unknown as Stored) : []
  }

  /** Returns whether the schedule has counted all ticks that were due until this time. */
  hasCounted(untilMs: number): boolean {
    return [...this.schedules].every(([id, known]) => this.nextOf(id, known) > untilMs)
  }

  /** Returns what is broken at the end, when no faults are left. */
  left(): readonly string[] {
    return [...this.schedules].flatMap(([id, known]) => {
      const { stored, firstMs, everyMs } = known
      const nextMs = this.nextOf(id, known)
      const open = (nextMs - stored.nextDueMs) / everyMs
      const counts = { jobs: 0, others: 0, inDoubt: 0 }
      for (let dueMs = firstMs; dueMs < nextMs; dueMs += everyMs) {
        const by = this.jobs.get(idOf(id, dueMs))
        if (by === undefined) counts.others += 1
        else counts.jobs += 1
        // A tick that a client backfills was counted as passed over before, and an instance that has died
        // could not correct its count.
        if (by === null || by?.isCrashed === true) counts.inDoubt += 1
      }
      const passed = stored.missed + stored.skipped
      const wrong = passed - counts.others
      const isRight = wrong >= 0 && wrong <= counts.inDoubt && stored.submitted + open + wrong === counts.jobs
      const numbers = `${counts.jobs} jobs, ${stored.submitted}+${open} submitted, ${passed} passed over`
      return isRight ? [] : [`I23: ${id} has ${numbers}`]
    })
  }

  private created(jobId: string, { by }: Written): readonly string[] {
    if (!/@\d{8}T\d{6}Z$/.test(jobId)) return []
    const isTwice = this.jobs.has(jobId)
    this.jobs.set(jobId, by?.party === 'supervisor' ? by.process : null)
    return isTwice ? [`I23: ${jobId} was created twice`] : []
  }

  private counted(stored: Stored): readonly string[] {
    const { scheduleId: id, nextDueMs, submitted, missed, skipped } = stored
    const known = this.schedules.get(id)
    if (known === undefined) {
      this.schedules.set(id, { everyMs: this.everyMs, firstMs: nextDueMs, stored })
      return []
    }
    const before = known.stored
    known.stored = stored
    const ticks = (nextDueMs - known.firstMs) / known.everyMs
    const counted = submitted + missed + skipped
    return [
      ...(counted === ticks ? [] : [`I23: ${id} counts ${counted} of ${ticks} ticks`]),
      ...(nextDueMs < before.nextDueMs || submitted < before.submitted ? [`I23: ${id} goes backwards`] : []),
    ]
  }

  /** Returns the first tick that is neither counted nor open. */
  private nextOf(id: string, { stored, everyMs }: Known): number {
    let nextMs = stored.nextDueMs
    while (this.jobs.has(idOf(id, nextMs))) nextMs += everyMs
    return nextMs
  }
}

function idOf(scheduleId: string, dueMs: number): string {
  return `${scheduleId}@${new Date(dueMs).toISOString().replaceAll(/[-:]|\.000/g, '')}`
}
