import type { Clock, Random } from '../../../platform/index.js'
import { retry } from '../../../platform/internal.js'
import type { Telemetry } from '../../../telemetry/index.js'
import { isOpen, settle, type Outcome } from '../../decisions/settle.js'
import type { SettledAttempt, InProcessPath } from '../../in-process/in-process-path.js'
import type { StepDocument } from '../../model/documents.js'
import { DocumentInvalid, StoreUnavailable } from '../../model/errors.js'
import { etagOfPlanned } from '../../model/planned/planned-steps.js'
import { isLeftToJob } from '../../model/work.js'
import type { StateStore, Stored } from '../../store/state-store.js'
import { readStepOrPlan } from '../../store/read-steps.js'
import { updateDocument, type DocumentDecision } from '../../store/update-document.js'
import type { AgentsHealth } from '../agents-health.js'
import type { BegunAttempts } from './begun-attempts.js'

export interface OutcomeRecorderOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly inProcessPath?: InProcessPath
  readonly health: AgentsHealth
  readonly begun: Pick<BegunAttempts, 'forget'>
}

interface Recording {
  /** The lease of the step's feed range. Null if the outcome is recorded without the next dispatches. */
  readonly leaseToken: string | null
  /** Aborts when the agents stop and no longer try to write. */
  readonly givingUp: AbortSignal
}

/**
 * Writes the outcome of an attempt on its step. If the scheduler of the same process drives the job, one
 * transaction contains the outcome and the dispatches of the next steps. Otherwise the outcome is written
 * alone, and the feed delivers it to the scheduler.
 */
export class OutcomeRecorder {
  constructor(private readonly options: OutcomeRecorderOptions) {}

  /**
   * Records an outcome. A success whose output cannot be stored becomes a permanent failure, because another
   * call of the handler would not help (F-A18).
   */
  async record(step: Stored<StepDocument>, outcome: Outcome, of: Recording): Promise<() => void> {
    try {
      return await this.write(step, outcome, of)
    } catch (error) {
      if (!(error instanceof DocumentInvalid) || outcome.kind !== 'success') throw error
      const message = `the output cannot be recorded: ${error.message}`
      return this.write(step, { kind: 'permanent', message }, of)
    }
  }

  private async write(
    step: Stored<StepDocument>,
    outcome: Outcome,
    { leaseToken, givingUp }: Recording,
  ): Promise<() => void> {
    const { store, clock, random, inProcessPath, instanceName } = this.options
    const attempt = { number: step.attempt, fence: step.fence, by: instanceName }
    const seen = { isOnlyInJob: false }
    const decide = (current: StepDocument): DocumentDecision<StepDocument, string | null> => {
      const settlement = settle(current, attempt, outcome, { now: clock.now(), random })
      if (settlement.kind === 'write') return { write: settlement.step, result: null }
      // If the reply to a write was lost, the step may already have our own outcome. Then the outcome does
      // not count as discarded.
      const { outcome: found } = current
      const isOurs =
        found?.by === instanceName && found.attempt === attempt.number && current.fence === step.fence
      seen.isOnlyInJob ||= isOurs && '_etag' in current && current._etag === etagOfPlanned
      return { write: null, result: isOurs ? null : settlement.reason }
    }
    const conclude =
      leaseToken === null ? undefined : inProcessPath?.scheduler.at(leaseToken)?.settleAndSchedule
    const recordAlone = async (): Promise<SettledAttempt> => {
      const read = (own: StateStore) => readStepOrPlan(own, step)
      const update = await updateDocument(store, { address: step, known: step, read }, decide)
      return {
        written: update.kind === 'written' ? update.document : null,
        discarded: update.kind === 'missing' ? 'the step is gone' : update.result,
        followUp: nothingFollows,
      }
    }
    const failures: unknown[] = []
    const recordNow = async (): Promise<SettledAttempt> => {
      try {
        return (await conclude?.({ step, decide })) ?? (await recordAlone())
      } catch (error) {
        failures.push(error)
        throw error
      }
    }
    // Every series of tries ends at the step's deadline, because `decide` discards a later outcome.
    const settled = await retry(recordNow, {
      clock,
      random,
      backoff: { minMs: 50, maxMs: 2_000 },
      tries: Number.POSITIVE_INFINITY,
      signal: givingUp,
      isTransient: (error) => error instanceof StoreUnavailable && isOpen(step, clock.now()),
    })
    // The feed does not deliver the end of this attempt, and a later job with the same id uses the same fence.
    if (settled.isInJob === true || seen.isOnlyInJob) this.options.begun.forget(step)
    if (settled.discarded === null) this.options.health.noteRecorded()
    else if (failures.length > 0) this.options.health.noteLost()
    this.report(step, outcome, settled)
    return settled.followUp
  }

  private report(step: StepDocument, outcome: Outcome, { written, discarded }: SettledAttempt): void {
    const { telemetry } = this.options
    const { jobId, workflow, stepId, attempt } = step
    const about = { jobId, workflow, stepId, attempt }
    if (discarded !== null) {
      telemetry.emit({ type: 'outcome.discarded', reason: discarded, ...about })
      return
    }
    const error = outcome.kind === 'success' ? {} : { error: outcome.message }
    telemetry.emit({ type: 'step.settled', outcome: outcome.kind, ...about, ...error })
    if (outcome.kind === 'permanent' && !isLeftToJob(step)) {
      const raised = { kind: written?.attention?.kind ?? 'error', message: outcome.message }
      telemetry.emit({ type: 'attention.raised', ...raised, jobId, workflow, stepId })
    }
  }
}

export function nothingFollows(): void {
  // The feed delivers the outcome to the scheduler, which then continues the job.
}
