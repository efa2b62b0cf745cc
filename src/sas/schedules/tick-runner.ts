import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { StoreUnavailable } from '../model/errors.js'
import { jobDocumentId, tickJobId } from '../model/document-ids.js'
import { isTerminal } from '../model/process-state.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import { replacing, type DocumentAddress, type Stored } from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { readJob } from '../store/update-document.js'
import { withLateJobs } from './counted-ticks.js'
import { decideTick, refusedTick, type Run, type TickDecision, type TickFacts } from './decide-tick.js'
import { mayStayOpen } from './open-ticks.js'
import { isDeleted, readAnyScheduledJob, readSchedule } from './stored-schedule.js'
import { jobExists, submitTick, type TickSubmitter } from './tick-submission.js'

export interface TickRunnerOptions extends Omit<TickSubmitter, 'now'> {
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly graceMs: number
  /** Cancels a job, if it has not ended. */
  readonly cancel: (jobId: string, why: string) => Promise<void>
}

/** The result of a look at a schedule. `untilMs` is the time of the next look, or null. */
export interface TickLook {
  readonly untilMs: number | null
  readonly isAdvanced: boolean
}

type Advance = TickDecision & { readonly kind: 'advance' }

/** A decision after its job was submitted. */
interface Performed {
  readonly advance: Advance
  /** Whether the tick may stay open, so that the schedule need not be written. */
  readonly mayStay: boolean
}

/** The number of tries to advance one schedule. A try fails if another instance advances it first. */
const maxTries = 6

/** The most ticks of one look. Afterwards, other documents that are due get their turn. */
const maxTicks = 100

type Step =
  | { readonly kind: 'rest'; readonly untilMs: number | null }
  /** Another instance was first, or the result of a write is unknown. */
  | { readonly kind: 'again' }
  /** `isInDoubt` says whether the schedule must be read once more to check the count. */
  | { readonly kind: 'advanced'; readonly advance: Advance; readonly isInDoubt: boolean }

/** How far this process has advanced a schedule beyond the version that is stored. */
interface Ahead {
  readonly stored: Stored<ScheduleDocument>
  readonly schedule: ScheduleDocument
  /**
   * The due times of the ticks that this process has begun to submit since that version, or whose jobs it found. A
   * write without an answer may have created a job, so the store is asked before a count is corrected.
   */
  readonly begun: readonly number[]
}

/**
 * Advances the schedules that are due. The job of a tick is written first, and the schedule afterwards, only
 * if its etag is unchanged. To save writes, a few ticks stay open first ({@link mayStayOpen}): their jobs are
 * written, and the schedule is not. If the process dies meanwhile, the next look of another process submits
 * the same ids again, which changes nothing.
 */
export class TickRunner {
  private readonly ahead = new Map<string, Ahead>()

  constructor(private readonly options: TickRunnerOptions) {}

  /** Submits the due ticks of one schedule. With `keepOpen`, ticks may stay open. */
  async look(address: DocumentAddress, keepOpen = true): Promise<TickLook> {
    const { clock } = this.options
    const unclear = new UnclearWrites(`schedule ${address.id}`)
    for (let [ticks, tries] = [0, 0]; tries < maxTries;) {
      const step = await this.step(address, unclear, keepOpen)
      if (step.kind === 'rest') return { untilMs: step.untilMs, isAdvanced: ticks > 0 }
      if (step.kind === 'again') {
        tries += 1
        continue
      }
      this.report(step.advance)
      ticks += 1
      const { completeByMs: untilMs } = step.advance.schedule
      const isDue = step.isInDoubt || (untilMs !== null && untilMs <= clock.now())
      if (!isDue || ticks === maxTicks) return { untilMs, isAdvanced: true }
      tries = 0
    }
    const message = `schedule ${address.id}: another writer changed it first in each of ${maxTries} tries`
    throw new StoreUnavailable(message, { cause: null })
  }

  /** Reads the schedule, decides about its next tick, and writes what follows. */
  private async step(address: DocumentAddress, unclear: UnclearWrites, keepOpen: boolean): Promise<Step> {
    const { store, clock, graceMs } = this.options
    const stored = await readSchedule(store, address)
    if (stored === null || isDeleted(stored)) {
      this.ahead.delete(address.id)
      return { kind: 'rest', untilMs: null }
    }
    const ahead = await this.aheadOf(stored)
    if (ahead === null) return { kind: 'again' }
    const beganMs = clock.monotonic()
    const decision = await this.decided(ahead.schedule)
    if (decision.kind !== 'advance') {
      return { kind: 'rest', untilMs: decision.kind === 'wait' ? decision.untilMs : null }
    }
    const { nextDueMs: dueMs } = ahead.schedule
    const begun = decision.passed !== null || dueMs === null ? ahead.begun : withTime(ahead.begun, dueMs)
    // The tick is noted before its job is written, because the answer to that write may be lost.
    this.ahead.set(address.id, { ...ahead, begun })
    const performed = await this.performed(ahead, decision)
    if (performed === null) return { kind: 'again' }
    if (performed === 'newer') return { kind: 'rest', untilMs: null }
    const { advance, mayStay } = performed
    if (keepOpen && mayStay) {
      this.ahead.set(address.id, { stored, schedule: advance.schedule, begun })
      // Meanwhile, another instance may have counted the tick as passed over.
      return { kind: 'advanced', advance, isInDoubt: clock.monotonic() - beganMs > graceMs }
    }
    const result = await unclear.write(() => store.apply(address.pk, [replacing(stored, advance.schedule)]))
    if (result.kind !== 'applied') return { kind: 'again' }
    const late = await this.lateJob(ahead, advance)
    if (late === null) this.ahead.delete(address.id)
    else this.ahead.set(address.id, late)
    return { kind: 'advanced', advance, isInDoubt: late !== null }
  }

  /** Returns the time of the next tick of a schedule that the sweep lists as due at `listedMs`. */
  dueAt(id: string, listedMs: number): number {
    const ahead = this.ahead.get(id)
    if (ahead?.stored.completeByMs !== listedMs) return listedMs
    return ahead.schedule.completeByMs ?? listedMs
  }

  /** Writes the schedules with open ticks. If a write fails, the next instance counts the ticks. */
  async writeOpen(): Promise<void> {
    const open = [...this.ahead.values()].filter(({ stored, schedule }) => schedule !== stored)
    this.ahead.clear()
    const { store } = this.options
    await Promise.allSettled(
      open.map(({ stored, schedule }) => store.apply(stored.pk, [replacing(stored, schedule)])),
    )
  }

  /**
   * Returns how far this process has advanced the stored version. If another process has replaced the version
   * and counted ticks as passed over that this process began to submit, corrects the count. Then, or if that write
   * fails, returns null: read the schedule again.
   */
  private async aheadOf(stored: Stored<ScheduleDocument>): Promise<Ahead | null> {
    const ahead = this.ahead.get(stored.id)
    if (ahead?.stored._etag === stored._etag) return ahead
    const corrected = ahead === undefined ? null : await this.corrected(stored, ahead.begun)
    if (corrected !== null) {
      const result = await this.options.store.apply(stored.pk, [replacing(stored, corrected)])
      if (result.kind === 'applied') this.ahead.delete(stored.id)
      return null
    }
    this.ahead.delete(stored.id)
    return { stored, schedule: stored, begun: [] }
  }

  /** Counts these ticks as submitted if they were passed over and have a job. Returns null if there are none. */
  private async corrected(
    stored: Stored<ScheduleDocument>,
    begun: readonly number[],
  ): Promise<Stored<ScheduleDocument> | null> {
    const late: number[] = []
    for (const dueMs of begun) {
      if (withLateJobs(stored, [dueMs]) === null) continue
      if (await jobExists(this.options.store, tickJobId(stored.scheduleId, dueMs))) late.push(dueMs)
    }
    return withLateJobs(stored, late)
  }

  /**
   * Looks once more for the job of the first tick that was passed over. An instance that had decided earlier
   * may have created it before the schedule was written. Returns null if there is no job.
   */
  private async lateJob(ahead: Ahead, { passed, schedule }: Advance): Promise<Ahead | null> {
    const { nextDueMs: dueMs } = ahead.schedule
    if (passed === null || passed.reason === 'refused' || dueMs === null) return null
    const isThere = await jobExists(this.options.store, tickJobId(schedule.scheduleId, dueMs))
    return isThere ? { ...ahead, begun: [dueMs] } : null
  }

  /** Decides, and reads the facts for which the decision asks. */
  private async decided(schedule: ScheduleDocument): Promise<Exclude<TickDecision, { kind: 'read' }>> {
    const { store, clock, graceMs } = this.options
    let [previous, isSubmitted]: [Run | null, boolean | null] = [null, null]
    for (;;) {
      const facts: TickFacts = { now: clock.now(), graceMs, previous, isSubmitted }
      const decision = decideTick(schedule, facts)
      if (decision.kind !== 'read') return decision
      if (decision.what === 'previous') previous = await this.runOf(schedule.last?.jobId ?? null)
      else isSubmitted = await jobExists(store, tickJobId(schedule.scheduleId, schedule.nextDueMs ?? 0))
    }
  }

  private async runOf(jobId: string | null): Promise<Run> {
    const job =
      jobId === null ? null : await readJob(this.options.store, { pk: jobId, id: jobDocumentId(jobId) })
    if (job === null) return { kind: 'none' }
    return isTerminal(job) ? { kind: 'ended', endedAtMs: job.endedAtMs ?? 0 } : { kind: 'running' }
  }

  /**
   * Cancels and submits what the decision says. Returns the decision as it must be written, null if the
   * schedule was redefined meanwhile, or `newer` if the jobs are left to an instance of a newer version.
   */
  private async performed(ahead: Ahead, decision: Advance): Promise<Performed | 'newer' | null> {
    const { submission, cancel } = decision
    const { stored, schedule } = ahead
    if (submission === null) return { advance: decision, mayStay: false }
    const { store, clock, telemetry } = this.options
    const job = await readAnyScheduledJob(store, schedule.scheduleId)
    if (job === 'newer') {
      const reason = 'an instance of a newer version wrote the plan of its jobs, and submits its ticks'
      telemetry.emit({ type: 'document.refused', id: stored.id, reason })
      return job
    }
    if (job !== null && job.definitionHash !== schedule.definitionHash) return null
    if (cancel !== null) await this.options.cancel(cancel, `tick ${submission.jobId} follows`)
    const submitter = { ...this.options, now: () => clock.now() }
    const result =
      job === null
        ? {
            kind: 'refused' as const,
            message: 'the document with the plan of its jobs is missing or unreadable',
          }
        : await submitTick(submitter, job, submission)
    if (result.kind === 'refused') {
      const refused = refusedTick(schedule, submission, result.message)
      return { advance: { ...decision, submission: null, ...refused }, mayStay: false }
    }
    const { jobId } = submission
    const { isNew } = result
    telemetry.emit({ type: 'job.submitted', jobId, workflow: schedule.workflow, isNew })
    const mayStay = mayStayOpen(stored, decision.schedule, job?.retainForMs ?? null)
    return { advance: decision, mayStay }
  }

  private report({ passed, schedule }: Advance): void {
    if (passed === null) return
    const { scheduleId, workflow } = schedule
    const { reason, count, from, to, message } = passed
    const row = { scheduleId, workflow, reason, count, from, to, message }
    this.options.telemetry.emit({ type: 'ticks.passed', ...row })
  }
}

function withTime(times: readonly number[], dueMs: number): readonly number[] {
  return times.includes(dueMs) ? times : [...times, dueMs]
}
