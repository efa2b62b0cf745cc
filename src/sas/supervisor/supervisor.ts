import type { Change } from '../../change-feed-processor/index.js'
import type { Clock } from '../../platform/index.js'
import { inSlices, BackgroundLoop } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { DeadlineIndex, type Deadline } from '../timing/deadline-index.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId, jobIdPrefix } from '../model/document-ids.js'
import { isTerminal } from '../model/process-state.js'
import { decodeDocument, type Decoded } from '../model/decode.js'
import { pickUpWithinMs, recoverJob, type JobRecovery } from '../decisions/recover-job.js'
import { removeStaged } from '../store/remove-staged.js'
import { recover, retireStep, type Recovery, type RecoveryPolicy } from '../decisions/recover-step.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { Sweep } from '../timing/sweep.js'
import { readJob, readStep, updateDocument, type DocumentDecision } from '../store/update-document.js'
import { type Look, type StepDecision, lookOf, untouched } from './look.js'

/** What a supervisor works with. */
export interface SupervisorOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** How often overdue steps are asked for. Default 30,000. */
  readonly sweepIntervalMs?: number
  /** Overdue documents asked for at once. Default 1,000. */
  readonly sweepLimit?: number
  /** How long after a deadline it is acted upon: at least what the clocks of two hosts differ. Default 2,000. */
  readonly deadlineGraceMs?: number
}

/** Documents looked at side by side. */
const recoveriesAtOnce = 16

/** How soon what could not be done, or did not fit one sweep, is looked at again. */
const soonMs = 1_000

/** What one sweep did. */
export interface SweepResult {
  /** Documents that were overdue. */
  readonly lookedAt: number
  /** Of these, written: given back, offered again, or out of attempts. */
  readonly recovered: number
}

/**
 * The delegate and the two loops of the supervisor unit. A deadline that passes writes nothing, so the feed is silent
 * about it: the **index**, fed by the feed, is the speed; the **sweep** is the guarantee; the lease is the leader election. Each decision is {@link recover}
 * on a fresh read, so that two supervisors on one step write once.
 *
 * States: idle → running (`start`) → idle (`stop`).
 */
export class Supervisor {
  private readonly index = new DeadlineIndex()
  private readonly recovery: BackgroundLoop
  private readonly sweep: Sweep
  private readonly sweepIntervalMs: number
  private readonly sweepLimit: number
  private readonly graceMs: number
  /** The due time after which the next page of the sweep begins; 0 for the first page. */
  private sweptUntilMs = 0

  constructor(private readonly options: SupervisorOptions) {
    const {
      clock,
      telemetry,
      sweepIntervalMs = 30_000,
      sweepLimit = 1_000,
      deadlineGraceMs = 2_000,
    } = options
    this.sweepIntervalMs = sweepIntervalMs
    this.sweepLimit = sweepLimit
    this.graceMs = deadlineGraceMs
    this.recovery = new BackgroundLoop({
      clock,
      turn: () => this.recoverDue(),
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'recovery', error })
        return Math.min(soonMs, sweepIntervalMs)
      },
    })
    this.sweep = new Sweep({ clock, telemetry, intervalMs: sweepIntervalMs, ask: () => this.noteOverdue() })
  }

  start(): void {
    this.recovery.start()
    this.sweep.start()
  }

  async stop(): Promise<void> {
    await Promise.all([this.recovery.stop(), this.sweep.stop()])
  }

  /** Notes when each changed step and job is due. */
  onChanges(changes: readonly Change[], leaseToken: string): void {
    const before = this.index.next()
    for (const change of changes) {
      const { pk, id } = change
      if (typeof pk !== 'string') continue
      const dueMs = isWithoutDeadline(change) ? null : this.dueAt(decodeDocument(change))
      if (dueMs === null) this.index.remove({ pk, id })
      else this.index.set({ pk, id, dueMs, leaseToken })
    }
    const after = this.index.next()
    if (after !== null && (before === null || after < before)) this.recovery.wake()
  }

  /** What was delivered before, to another owner, is found by a sweep. */
  onLeaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.sweptUntilMs = 0
    this.sweep.leaseAcquired(leaseToken, isFirstRange)
  }

  onLeaseReleased(leaseToken: string): void {
    this.sweep.leaseReleased(leaseToken)
    this.index.forgetLease(leaseToken)
  }

  /**
   * Recovers everything that is overdue now, without the loops, for a supervisor that is started on a schedule (R106).
   * Asks page by page, so that documents that cannot be recovered hide none that are due later.
   *
   * @throws StoreUnavailable or StoreRefused when the store could not be asked; what was recovered until then stays so
   */
  async runOnce(): Promise<SweepResult> {
    const { store, clock } = this.options
    const total = { lookedAt: 0, recovered: 0 }
    for (let afterMs = 0; ;) {
      const due = { afterMs, beforeMs: clock.now() - this.graceMs, pickUpWithinMs }
      const overdue = await store.listOverdue(due, this.sweepLimit)
      const looks = await inSlices(overdue, recoveriesAtOnce, (address) => this.look(address))
      const failed = looks.find((look) => look.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      const recovered = looks.filter((look) => look.status === 'fulfilled' && look.value.isRecovered).length
      total.lookedAt += overdue.length
      total.recovered += recovered
      const last = overdue.at(-1)
      if (last === undefined || overdue.length < this.sweepLimit) return total
      afterMs = last.dueMs
    }
  }

  /** Notes everything that is due until the next sweep; answers in how many milliseconds that is. */
  private async noteOverdue(): Promise<number> {
    const { store, clock } = this.options
    const beforeMs = clock.now() + this.sweepIntervalMs
    const due = { afterMs: this.sweptUntilMs, beforeMs, pickUpWithinMs }
    const overdue = await store.listOverdue(due, this.sweepLimit)
    for (const { pk, id, dueMs } of overdue) {
      this.index.set({ pk, id, dueMs: dueMs + this.graceMs, leaseToken: null })
    }
    this.recovery.wake()
    const last = overdue.at(-1)
    const isWhole = last === undefined || overdue.length < this.sweepLimit
    this.sweptUntilMs = isWhole ? 0 : last.dueMs
    if (isWhole) return this.sweepIntervalMs
    // There may be more, due no earlier than the last of these (F-V10).
    return Math.min(Math.max(soonMs, last.dueMs - clock.now()), this.sweepIntervalMs)
  }

  private async recoverDue(): Promise<number> {
    const { clock, telemetry } = this.options
    const due = this.index.takeDue(clock.now(), recoveriesAtOnce)
    const results = await Promise.allSettled(due.map((deadline) => this.recover(deadline)))
    const failed = results.filter((result) => result.status === 'rejected')
    const [first] = failed
    // One document that fails at every look must not slow the others down; where all fail, the store is given a rest.
    if (first !== undefined && failed.length === results.length) throw first.reason
    if (first !== undefined) telemetry.emit({ type: 'loop.failed', loop: 'recovery', error: first.reason })
    const next = this.index.next()
    return next === null ? this.sweepIntervalMs : Math.max(0, next - clock.now())
  }

  /** When a document calls for a look; null when time changes nothing about it. */
  private dueAt(decoded: Decoded): number | null {
    if (decoded.kind !== 'step' && decoded.kind !== 'job') return null
    if (decoded.kind === 'step') {
      const { completeByMs } = decoded.step
      return completeByMs === null ? null : completeByMs + this.graceMs
    }
    const recovery = recoverJob(decoded.job, this.policy())
    if (recovery.kind === 'nothing') return null
    return recovery.kind === 'wait' ? recovery.untilMs : this.options.clock.now()
  }

  private policy(): RecoveryPolicy {
    const { clock, instanceName } = this.options
    return { now: clock.now(), graceMs: this.graceMs, supervisor: instanceName }
  }

  private async recover(deadline: Deadline): Promise<void> {
    try {
      const { untilMs } = await this.look(deadline)
      if (untilMs !== null) this.index.set({ ...deadline, dueMs: untilMs })
    } catch (error) {
      // Not forgotten, and behind what is due now: a few that keep failing must not hold up the rest.
      this.index.set({ ...deadline, dueMs: this.options.clock.now() + soonMs })
      throw error
    }
  }

  private look(address: DocumentAddress): Promise<Look> {
    return address.id.startsWith(jobIdPrefix) ? this.recoverJob(address) : this.recoverStep(address)
  }

  private async recoverStep(address: DocumentAddress, isJobKnownToLive = false): Promise<Look> {
    const decide = (step: StepDocument): DocumentDecision<StepDocument, StepDecision> => {
      const recovery = recover(step, this.policy())
      const isInDoubt = recovery.kind === 'unclaimed' && !isJobKnownToLive
      if (isInDoubt) return { write: null, result: { kind: 'inDoubt', step } }
      return { write: 'step' in recovery ? recovery.step : null, result: recovery }
    }
    const from = { address, known: null, read: readStep }
    const update = await updateDocument(this.options.store, from, decide)
    if (update.kind === 'missing') return untouched
    const { result } = update
    if (result.kind === 'inDoubt') {
      return (await this.hasLivingJob(result.step))
        ? this.recoverStep(address, true)
        : this.putToRest(address)
    }
    if (update.kind === 'written') this.report(result, update.document)
    return lookOf(update.kind, result)
  }

  private async hasLivingJob({ pk, jobId }: StepDocument): Promise<boolean> {
    const job = await readJob(this.options.store, { pk, id: jobDocumentId(jobId) })
    return job !== null && !isTerminal(job)
  }

  private async putToRest(address: DocumentAddress): Promise<Look> {
    const { store, telemetry } = this.options
    const from = { address, known: null, read: readStep }
    const update = await updateDocument(store, from, (step) => {
      const isStillUp = recover(step, this.policy()).kind === 'unclaimed'
      return { write: isStillUp ? retireStep(step) : null, result: null }
    })
    if (update.kind !== 'written') return untouched
    const reason = `nothing is done with it any more: its job ${update.document.jobId} has ended or is gone`
    telemetry.emit({ type: 'document.refused', id: address.id, reason })
    return { untilMs: null, isRecovered: true }
  }

  private async recoverJob(address: DocumentAddress): Promise<Look> {
    const decide = (job: JobDocument): DocumentDecision<JobDocument, JobRecovery> => {
      const recovery = recoverJob(job, this.policy())
      return { write: 'job' in recovery ? recovery.job : null, result: recovery }
    }
    const from = { address, known: null, read: readJob }
    const update = await updateDocument(this.options.store, from, decide)
    if (update.kind === 'missing') return untouched
    if (update.kind === 'written') {
      if (update.result.kind === 'abandoned') await removeStaged(this.options.store, update.document)
      this.reportJob(update.result, update.document)
    }
    return lookOf(update.kind, update.result)
  }

  private reportJob(recovery: JobRecovery, { jobId, workflow, attention }: JobDocument): void {
    const { telemetry } = this.options
    if (recovery.kind === 'abandoned') {
      const reason = 'its submission was never completed: it is removed'
      telemetry.emit({ type: 'document.refused', id: jobDocumentId(jobId), reason })
      return
    }
    telemetry.emit({ type: 'job.recovered', jobId, workflow, wasHeld: recovery.kind === 'standing' })
    if (recovery.kind !== 'unclaimed' || !recovery.isNew || attention === null) return
    const { kind, message, stepId } = attention
    telemetry.emit({ type: 'attention.raised', jobId, workflow, stepId, kind, message })
  }

  private report(recovery: Recovery, step: StepDocument): void {
    if (recovery.kind === 'due') return
    const { telemetry } = this.options
    const { jobId, workflow, stepId, attempt, failureCount } = step
    const about = { jobId, workflow, stepId, attempt }
    if (recovery.kind === 'unclaimed') telemetry.emit({ type: 'step.unclaimed', ...about })
    else telemetry.emit({ type: 'step.recovered', failureCount, ...about })
    if (recovery.kind === 'exhausted' && step.attention !== null) {
      const { kind, message } = step.attention
      telemetry.emit({ type: 'attention.raised', jobId, workflow, stepId, kind, message })
    }
  }
}

/** So it is with most of what the feed brings, which shows before it is decoded. */
function isWithoutDeadline({ type, completeByMs, processState }: Change): boolean {
  if (type === 'sas.step') return completeByMs === null
  return type !== 'sas.job' || processState === 'Processed'
}
