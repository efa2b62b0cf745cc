import { isOpen } from '../decisions/settle.js'
import type { Gatekeeper } from '../gates/gatekeeper.js'
import { Visits } from '../gates/visits.js'
import type { EndedAttempt, SettledAttempt } from '../in-process/in-process-path.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { StepDocument } from '../model/documents.js'
import { etagOfPlanned } from '../model/planned/planned-steps.js'
import { isTerminal } from '../model/process-state.js'
import type { Stored } from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { noneSeen } from './memory/changed-jobs.js'
import { decideJob, type DecidingBy } from './decide-job.js'
import type { JobWriter, Applied, Written } from './job-writer.js'
import { leavingGates, type Leaves } from './leave-gates.js'
import type { SchedulerOptions } from './scheduler-options.js'

/** The number of tries for one outcome. It is low, because the agents can also write the outcome alone. */
const maxTries = 2

interface ConcludingOptions extends Pick<SchedulerOptions, 'store' | 'clock' | 'instanceName'> {
  readonly writer: JobWriter
  readonly gates: Gatekeeper
  readonly leaves: Leaves
  readonly deciding: DecidingBy
  /** Reports the written changes, and starts the written steps. */
  readonly followUp: (
    decision: Written,
    applied: Applied,
    leaseToken: string,
    beginLeaves: () => void,
  ) => void
}

/** Writes the outcomes of attempts together with what follows from them. */
export class ConcludingAttempts {
  constructor(private readonly options: ConcludingOptions) {}

  /**
   * Writes an outcome and its consequences in one transaction, if every etag is unchanged. Returns null if no scheduler drives
   * the job, or if nothing follows from the outcome.
   */
  async conclude({ step, decide }: EndedAttempt, leaseToken: string): Promise<SettledAttempt | null> {
    const { clock, gates, leaves, writer, deciding, followUp } = this.options
    const { known, board } = deciding
    const unclear = new UnclearWrites(`job ${step.jobId}`)
    const visits = new Visits(gates, this.options)
    for (let tries = 0; tries < maxTries; tries += 1) {
      const seen = noneSeen()
      const job = await known.job({ pk: step.pk, id: jobDocumentId(step.jobId) }, seen)
      // A job of another scheduler is taken over, as when the feed delivers it: this scheduler owns its range now. A
      // job that the supervisor or an operator has freed must be checked as a whole.
      if (job === null || isTerminal(job) || job.lockedBy === null) return null
      if (tries > 0) await known.ensureStep(job, step.stepId, seen)
      const remembered = known.step(job, step.stepId)
      const before = tries === 0 ? newestOf(step, remembered) : remembered
      if (before === undefined) return null
      const { write: after, result: discarded } = decide(before)
      if (after === null) return { written: null, discarded, followUp: () => undefined }
      const settled = { before, after }
      const pauses = await board.current()
      const decision = await decideJob(job, { seen, visits, settled, pauses, leaseToken }, deciding)
      if (decision.kind === 'nothing' || decision.kind === 'unreadable') return null
      const leaving = await visits.leave(leavingGates(job, decision, { known, settled }))
      // The decision may have read steps and limits, which takes time. After the deadline no outcome counts (I3).
      const late = isOpen(before, clock.now()) ? null : decide(before)
      if (late?.write === null) return { written: null, discarded: late.result, followUp: () => undefined }
      if (decision.kind === 'write') {
        const writing = { unclear, settled, gates: visits.changes(), leaseToken, pauses }
        const applied = await writer.write(job, decision, writing)
        if (applied !== null) {
          const beginLeaves = leaves.add(leaving)
          const goOn = (): void => followUp(decision, applied, leaseToken, beginLeaves)
          return { written: after, discarded, followUp: goOn, isInJob: applied.isDoneInJob === true }
        }
      }
      visits.again()
      known.forget(job)
    }
    return null
  }
}

/**
 * Returns the newer version of a step. That of the agents may be newer, because their feed was ahead of this one or they have claimed
 * the step. A fence never decreases (I22). A step that was only in its job may have its document by now.
 */
function newestOf(
  step: Stored<StepDocument>,
  remembered: Stored<StepDocument> | undefined,
): Stored<StepDocument> {
  if (remembered === undefined) return step
  return step._etag === etagOfPlanned || remembered.fence > step.fence ? remembered : step
}
