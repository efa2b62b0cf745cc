import type { Change } from '../change-feed-processor/index.js'
import { BackgroundLoop, type Clock } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import { DeadlineIndex, type Deadline } from './deadline-index.js'
import {
  decodeDocument,
  jobIdPrefix,
  type Decoded,
  type JobDocument,
  type StepDocument,
} from './documents.js'
import { recoverJob, type JobRecovery } from './recover-job.js'
import { recover, type Recovery, type RecoveryPolicy } from './recover.js'
import type { DocumentAddress, StateStore } from './state-store.js'
import { readJob, readStep, updateDocument, type DocumentDecision } from './update-document.js'

/** What a supervisor works with. */
export interface SupervisorOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** How often overdue steps are asked for. Default 30,000. */
  readonly sweepIntervalMs?: number
  /** How long after a deadline it is acted upon: at least what the clocks of two hosts differ. Default 2,000. */
  readonly deadlineGraceMs?: number
}

/** Steps recovered side by side, and overdue steps asked for at once. */
const recoveriesAtOnce = 16
const sweepLimit = 1_000

/**
 * The delegate and the two loops of the supervisor unit. A deadline that passes writes nothing, so the feed is silent
 * about it: the **index**, fed by the feed, is the speed; the **sweep**, on every lease acquired and every interval by
 * the holder of the first range, is the guarantee; the lease is the leader election. Each decision is {@link recover}
 * on a fresh read, so that two supervisors on one step write once.
 *
 * States: idle → running (`start`) → idle (`stop`).
 */
export class Supervisor {
  private readonly index = new DeadlineIndex()
  private readonly recovery: BackgroundLoop
  private readonly sweep: BackgroundLoop
  private readonly held = new Map<string, { readonly isFirst: boolean }>()
  private readonly sweepIntervalMs: number
  private readonly graceMs: number
  private isSweepDue = false

  constructor(private readonly options: SupervisorOptions) {
    const { clock, telemetry, sweepIntervalMs = 30_000, deadlineGraceMs = 2_000 } = options
    this.sweepIntervalMs = sweepIntervalMs
    this.graceMs = deadlineGraceMs
    const failed = (loop: string) => (error: unknown) => {
      telemetry.emit({ type: 'loop.failed', loop, error })
      return Math.min(1_000, sweepIntervalMs)
    }
    this.recovery = new BackgroundLoop({ clock, turn: () => this.recoverDue(), onError: failed('recovery') })
    this.sweep = new BackgroundLoop({ clock, turn: () => this.sweepOverdue(), onError: failed('sweep') })
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
      const decoded = decodeDocument(change)
      if (decoded.kind !== 'step' && decoded.kind !== 'job') continue
      const { pk, id } = decoded.kind === 'step' ? decoded.step : decoded.job
      const dueMs = this.dueAt(decoded)
      if (dueMs === null) this.index.remove({ pk, id })
      else this.index.set({ pk, id, dueMs, leaseToken })
    }
    const after = this.index.next()
    if (after !== null && (before === null || after < before)) this.recovery.wake()
  }

  /** What was delivered before, to another owner, is found by a sweep. */
  onLeaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.held.set(leaseToken, { isFirst: isFirstRange })
    this.isSweepDue = true
    this.sweep.wake()
  }

  onLeaseReleased(leaseToken: string): void {
    this.held.delete(leaseToken)
    this.index.forgetLease(leaseToken)
  }

  /** Asks once for everything overdue and recovers it; answers how many documents will be looked at. */
  async sweepOnce(): Promise<number> {
    const { store, clock } = this.options
    const overdue = await store.listOverdue(clock.now() + this.sweepIntervalMs, sweepLimit)
    for (const { pk, id, completeByMs } of overdue) {
      this.index.set({ pk, id, dueMs: (completeByMs ?? clock.now()) + this.graceMs, leaseToken: null })
    }
    this.recovery.wake()
    return overdue.length
  }

  private async sweepOverdue(): Promise<number> {
    const holdsFirst = [...this.held.values()].some((lease) => lease.isFirst)
    if (this.isSweepDue || holdsFirst) {
      const wasDue = this.isSweepDue
      this.isSweepDue = false
      try {
        await this.sweepOnce()
      } catch (error) {
        // What a new lease brings is found by this sweep or by none.
        this.isSweepDue ||= wasDue
        throw error
      }
    }
    return this.sweepIntervalMs
  }

  private async recoverDue(): Promise<number> {
    const due = this.index.takeDue(this.options.clock.now(), recoveriesAtOnce)
    const results = await Promise.allSettled(due.map((deadline) => this.recover(deadline)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const next = this.index.next()
    return next === null ? this.sweepIntervalMs : Math.max(0, next - this.options.clock.now())
  }

  /** When a document calls for a look; null when time changes nothing about it. */
  private dueAt(decoded: Decoded & { kind: 'step' | 'job' }): number | null {
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
    const isJob = deadline.id.startsWith(jobIdPrefix)
    try {
      const untilMs = isJob ? await this.recoverJob(deadline) : await this.recoverStep(deadline)
      if (untilMs !== null) this.index.set({ ...deadline, dueMs: untilMs })
    } catch (error) {
      // Not forgotten: looked at again when the loop has rested.
      this.index.set(deadline)
      throw error
    }
  }

  private async recoverStep(address: DocumentAddress): Promise<number | null> {
    const decide = (step: StepDocument): DocumentDecision<StepDocument, Recovery> => {
      const recovery = recover(step, this.policy())
      return { write: 'step' in recovery ? recovery.step : null, result: recovery }
    }
    const from = { address, known: null, read: readStep }
    const update = await updateDocument(this.options.store, from, decide)
    if (update.kind === 'written') this.report(update.result, update.document)
    return update.kind === 'unchanged' && update.result.kind === 'wait' ? update.result.untilMs : null
  }

  private async recoverJob(address: DocumentAddress): Promise<number | null> {
    const decide = (job: JobDocument): DocumentDecision<JobDocument, JobRecovery> => {
      const recovery = recoverJob(job, this.policy())
      return { write: 'job' in recovery ? recovery.job : null, result: recovery }
    }
    const from = { address, known: null, read: readJob }
    const update = await updateDocument(this.options.store, from, decide)
    if (update.kind === 'written') this.reportJob(update.result, update.document)
    return update.kind === 'unchanged' && update.result.kind === 'wait' ? update.result.untilMs : null
  }

  private reportJob(recovery: JobRecovery, { jobId, workflow, attention }: JobDocument): void {
    const { telemetry } = this.options
    telemetry.emit({ type: 'job.recovered', jobId, workflow, wasHeld: recovery.kind === 'standing' })
    if (recovery.kind !== 'unclaimed' || attention === null) return
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
