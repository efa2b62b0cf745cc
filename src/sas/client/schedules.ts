import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { counted, inSlices } from '../../platform/internal.js'
import { basicTime } from '../model/document-ids.js'
import { CommandInvalid, ScheduleNotFound, StoreUnavailable, SubmissionInvalid } from '../model/errors.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import { changedDefinition } from '../schedules/changed-definition.js'
import { isSchedule, type Schedule, type ScheduleOptions } from '../schedules/define-schedule.js'
import { definitionWrites, type Define } from '../schedules/definition-writes.js'
import type { Tick } from '../schedules/counted-ticks.js'
import { withOpenTicks } from '../schedules/open-ticks.js'
import { ticksBetween } from '../schedules/ticks-between.js'
import { type ScheduleView, viewOfSchedule } from '../schedules/schedule-view.js'
import {
  deletedJob,
  deletedSchedule,
  isDeleted,
  pausedSchedule,
  readSchedule,
  readScheduledJob,
  resumedSchedule,
  scheduleAddress,
  withDecision,
} from '../schedules/stored-schedule.js'
import { jobExists, submitTick, type TickSubmitted } from '../schedules/tick-submission.js'
import { replacing, type StateWrite, type Stored } from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import type { Beginning } from '../in-process/waking-store.js'
import type { JobPorts } from './job.js'
import { orNone, refuseProblems, refuseTerms, whoOf } from './call-arguments.js'
import type { ScheduleChangeOptions, ScheduleCommandOptions } from './command-options.js'

export interface SchedulesOptions extends JobPorts, Partial<Beginning> {
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** The result of storing a schedule. */
export interface ScheduleSet {
  readonly change: 'created' | 'updated' | 'unchanged'
  readonly schedule: ScheduleView
}

/** Options of a call that submits earlier ticks. */
export interface BackfillOptions extends ScheduleCommandOptions {
  /** The earliest due time. */
  readonly from: Date
  /** The latest due time. It must not be in the future. */
  readonly to: Date
  /** Only returns the ticks, and submits nothing. Default false. */
  readonly dryRun?: boolean
}

/** The ticks of a {@link Schedules.backfill}. */
export interface BackfillReport {
  /** The ids of the jobs that this call submitted, or would submit. */
  readonly submitted: readonly string[]
  /** The ids of the jobs that existed already. */
  readonly existing: readonly string[]
}

/** The largest number of ticks that one call submits. */
const [maxBackfill, submissionsAtOnce, maxTries] = [1_000, 16, 6]

/** Stores schedules, reads them and gives commands about them. */
export class Schedules {
  /** @internal */
  constructor(private readonly options: SchedulesOptions) {}

  /**
   * Stores a schedule, or changes the stored definition. The counts, a pause and the newest run stay. If only
   * other parts than the times change, ticks that are due are still submitted.
   *
   * @throws CommandInvalid if the value was not made by `defineSchedule`
   * @throws StoreUnavailable if the store could not be reached; call `set` again
   */
  async set(schedule: Schedule): Promise<ScheduleSet> {
    if (!isSchedule(schedule)) throw new CommandInvalid('set: pass a schedule made by defineSchedule')
    return this.defined(schedule.id, () => schedule)
  }

  /**
   * Changes parts of a schedule, and keeps who did it, and why. Parts that are not named stay. A schedule that is not
   * stored is created, from a workflow and times. If a module exports it, the next start stores that definition.
   *
   * @throws ScheduleInvalid that lists all problems of the parts; nothing was written
   * @throws CommandInvalid if no part is named
   * @throws StoreUnavailable if the store could not be reached; call `change` again
   */
  async change<I>(
    id: string,
    parts: Partial<ScheduleOptions<I>>,
    options: ScheduleChangeOptions = {},
  ): Promise<ScheduleSet> {
    const { by, why, dryRun = false } = orNone(options)
    const who = whoOf('change', id, { by, why }, { dryRun })
    const isEmpty = Object.values(orNone(parts)).every((part) => part === undefined)
    refuseProblems('change', isEmpty ? ['name a part to change, such as cron'] : [])
    const define: Define = async (schedule, job) =>
      changedDefinition(id, parts, schedule === null ? null : { schedule, job: await job() })
    return this.defined(id, define, { ...who, dryRun })
  }

  /** Lists all schedules, by id. */
  async list(): Promise<readonly ScheduleView[]> {
    const { store, queries, clock } = this.options
    const found = (await queries.listSchedules()).filter((schedule) => !isDeleted(schedule))
    const counted = await Promise.all(found.map((each) => withOpenTicks(store, each, clock.now())))
    const views = counted.map(viewOfSchedule)
    return views.sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /** Returns a schedule, or null if there is none with this id. */
  async get(id: string): Promise<ScheduleView | null> {
    refuseTerms('get', { id })
    const found = await this.found(id)
    return found === null ? null : viewOfSchedule(found)
  }

  /**
   * Submits no more ticks until `resume`. Running jobs continue. A pause of a paused schedule changes nothing.
   *
   * @throws ScheduleNotFound if there is no such schedule
   */
  pause(id: string, options: ScheduleCommandOptions = {}): Promise<ScheduleView> {
    return this.command('pause', id, options, (schedule, who, now) =>
      schedule.paused === null ? pausedSchedule(schedule, who, now) : null,
    )
  }

  /**
   * Ends a pause. Ticks that were due during the pause are counted as skipped. `backfill` submits them.
   *
   * @throws ScheduleNotFound if there is no such schedule
   */
  resume(id: string, options: ScheduleCommandOptions = {}): Promise<ScheduleView> {
    return this.command('resume', id, options, (schedule, who, now) =>
      schedule.paused === null ? null : resumedSchedule(schedule, who, now),
    )
  }

  /**
   * Deletes a schedule. Its jobs stay. If a module still exports the schedule, the next start of a host creates
   * the schedule again.
   *
   * @throws ScheduleNotFound if there is no such schedule
   */
  async delete(id: string, options: ScheduleCommandOptions = {}): Promise<void> {
    const who = whoOf('delete', id, options)
    const { store, clock } = this.options
    await this.retried(id, async () => {
      const before = await this.existing(id)
      const job = await readScheduledJob(store, id)
      const after = deletedSchedule(before, who, clock.now())
      const jobs = job === null ? [] : [replacing(job, deletedJob(job))]
      return { writes: [replacing(before, after), ...jobs], result: null }
    })
  }

  /**
   * Submits one job of the schedule now, besides its ticks, even if the schedule is paused. The `overlap` does
   * not matter.
   *
   * @returns the id of the job
   * @throws ScheduleNotFound if there is no such schedule
   * @throws SubmissionInvalid if the job can never be accepted
   */
  async trigger(id: string, options: ScheduleCommandOptions = {}): Promise<string> {
    const { by, why = 'triggered' } = orNone(options)
    const decision = { command: 'trigger' as const, ...whoOf('trigger', id, { by, why }) }
    const dueMs = this.options.clock.now()
    const tick = { dueMs, jobId: `${id}@${basicTime(dueMs)}.manual` }
    await this.update(id, (schedule, now) => withDecision(schedule, decision, now))
    await this.submitted(id, tick)
    return tick.jobId
  }

  /**
   * Submits the ticks of a time in the past. A tick whose job exists already is not submitted again. The
   * `overlap` does not matter.
   *
   * @throws CommandInvalid if the times are wrong, or include more than 1,000 ticks; nothing was submitted
   * @throws ScheduleNotFound if there is no such schedule
   * @throws SubmissionInvalid if a job can never be accepted
   */
  async backfill(id: string, options: BackfillOptions): Promise<BackfillReport> {
    const { from = new Date(NaN), to = new Date(NaN), dryRun = false, ...by } = orNone(options)
    const { clock, store } = this.options
    const who = whoOf('backfill', id, { by: by.by, why: by.why ?? 'backfill' }, { from, to, dryRun })
    const [fromMs, toMs] = [from.getTime(), to.getTime()]
    const [start, end] = [JSON.stringify(from), JSON.stringify(to)]
    const isBackwards = fromMs > toMs ? [`from is ${start}; it must not be later than to, ${end}`] : []
    const isAhead = toMs > clock.now() ? [`to is ${end}; it must not be in the future`] : []
    refuseProblems('backfill', [...isBackwards, ...isAhead])
    const ticks = ticksBetween(await this.existing(id), fromMs, toMs, maxBackfill)
    if (ticks === null) {
      throw new CommandInvalid(`backfill: there are more than ${maxBackfill} ticks; choose a shorter time`)
    }
    if (!dryRun) {
      const row = `${counted(ticks.length, 'tick')}, ${basicTime(fromMs)} to ${basicTime(toMs)}: ${who.why}`
      await this.update(id, (schedule, now) =>
        withDecision(schedule, { command: 'backfill', by: who.by, why: row }, now),
      )
    }
    const done = await inSlices(ticks, submissionsAtOnce, async (tick) => {
      if (dryRun) return { tick, isNew: !(await jobExists(store, tick.jobId)) }
      return { tick, isNew: (await this.submitted(id, tick)).isNew }
    })
    const failed = done.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    const results = done.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const idsOf = (isNew: boolean) =>
      results.filter((each) => each.isNew === isNew).map(({ tick }) => tick.jobId)
    return { submitted: idsOf(true), existing: idsOf(false) }
  }

  /** Stores the definition that `define` makes of what is stored. */
  private defined(
    id: string,
    define: Define,
    change: Required<ScheduleChangeOptions> | null = null,
  ): Promise<ScheduleSet> {
    return this.retried<ScheduleSet>(id, async () => {
      const { store, clock } = this.options
      const made = await definitionWrites({ store, now: clock.now() }, id, define, change)
      const result = { change: made.change, schedule: viewOfSchedule(made.schedule) }
      return { writes: change?.dryRun === true ? [] : made.writes, result }
    })
  }

  private async submitted(id: string, tick: Tick): Promise<TickSubmitted & { kind: 'submitted' }> {
    const { store, clock, telemetry, beginSubmission, onAccepted } = this.options
    const job = await readScheduledJob(store, id)
    if (job === null) throw new ScheduleNotFound(id)
    const submitter = { store, now: () => clock.now(), beginSubmission, onAccepted }
    const result = await submitTick(submitter, job, tick)
    if (result.kind === 'refused') throw new SubmissionInvalid(result.message)
    const workflow = (job.plan as { readonly workflow: string }).workflow
    telemetry.emit({ type: 'job.submitted', jobId: tick.jobId, workflow, isNew: result.isNew })
    return result
  }

  private command(
    call: string,
    id: string,
    options: ScheduleCommandOptions,
    change: (
      before: Stored<ScheduleDocument>,
      who: Required<ScheduleCommandOptions>,
      now: number,
    ) => ScheduleDocument | null,
  ): Promise<ScheduleView> {
    const who = whoOf(call, id, options)
    return this.update(id, (schedule, now) => change(schedule, who, now))
  }

  /** Changes a schedule. `change` returns null if nothing is to be written. */
  private update(
    id: string,
    change: (before: Stored<ScheduleDocument>, now: number) => ScheduleDocument | null,
  ): Promise<ScheduleView> {
    return this.retried(id, async () => {
      const before = await this.existing(id)
      const after = change(before, this.options.clock.now())
      const writes = after === null ? [] : [replacing(before, after)]
      return { writes, result: viewOfSchedule(after ?? before) }
    })
  }

  private async existing(id: string): Promise<Stored<ScheduleDocument>> {
    const found = await this.found(id)
    if (found === null) throw new ScheduleNotFound(id)
    return found
  }

  /** Reads a schedule with its open ticks counted, so that a change of the schedule loses none of them. */
  private async found(id: string): Promise<Stored<ScheduleDocument> | null> {
    const { store, clock } = this.options
    const stored = await readSchedule(store, scheduleAddress(id))
    return stored === null || isDeleted(stored) ? null : withOpenTicks(store, stored, clock.now())
  }

  /** Reads, decides and writes again, until the write is applied or nothing is to be written. */
  private async retried<R>(
    id: string,
    decide: () => Promise<{ readonly writes: readonly StateWrite[]; readonly result: R }>,
  ): Promise<R> {
    const address = scheduleAddress(id)
    const unclear = new UnclearWrites(`schedule ${JSON.stringify(id)}`)
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { writes, result } = await decide()
      if (writes.length === 0) return result
      const applied = await unclear.write(() => this.options.store.apply(address.pk, writes))
      if (applied.kind === 'applied') return result
    }
    const message = `schedule ${JSON.stringify(id)}: another writer changed it first in each of ${maxTries} tries`
    throw new StoreUnavailable(message, { cause: null })
  }
}
