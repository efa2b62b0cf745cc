import type { FeedRange } from '../../../lease-store/index.js'
import type { Clock } from '../../platform/index.js'
import { inSlices } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { DueEntry } from '../timing/due-entries.js'
import { DueWork } from '../timing/due-work.js'
import type { StateChange } from '../model/delivered/state-change.js'
import type { JobDocument } from '../model/documents.js'
import {
  gateIdPrefix,
  jobDocumentId,
  jobIdPrefix,
  pausesDocumentId,
  scheduleIdPrefix,
} from '../model/document-ids.js'
import type { Decoded } from '../model/decode.js'
import { decodeDelivered } from '../model/delivered/decode-delivered.js'
import { mustRead } from '../decisions/readers.js'
import { pickUpWithinMs, recoverJob, type JobAnswer, type JobRecovery } from '../decisions/recover-job.js'
import { readSteps } from '../store/read-steps.js'
import { removeStaged } from '../store/remove-staged.js'
import { graceOf, type RecoveryPolicy } from '../decisions/recover-step.js'
import type { DocumentAddress, StateStore, Stored } from '../store/state-store.js'
import { readJob, updateDocument, type DocumentDecision } from '../store/update-document.js'
import { Gatekeeper } from '../gates/gatekeeper.js'
import { TickRunner, type TickRunnerOptions } from '../schedules/tick-runner.js'
import { type AskAgents, type Look, type MustAsk, lookOf, untouched } from './look.js'
import { StepRecovery } from './step-recovery.js'

export interface SupervisorOptions extends Pick<
  TickRunnerOptions,
  'beginSubmission' | 'onAccepted' | 'cancel'
> {
  /** Pauses or resumes the jobs of workflows and agents. Returns the time of the next call, or null. */
  readonly tellJobs: () => Promise<number | null>
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** The time between two sweeps, which query the store for overdue documents. */
  readonly sweepIntervalMs: number
  /** The number of overdue documents that one query asks for. Default 1,000. */
  readonly sweepLimit?: number
  /** The time to wait after a deadline, at least the difference between the clocks of two hosts. */
  readonly deadlineGraceMs: number
  /** Default: every attempt counts as begun. */
  readonly askAgents?: AskAgents
}

interface Watched extends DueEntry {
  /** The due time with which a sweep listed the document, or null. The next page begins after the last one of these times. */
  readonly listedMs: number | null
  /** See `Look`. */
  readonly inLineSinceMs?: number | undefined
}

/** The number of documents that are checked in parallel. */
const recoveriesAtOnce = 16

/** The pause after a failed recovery before the document is checked again. */
const retryAfterMs = 1_000

/** The result of one sweep. */
export interface SweepResult {
  /** The number of overdue documents. */
  readonly lookedAt: number
  /**
   * The number of these documents that this sweep changed: steps and jobs that were offered again, given back
   * or given up, and schedules whose ticks were submitted.
   */
  readonly recovered: number
}

/**
 * The delegate of the supervisor unit. It recovers steps and jobs whose deadlines passed. A passed deadline
 * writes nothing, so the feed does not report it. For a fast recovery, the supervisor notes the deadlines in
 * the documents that the feed delivers. The sweep of {@link DueWork} ensures that no deadline is missed. For
 * each step, {@link recoverStep} decides about the version just read, and the write depends on its etag. So two
 * supervisors that check the same step write only once. The same loops submit the ticks of schedules that are
 * due ({@link TickRunner}).
 *
 * A supervisor is idle, then running after `start`, then idle again after `stop`.
 */
export class Supervisor {
  private readonly work: DueWork<Watched>
  private readonly ticks: TickRunner
  private readonly gates: Gatekeeper
  private readonly steps: StepRecovery
  /** The feed ranges that this supervisor reads, by lease. */
  private readonly ranges = new Map<string, FeedRange>()
  private readonly options: SupervisorOptions & Required<Pick<SupervisorOptions, 'sweepLimit'>>

  constructor(options: SupervisorOptions) {
    this.options = { sweepLimit: 1_000, ...options }
    this.ticks = new TickRunner({ ...options, graceMs: options.deadlineGraceMs })
    this.gates = new Gatekeeper(options)
    const policy = (): RecoveryPolicy => this.policy()
    this.steps = new StepRecovery({ ...options, policy })
    this.work = new DueWork<Watched>({
      ...this.options,
      name: 'recovery',
      runsAtOnce: recoveriesAtOnce,
      retryAfterMs,
      list: (last, limit) => this.listOverdue(last, limit),
      // The feed delivers the whole document, so it knows the time better than the sweep, which lists ids.
      isNews: ({ leaseToken, dueMs, listedMs }, known) => {
        if (leaseToken !== null || known === null) return true
        return dueMs < known.dueMs && listedMs !== known.inLineSinceMs
      },
      run: (due) => this.lookAtAll(due),
    })
  }

  start(): void {
    this.work.start()
  }

  async stop(): Promise<void> {
    await this.work.stop()
    await this.ticks.writeOpen()
  }

  onChanges(changes: readonly StateChange[], leaseToken: string): void {
    for (const change of changes) {
      const { pk, id } = change
      if (typeof pk !== 'string') continue
      const dueMs = mustRead.supervisor(change) ? this.dueAt(decodeDelivered(change)) : null
      if (dueMs === null) this.work.forget({ pk, id })
      else this.work.note({ pk, id, dueMs, leaseToken, listedMs: null })
    }
  }

  /** Starts a sweep, because earlier changes were delivered to another owner of the lease. */
  onLeaseAcquired(leaseToken: string, feedRange: FeedRange): void {
    this.ranges.set(leaseToken, feedRange)
    this.work.leaseAcquired(leaseToken, feedRange.min === '')
  }

  onLeaseReleased(leaseToken: string): void {
    this.ranges.delete(leaseToken)
    this.work.leaseReleased(leaseToken)
  }

  /**
   * Recovers all documents that are overdue now, without the loops. A supervisor that is started on a
   * schedule uses this (R106). The query continues page by page, so documents that cannot be recovered do not
   * hide documents that are due later.
   *
   * @throws StoreUnavailable or StoreRefused if a request to the store failed; documents that were recovered
   *   before the failure stay recovered
   */
  async runOnce(): Promise<SweepResult> {
    const { store, clock, sweepLimit, deadlineGraceMs } = this.options
    const total = { lookedAt: 0, recovered: 0 }
    for (let afterMs = 0; ;) {
      const due = { afterMs, beforeMs: clock.now() - deadlineGraceMs, pickUpWithinMs }
      const overdue = await store.listOverdue(due, sweepLimit)
      const looks = await inSlices(overdue, recoveriesAtOnce, (address) => this.look(address, null, false))
      const failed = looks.find((look) => look.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      const recovered = looks.filter((look) => look.status === 'fulfilled' && look.value.isRecovered).length
      total.lookedAt += overdue.length
      total.recovered += recovered
      const last = overdue.at(-1)
      if (last === undefined || overdue.length < sweepLimit) return total
      afterMs = last.dueMs
    }
  }

  /** Lists the documents that are due before the next sweep, the earliest first. */
  private async listOverdue(last: Watched | null, limit: number): Promise<readonly Watched[]> {
    const { store, clock, sweepIntervalMs, deadlineGraceMs: graceMs } = this.options
    const afterMs = last?.listedMs ?? 0
    const due = { afterMs, beforeMs: clock.now() + sweepIntervalMs, pickUpWithinMs }
    const overdue = await store.listOverdue(due, limit)
    return overdue.map(({ pk, id, dueMs: listedMs }) => {
      // A tick needs no grace: if two instances submit it, only one of them writes.
      const isSchedule = id.startsWith(scheduleIdPrefix)
      const dueMs = isSchedule ? this.ticks.dueAt(id, listedMs) : listedMs + graceMs
      return { pk, id, dueMs, leaseToken: null, listedMs }
    })
  }

  /** Returns the time when a document is due, or null if it is never due. */
  private dueAt(decoded: Decoded): number | null {
    if (decoded.kind === 'schedule') return decoded.schedule.completeByMs
    if (decoded.kind === 'pauses') return decoded.pauses.completeByMs
    if (decoded.kind === 'gate') {
      const { completeByMs } = decoded.gate
      return completeByMs === null ? null : completeByMs + this.options.deadlineGraceMs
    }
    if (decoded.kind !== 'step' && decoded.kind !== 'job') return null
    if (decoded.kind === 'step') {
      const { completeByMs } = decoded.step
      return completeByMs === null ? null : completeByMs + graceOf(decoded.step, this.options.deadlineGraceMs)
    }
    const recovery = recoverJob(decoded.job, this.policy())
    if (recovery.kind === 'nothing') return null
    return recovery.kind === 'wait' ? recovery.untilMs : this.options.clock.now()
  }

  /** Returns the entries that are due again. */
  private async lookAtAll(due: readonly Watched[]): Promise<readonly Watched[]> {
    const again = due.map(async (entry): Promise<readonly Watched[]> => {
      const range = this.ranges.get(entry.leaseToken ?? '') ?? null
      const { untilMs, inLineSinceMs } = await this.look(entry, range)
      return untilMs === null ? [] : [{ ...entry, dueMs: untilMs, inLineSinceMs }]
    })
    return (await Promise.all(again)).flat()
  }

  private policy(): RecoveryPolicy {
    const { clock, deadlineGraceMs: graceMs, instanceName: supervisor } = this.options
    return { now: clock.now(), graceMs, supervisor }
  }

  /**
   * @param range the feed range of the document, or null if it is unknown
   * @param isAgain whether this supervisor looks again later, so that ticks may stay open until then
   */
  private async look(address: DocumentAddress, range: FeedRange | null, isAgain = true): Promise<Look> {
    if (address.id.startsWith(scheduleIdPrefix)) {
      const { untilMs, isAdvanced: isRecovered } = await this.ticks.look(address, isAgain)
      return { untilMs, isRecovered }
    }
    if (address.id === pausesDocumentId) {
      const untilMs = await this.options.tellJobs()
      return { untilMs, isRecovered: true }
    }
    if (address.id.startsWith(gateIdPrefix)) {
      const untilMs = await this.gates.check(address, this.options.deadlineGraceMs)
      return { untilMs, isRecovered: untilMs === null }
    }
    const isJob = address.id.startsWith(jobIdPrefix)
    return isJob ? this.lookAtJob(address, range) : this.steps.look(address, range)
  }

  /** @param asked the answers, and the version that was read before; missing if this supervisor has not asked yet */
  private async lookAtJob(
    address: DocumentAddress,
    range: FeedRange | null,
    asked: { readonly answer: JobAnswer; readonly read: Stored<JobDocument> } | null = null,
  ): Promise<Look> {
    const { askAgents: ask, store } = this.options
    const decide = (
      job: Stored<JobDocument>,
    ): DocumentDecision<JobDocument, JobRecovery | MustAsk<JobDocument>> => {
      const recovery = recoverJob(job, this.policy(), asked?.answer)
      const mustAsk = recovery.kind === 'standing' && asked === null && ask !== undefined
      if (mustAsk) return { write: null, result: { kind: 'mustAsk', read: job } }
      return { write: 'job' in recovery ? recovery.job : null, result: recovery }
    }
    const from = { address, known: asked?.read ?? null, read: readJob }
    const update = await updateDocument(store, from, decide)
    if (update.kind === 'missing') return untouched
    if (update.result.kind === 'mustAsk' && ask !== undefined) {
      const { read } = update.result
      const [agents, steps] = await Promise.all([ask(range), readSteps(store, read)])
      return this.lookAtJob(address, range, { answer: { agents, steps }, read })
    }
    if (update.result.kind === 'mustAsk') return untouched
    if (update.kind === 'written') {
      if (update.result.kind === 'abandoned') await removeStaged(this.options.store, update.document)
      this.reportJob(update.result, update.document)
    }
    return lookOf(update.kind, update.result)
  }

  private reportJob(recovery: JobRecovery, { jobId, workflow, attention }: JobDocument): void {
    const { telemetry } = this.options
    if (recovery.kind === 'abandoned') {
      const reason = 'the submission of the job was never completed, so the supervisor removes the job'
      telemetry.emit({ type: 'document.refused', id: jobDocumentId(jobId), reason })
      return
    }
    telemetry.emit({ type: 'job.recovered', jobId, workflow, wasHeld: recovery.kind === 'standing' })
    if (recovery.kind !== 'unclaimed' || !recovery.isNew || attention === null) return
    const { kind, message, stepId } = attention
    telemetry.emit({ type: 'attention.raised', jobId, workflow, stepId, kind, message })
  }
}
