import type { ChangeFeedContext } from '../../change-feed-processor/index.js'
import { SerialByKey, withinLimit } from '../../platform/internal.js'
import { changedJob, noneSeen, type ChangedJob } from './memory/changed-jobs.js'
import { noteChange, type Noting } from './note-change.js'
import type { StateChange } from '../model/delivered/state-change.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { StepDocument } from '../model/documents.js'
import { begunInJob, etagOfPlanned } from '../model/planned/planned-steps.js'
import { StoreUnavailable } from '../model/errors.js'
import { Gatekeeper } from '../gates/gatekeeper.js'
import { Visits } from '../gates/visits.js'
import { Leaves, leavingGates } from './leave-gates.js'
import { documentAttempts } from './document-attempts.js'
import { decideJob, type DecidingBy } from './decide-job.js'
import { GoingOn } from './going-on.js'
import { JobsAside } from './jobs-aside.js'
import { emitDispatches, emitEnd } from './job-events.js'
import { JobWriter, type Applied, type Written } from './job-writer.js'
import { ConcludingAttempts } from './concluding-attempts.js'
import { KnownJobs } from './memory/known-jobs.js'
import { AttemptsInJobs } from './memory/attempts-in-jobs.js'
import type { SchedulerOptions } from './scheduler-options.js'
import { PostponedWork, type RefusedWork } from './postponed-work.js'
import { isOpen } from '../decisions/settle.js'
import type { SettledAttempt, EndedAttempt } from '../in-process/in-process-path.js'
import type { AcceptedJob } from '../submission/write-submission.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { UnreadableJobs } from '../store/unreadable-jobs.js'

/** The number of tries for one job in one delivery. Each try is a read and a conditional write. */
const maxTries = 6
/** The time after which a stop waits no longer for a store that does not answer. */
const stopWithinMs = 15_000
/** The largest number of jobs that begin at once without the feed. The feed delivers further jobs. */
const maxBeginnings = 200

/** If either property is missing, no work is postponed. */
type DelegateContext = Partial<Pick<ChangeFeedContext, 'leaseToken' | 'holdCheckpoint'>>

/**
 * The delegate of the scheduler unit. It reads every changed job, decides ({@link schedule}) and writes. If
 * another write comes first, the scheduler reads again. Every instance makes the same decision from the same
 * documents.
 */
export class Scheduler {
  /** The documents that this scheduler remembers. */
  readonly known: KnownJobs
  readonly partitions = new SerialByKey()
  private readonly postponed: PostponedWork
  private readonly unreadable: UnreadableJobs
  private readonly writer: JobWriter
  private readonly aside: JobsAside
  readonly gates: Gatekeeper
  private readonly goingOn: GoingOn
  private readonly noting: Noting
  private readonly deciding: DecidingBy
  readonly inJobs: AttemptsInJobs
  private readonly concluding: ConcludingAttempts
  private beginning = 0
  private readonly leaves: Leaves

  constructor(private readonly options: SchedulerOptions) {
    this.known = new KnownJobs(options.store)
    this.noting = { ...options, known: this.known }
    const isHeld = (leaseToken: string) => options.inProcessPath?.scheduler.at(leaseToken) !== undefined
    this.inJobs = new AttemptsInJobs(options.clock, isHeld, (step, leaseToken) =>
      this.giveDocument(step, leaseToken),
    )
    this.writer = new JobWriter(options, this.known, this.inJobs)
    this.postponed = new PostponedWork(options)
    this.unreadable = new UnreadableJobs(options)
    this.gates = new Gatekeeper({ ...options, goOnHere: (visitor) => this.goingOn.enter(visitor) })
    this.goingOn = new GoingOn({
      ...options,
      known: this.known,
      partitions: this.partitions,
      advance: (changed, leaseToken, called) => this.advance(changed, leaseToken, called),
    })
    this.deciding = { ...options, known: this.known, reserved: this.goingOn.reserved, inJobs: this.inJobs }
    this.leaves = new Leaves(this.gates, options.telemetry)
    const { writer, gates, leaves, deciding } = this
    this.concluding = new ConcludingAttempts({
      ...options,
      writer,
      gates,
      leaves,
      deciding,
      followUp: (decision, applied, leaseToken, beginLeaves) =>
        this.followUp(decision, applied, leaseToken, beginLeaves),
    })
    this.aside = new JobsAside(options, this.known, (before, job) => {
      const written = { kind: 'write' as const, job, changed: [], notices: [] }
      this.leaves.add(leavingGates(before, written, { known: this.known }))()
    })
  }

  /**
   * Resolves when every consequence of these changes is written or postponed. Postponed work holds the
   * checkpoint back and is retried outside the feed. Rejects if more work failed than may be postponed.
   */
  async onChanges(
    changes: readonly StateChange[],
    { leaseToken, holdCheckpoint }: DelegateContext = {},
  ): Promise<void> {
    const changed = new Map<string, ChangedJob>()
    for (const change of changes) noteChange(change, changed, this.noting)
    // Requests and dispatches follow this order (R126). Jobs of equal priority keep the feed's order.
    const urgentFirst = [...changed.values()].sort((a, b) => b.priority - a.priority)
    const work = urgentFirst.map((job) => this.tryToAdvance(job, leaseToken ?? null))
    const ended = await Promise.allSettled(work)
    const failed = ended.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const refused = ended.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (holdCheckpoint !== undefined) this.inJobs.holdFor(changes, this.known, holdCheckpoint)
    const [first] = refused
    if (first === undefined) return
    const mayWait = leaseToken !== undefined && holdCheckpoint !== undefined
    if (!mayWait || !this.postponed.take(leaseToken, refused, holdCheckpoint)) throw first.error
  }

  /** Drops postponed work of the lease. The next owner gets the changes again. */
  onLeaseReleased(leaseToken: string): void {
    this.postponed.forgetLease(leaseToken)
    this.goingOn.forgetLease(leaseToken)
    this.inJobs.forgetLease(leaseToken)
    this.options.board.leaseReleased(leaseToken)
  }

  /**
   * Waits for the work that is under way, and then for the leaves that it began, so that no step leaves its place
   * behind at a limit. Call it when no lease is held any more.
   */
  async stop(): Promise<void> {
    await withinLimit(this.options.clock, stopWithinMs, this.leaves.endAll(this.partitions), () => undefined)
    // Work that was under way may have noted times.
    this.goingOn.stop()
    this.inJobs.stop()
  }

  /** Begins a job accepted in this process (W1). Returns false if the feed must deliver the job. */
  async begin(accepted: AcceptedJob, leaseToken: string): Promise<boolean> {
    if (accepted.isBegun) {
      this.known.putAccepted(accepted)
      const { job, physicalRangeId } = accepted
      const inJob = begunInJob(job)
      for (const step of inJob) this.inJobs.written(step)
      const steps = [...inJob, ...accepted.steps]
      this.followUp({ job, changed: steps }, { ended: null, steps, physicalRangeId }, leaseToken)
      return true
    }
    if (this.beginning >= maxBeginnings) return false
    this.known.putAccepted(accepted)
    this.beginning += 1
    try {
      const refused = await this.tryToAdvance(changedJob(accepted.job, new Map()), leaseToken)
      return refused.length === 0
    } catch {
      return false
    } finally {
      this.beginning -= 1
    }
  }

  /**
   * Writes the outcome of an attempt (W3, W8) and its consequences (W4, W5, W7, W9) in one transaction, if
   * every etag is unchanged. Returns null if no scheduler drives the job, or if nothing follows from the outcome. Then
   * the agents write only the outcome.
   *
   * @throws StoreUnavailable if the store could not be reached
   */
  async settleAndSchedule(ended: EndedAttempt, leaseToken: string): Promise<SettledAttempt | null> {
    try {
      // This work runs before waiting changes, because an outcome has a deadline.
      return await this.partitions.runSoon(ended.step.pk, () => this.concluding.conclude(ended, leaseToken))
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      // The outcome counts even if no decision about the job is possible. The feed will deliver the job.
      return null
    }
  }

  /** Advances a job, unless work of its partition waits already. Returns the work to do later. */
  private async tryToAdvance(job: ChangedJob, leaseToken: string | null): Promise<readonly RefusedWork[]> {
    const { pk } = job
    const again = (): Promise<void> => this.partitions.run(pk, () => this.advanceOrSetAside(job, leaseToken))
    const refusal = leaseToken === null ? null : this.postponed.refusalOf(leaseToken, pk)
    if (refusal !== null) return [{ pk, error: refusal, again }]
    try {
      await again()
      return []
    } catch (error) {
      if (error instanceof StoreUnavailable) return [{ pk, error, again }]
      throw error
    }
  }

  /** Sets aside a job if no decision is possible, so that other jobs continue (F-C9, F-C13, F-Q15). */
  private async advanceOrSetAside(changed: ChangedJob, leaseToken: string | null): Promise<void> {
    try {
      await this.advance(changed, leaseToken)
    } catch (error) {
      // After a temporary error, or if the job cannot even be flagged, the feed delivers the job again.
      if (error instanceof StoreUnavailable) throw error
      await this.aside.put(changed, { message: String(error), stepId: null })
    }
  }

  private async advance(
    changed: ChangedJob,
    leaseToken: string | null,
    called?: ReadonlySet<string>,
  ): Promise<void> {
    const seen = { ...changed.seen, steps: new Map(changed.seen.steps) }
    let wasUnreadable = false
    const unclear = new UnclearWrites(`job ${changed.jobId}`)
    const visits = new Visits(this.gates, this.options)
    for (let tries = 0; tries < maxTries; tries += 1) {
      const job = await this.known.job(changed, seen)
      if (job === null) return this.unreadable.flag(changed)
      await this.unreadable.clear(changed)
      const pauses = await this.options.board.current()
      const decision = await decideJob(
        job,
        { seen, visits, pauses, leaseToken, ...(called && { called }) },
        this.deciding,
      )
      if (decision.kind === 'nothing') return
      const leaving = await visits.leave(leavingGates(job, decision, { known: this.known }))
      if (decision.kind === 'write') {
        const gates = visits.changes()
        const applied = await this.writer.write(job, decision, { unclear, gates, leaseToken, pauses })
        if (applied !== null) {
          this.followUp(decision, applied, leaseToken, this.leaves.add(leaving))
          if (decision.isOfDocuments !== true) return
          // Perhaps more follows from the job as it is now.
          continue
        }
      }
      visits.again()
      if (decision.kind === 'unreadable') {
        // The job may be gone and only remembered here, so it is read again before it is set aside.
        if (wasUnreadable) return this.aside.put(changed, decision)
        wasUnreadable = true
      }
      // If a step is ahead of the job, only the job is old. After a conflict, each document may be old.
      if (decision.kind === 'stale') this.known.forgetJob(job)
      else this.known.forget(job)
    }
    const message = `job ${changed.jobId}: another writer changed it first in each of ${maxTries} tries; it will be delivered again`
    throw new StoreUnavailable(message, { cause: null })
  }

  /** Gives documents to the steps whose attempts only their jobs have, before the lease of a role is released. */
  documentAttempts(leaseToken: string): Promise<void> {
    return documentAttempts(this.inJobs, leaseToken, this.options)
  }

  /** Writes the document of a step whose attempt is only in its job. */
  private async giveDocument(
    step: Pick<StepDocument, 'pk' | 'jobId' | 'priority'>,
    leaseToken: string,
  ): Promise<void> {
    // Perhaps the submission was not written.
    const job = await this.known.job({ pk: step.pk, id: jobDocumentId(step.jobId) }, noneSeen())
    if (job === null) return
    const changed = changedJob(step, new Map())
    await this.partitions.run(step.pk, () => this.advanceOrSetAside(changed, leaseToken))
  }

  /** Reports the written changes, and starts the written open steps that this process can start. */
  private followUp(
    decision: Pick<Written, 'job' | 'changed' | 'isOfDocuments'>,
    { ended, steps, physicalRangeId }: Applied,
    leaseToken: string | null,
    beginLeaves: () => void = () => undefined,
  ): void {
    const { inProcessPath, onOpenSteps, onJobEnded, telemetry, clock } = this.options
    emitDispatches(decision, telemetry)
    this.goingOn.note(decision.job, steps, leaseToken)
    beginLeaves()
    if (ended !== null) {
      emitEnd(ended, telemetry)
      onJobEnded?.(ended)
    }
    // The attempts of a job that is undone get documents only so that they can be undone.
    if (decision.isOfDocuments === true && decision.job.compensation !== null) return
    const agents = leaseToken === null ? undefined : inProcessPath?.agents.at(leaseToken)
    const open = steps.filter((step) => step.kind === 'operation' && isOpen(step, clock.now()))
    const left = open.filter((step) => agents?.start(step) !== true)
    for (const step of open) {
      if (step._etag !== etagOfPlanned) continue
      if (left.includes(step)) this.inJobs.giveUp(step)
      else this.inJobs.started(step)
    }
    if (left.length > 0) onOpenSteps?.(physicalRangeId)
  }
}
