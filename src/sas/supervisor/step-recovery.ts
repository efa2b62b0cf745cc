import type { FeedRange } from '../../../lease-store/index.js'
import type { AgentsKnown } from '../waiting/agents-position.js'
import { withoutUndefined } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { mayWait } from '../decisions/claim.js'
import { recoverStep, retireStep, type Recovery, type RecoveryPolicy } from '../decisions/recover-step.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { StepDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import { isLeftToJob } from '../model/work.js'
import type { DocumentAddress, StateStore, Stored } from '../store/state-store.js'
import { readJob, readStep, updateDocument, type DocumentDecision } from '../store/update-document.js'
import { lookOf, untouched, type AskAgents, type Look, type StepDecision } from './look.js'

export interface StepRecoveryOptions {
  readonly store: StateStore
  readonly telemetry: Telemetry
  readonly policy: () => RecoveryPolicy
  readonly askAgents?: AskAgents
}

/** What the supervisor already knows for the decision about a step. */
interface Known {
  readonly isJobAlive?: boolean
  /** Missing if the supervisor has not asked. It asks only if an attempt that may not have begun would be over. */
  readonly agents?: AgentsKnown | undefined
  /** The version that was read, if this is not the first decision. */
  readonly read?: Stored<StepDocument>
}

/** Recovers single steps. {@link recoverStep} decides about the version that was just read. */
export class StepRecovery {
  constructor(private readonly options: StepRecoveryOptions) {}

  /**
   * Looks at a step that may be overdue, and writes its recovery.
   *
   * @param range the feed range of the step, or null if it is unknown
   */
  async look(address: DocumentAddress, range: FeedRange | null, known: Known = {}): Promise<Look> {
    const { askAgents: ask, policy } = this.options
    const { isJobAlive = false, agents, read = null } = known
    const decide = (step: Stored<StepDocument>): DocumentDecision<StepDocument, StepDecision> => {
      const recovery = recoverStep(step, { ...policy(), ...withoutUndefined({ agents }) })
      const isOver =
        recovery.kind === 'retry' || recovery.kind === 'exhausted' || recovery.kind === 'unclaimed'
      if (isOver && mayWait(step) && agents === undefined && ask !== undefined)
        return { write: null, result: { kind: 'mustAsk', read: step } }
      const isInDoubt = recovery.kind === 'unclaimed' && !isJobAlive
      if (isInDoubt) return { write: null, result: { kind: 'inDoubt', step } }
      return { write: 'step' in recovery ? recovery.step : null, result: recovery }
    }
    const from = { address, known: read, read: readStep }
    const update = await updateDocument(this.options.store, from, decide)
    if (update.kind === 'missing') return untouched
    const { result } = update
    if (result.kind === 'mustAsk')
      return this.look(address, range, { ...known, agents: await ask?.(range), read: result.read })
    if (result.kind === 'inDoubt') {
      return (await this.hasLivingJob(result.step))
        ? this.look(address, range, { ...known, isJobAlive: true })
        : this.putToRest(address, known)
    }
    if (update.kind === 'written') this.report(result, update.document)
    if (result.kind === 'inLine' && read !== null) agents?.start(read)
    return lookOf(update.kind, result)
  }

  private async hasLivingJob({ pk, jobId }: StepDocument): Promise<boolean> {
    const job = await readJob(this.options.store, { pk, id: jobDocumentId(jobId) })
    return job !== null && !isTerminal(job)
  }

  private async putToRest(address: DocumentAddress, { agents }: Known): Promise<Look> {
    const { store, telemetry } = this.options
    const from = { address, known: null, read: readStep }
    const update = await updateDocument(store, from, (step) => {
      const policy = { ...this.options.policy(), ...withoutUndefined({ agents }) }
      const isStillUp = recoverStep(step, policy).kind === 'unclaimed'
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
