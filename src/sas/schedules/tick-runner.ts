import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { StoreUnavailable } from '../model/errors.js'
import { jobDocumentId, tickJobId } from '../model/document-ids.js'
import { isTerminal } from '../model/process-state.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import { replacing, type DocumentAddress, type Stored } from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { readJob } from '../store/update-document.js'
import { decideTick, refusedTick, type Run, type TickDecision, type TickFacts } from './decide-tick.js'
import { isDeleted, readSchedule, readScheduledJob } from './stored-schedule.js'
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

/** The number of tries to advance one schedule. A try fails if another instance advances it first. */
const maxTries = 6

/** The most ticks of one look. Afterwards, other documents that are due get their turn. */
const maxTicks = 100

/**
 * Advances the schedules that are due. The job of a tick is written first, and the schedule afterwards, only
 * if its etag is unchanged. If the process dies between the two, the next look submits the same id again,
 * which changes nothing.
 */
export class TickRunner {
  constructor(private readonly options: TickRunnerOptions) {}

  /** Submits the due ticks of one schedule. */
  async look(address: DocumentAddress): Promise<TickLook> {
    const { store, clock } = this.options
    const unclear = new UnclearWrites(`schedule ${address.id}`)
    for (let [ticks, tries] = [0, 0]; tries < maxTries;) {
      const schedule = await readSchedule(store, address)
      if (schedule === null || isDeleted(schedule)) return { untilMs: null, isAdvanced: ticks > 0 }
      const decision = await this.decided(schedule)
      if (decision.kind !== 'advance') {
        return { untilMs: decision.kind === 'wait' ? decision.untilMs : null, isAdvanced: ticks > 0 }
      }
      const advance = await this.performed(schedule, decision)
      if (advance === null) {
        tries += 1
        continue
      }
      const writes = [replacing(schedule, advance.schedule)]
      const result = await unclear.write(() => store.apply(address.pk, writes))
      if (result.kind !== 'applied') {
        tries += 1
        continue
      }
      this.report(advance)
      ticks += 1
      const { completeByMs } = advance.schedule
      const isDue = completeByMs !== null && completeByMs <= clock.now()
      if (!isDue || ticks === maxTicks) return { untilMs: completeByMs, isAdvanced: true }
      tries = 0
    }
    const message = `schedule ${address.id}: another writer changed it first in each of ${maxTries} tries`
    throw new StoreUnavailable(message, { cause: null })
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
   * Cancels and submits what the decision says. Returns the decision as it must be written, or null if the
   * schedule was redefined meanwhile.
   */
  private async performed(schedule: Stored<ScheduleDocument>, decision: Advance): Promise<Advance | null> {
    const { submission, cancel } = decision
    if (submission === null) return decision
    const { store, clock } = this.options
    const job = await readScheduledJob(store, schedule.scheduleId)
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
    if (result.kind === 'submitted') {
      const { jobId } = submission
      const { isNew } = result
      this.options.telemetry.emit({ type: 'job.submitted', jobId, workflow: schedule.workflow, isNew })
      return decision
    }
    return { ...decision, submission: null, ...refusedTick(schedule, submission, result.message) }
  }

  private report({ passed, schedule }: Advance): void {
    if (passed === null) return
    const { scheduleId, workflow } = schedule
    const { reason, count, from, to, message } = passed
    const row = { scheduleId, workflow, reason, count, from, to, message }
    this.options.telemetry.emit({ type: 'ticks.passed', ...row })
  }
}
