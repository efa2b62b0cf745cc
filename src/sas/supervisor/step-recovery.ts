import { withoutUndefined } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { mayWait } from '../decisions/claim.js'
import { recoverStep, retireStep, type Recovery, type RecoveryPolicy } from '../decisions/recover-step.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { StepDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import { isLeftToJob } from '../model/work.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { readJob, readStep, updateDocument, type DocumentDecision } from '../store/update-document.js'
import { lookOf, untouched, type Look, type StepDecision } from './look.js'

/** Returns the time of the oldest dispatch whose step may wait for a slot, or null if no step is known to wait. */
export type WaitingSince = () => Promise<number | null>

export interface StepRecoveryOptions {
  readonly store: StateStore
  readonly telemetry: Telemetry
  readonly policy: () => RecoveryPolicy
  readonly waitingSinceMs?: WaitingSince
}

/** What the supervisor already knows for the decision about a step. */
interface Known {
  readonly isJobAlive?: boolean
  /** Missing if the supervisor has not asked. It asks only if the step would lose an attempt. */
  readonly waitingSinceMs?: number | null
}

/** Recovers single steps. {@link recoverStep} decides about the version that was just read. */
export class StepRecovery {
  constructor(private readonly options: StepRecoveryOptions) {}

  /** Looks at a step that may be overdue, and writes its recovery. */
  async look(address: DocumentAddress, known: Known = {}): Promise<Look> {
    const { waitingSinceMs: ask, policy } = this.options
    const { isJobAlive = false, waitingSinceMs } = known
    const decide = (step: StepDocument): DocumentDecision<StepDocument, StepDecision> => {
      const recovery = recoverStep(step, { ...policy(), ...withoutUndefined({ waitingSinceMs }) })
      const isFailed = recovery.kind === 'retry' || recovery.kind === 'exhausted'
      if (isFailed && mayWait(step) && waitingSinceMs === undefined && ask !== undefined)
        return { write: null, result: { kind: 'mustAsk' } }
      const isInDoubt = recovery.kind === 'unclaimed' && !isJobAlive
      if (isInDoubt) return { write: null, result: { kind: 'inDoubt', step } }
      return { write: 'step' in recovery ? recovery.step : null, result: recovery }
    }
    const from = { address, known: null, read: readStep }
    const update = await updateDocument(this.options.store, from, decide)
    if (update.kind === 'missing') return untouched
    const { result } = update
    if (result.kind === 'mustAsk')
      return this.look(address, { ...known, waitingSinceMs: (await ask?.()) ?? null })
    if (result.kind === 'inDoubt') {
      return (await this.hasLivingJob(result.step))
        ? this.look(address, { ...known, isJobAlive: true })
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
      const isStillUp = recoverStep(step, this.options.policy()).kind === 'unclaimed'
      return { write: isStillUp ? retireStep(step) : null, result: null }
    })
    if (update.kind !== 'written') return untouched
    const reason = `job ${update.document.jobId} of this step has ended or is gone`
    telemetry.emit({ type: 'document.refused', id: address.id, reason })
    return { untilMs: null, isRecovered: true }
  }

  private report(recovery: Recovery, step: StepDocument): void {
    if (recovery.kind === 'due') return
    const { telemetry } = this.options
    const { jobId, workflow, stepId, attempt, failureCount } = step
    const about = { jobId, workflow, stepId, attempt }
    if (recovery.kind === 'unclaimed') telemetry.emit({ type: 'step.unclaimed', ...about })
    else if (recovery.kind !== 'reminded') telemetry.emit({ type: 'step.recovered', failureCount, ...about })
    const isFlagged = recovery.kind === 'reminded' || (recovery.kind === 'exhausted' && !isLeftToJob(step))
    if (isFlagged && step.attention !== null) {
      const { kind, message } = step.attention
      telemetry.emit({ type: 'attention.raised', jobId, workflow, stepId, kind, message })
    }
  }
}
