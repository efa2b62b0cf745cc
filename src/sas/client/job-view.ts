import { mayHaveActed } from '../decisions/claim.js'
import type {
  Attention,
  AuditEntry,
  Compensation,
  Diagnostic,
  JobDocument,
  Json,
  ProcessState,
  StepDocument,
} from '../model/documents.js'

/** A step as people look at it. */
export interface StepView {
  readonly stepId: string
  readonly actor: string
  readonly action: string
  /** `Skipped` if its condition did not hold, or if it needs the output of a skipped step. */
  readonly state: ProcessState | 'Skipped'
  readonly currentState: string
  readonly attempt: number
  readonly failureCount: number
  readonly maxFailures: number
  /** ISO-8601 UTC; null while nothing is under way. */
  readonly completeBy: string | null
  readonly dependsOn: readonly string[]
  readonly output: Json
  readonly attention: Attention | null
  /** Whether an attempt under its present key may have had an effect that is not undone. Another input gives it a new key. */
  readonly mayHaveActed: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** A job as people look at it. */
export interface JobView {
  readonly jobId: string
  readonly orderId: string
  readonly partitionKey: string
  readonly workflow: string
  readonly workflowVersion: number
  readonly state: ProcessState
  readonly lockedBy: string | null
  /** ISO-8601 UTC. */
  readonly submittedAt: string
  readonly endedAt: string | null
  readonly attention: Attention | null
  /** Set from the moment on at which the job goes backwards: why, and whether it begins again after that. */
  readonly compensation: Compensation | null
  readonly generation: number
  /** The newest decisions of operators, oldest first. */
  readonly audit: readonly AuditEntry[]
  /** In the order of the workflow. */
  readonly steps: readonly StepView[]
}

/** A job and the steps of it that are known, as people look at them. */
export function viewOf(job: JobDocument, steps: readonly StepDocument[]): JobView {
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  return {
    jobId: job.jobId,
    orderId: job.orderId,
    partitionKey: job.pk,
    workflow: job.workflow,
    workflowVersion: job.workflowVersion,
    state: job.processState,
    lockedBy: job.lockedBy,
    submittedAt: job.submittedAt,
    endedAt: job.endedAt,
    attention: job.attention,
    compensation: job.compensation,
    generation: job.generation,
    audit: job.audit,
    steps: job.stepIds.flatMap((stepId) => {
      const step = byId.get(stepId)
      return step === undefined ? [] : [stepViewOf(step, job.steps[stepId]?.state === 'Skipped')]
    }),
  }
}

function stepViewOf(step: StepDocument, isSkipped: boolean): StepView {
  const { stepId, actor, action, currentState, attempt, failureCount, maxFailures, completeBy } = step
  const { dependsOn, attention, diagnostics } = step
  // A step that is left out now may have been done in an earlier generation.
  const output = isSkipped ? null : step.output
  return {
    stepId,
    actor,
    action,
    state: isSkipped ? 'Skipped' : step.processState,
    currentState,
    attempt,
    failureCount,
    maxFailures,
    completeBy,
    dependsOn,
    output,
    attention,
    mayHaveActed: step.direction === 'do' && step.dispatch > 0 && mayHaveActed(step),
    diagnostics,
  }
}
