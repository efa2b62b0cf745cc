import { mayHaveActed } from '../decisions/claim.js'
import type {
  Attention,
  AuditEntry,
  Compensation,
  Diagnostic,
  JobDocument,
  Json,
  LedgerEntry,
  Pause,
  ProcessState,
  StepDocument,
} from '../model/documents.js'
import type { Progress, RestartedAs, RestartOf } from '../model/readable-parts.js'
import { tagsByName } from '../model/tags.js'
import { resultOf } from '../decisions/continue-or-end-job.js'
import { isLeftBehind } from '../decisions/ledger.js'
import { workOf } from '../model/work.js'
import { whyNotFurther } from './why-not-further.js'

/** A step as shown to people. */
export interface StepView {
  readonly stepId: string
  readonly actor: string
  readonly action: string
  /**
   * `Skipped` if the step's condition did not hold, or if the step needs an output that does not exist.
   * `Failed`, `TimedOut` or `Refused` if the job went on without the step (`onExhausted: 'continue'`).
   */
  readonly state: ProcessState | 'Skipped' | 'Failed' | 'TimedOut' | 'Refused'
  readonly currentState: string
  readonly attempt: number
  /** The round that a repeated step has reached, and the last round that it may reach. Otherwise null. */
  readonly round: { readonly number: number; readonly atMost: number } | null
  /** The events that the step collects: how many, and those that have arrived. Otherwise null. */
  readonly collect: {
    readonly count: number
    readonly events: readonly { readonly key: string; readonly payload: Json; readonly at: string }[]
  } | null
  /** Whether the step puts a question to people. */
  readonly asks: boolean
  /** How far the present attempt is and since when, as its handler said, or null. */
  readonly progress: (Progress & { readonly at: string }) | null
  /** The failed attempts of the step or, once its undo has begun, of the undo. */
  readonly failureCount: number
  readonly maxFailures: number
  /** ISO-8601 UTC. Null if the step has no deadline. */
  readonly completeBy: string | null
  readonly dependsOn: readonly string[]
  readonly output: Json
  readonly attention: Attention | null
  /**
   * Whether an attempt with the current idempotency key may have had an effect that has not been undone. A
   * step gets a new key if an operator replaces its input.
   */
  readonly mayHaveActed: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** A job as shown to people. */
export interface JobView {
  readonly jobId: string
  readonly orderId: string
  readonly partitionKey: string
  readonly workflow: string
  readonly workflowVersion: number
  readonly state: ProcessState
  /** One sentence that says why the job has not ended, or how it has ended. */
  readonly why: string
  readonly lockedBy: string | null
  /** ISO-8601 UTC. */
  readonly submittedAt: string
  readonly endedAt: string | null
  readonly attention: Attention | null
  /** Contains the reason, and whether the job restarts. Null until the job begins to undo its steps. */
  readonly compensation: Compensation | null
  readonly generation: number
  /** Null if the job is not paused. */
  readonly paused: Pause | null
  /** The job that this job was restarted as, or null. That job now owns what this job had done. */
  readonly restartedAs: RestartedAs | null
  /** The job of which this job is the restart, or null. */
  readonly restartOf: RestartOf | null
  /** What the workflow returned, if the job has ended as Processed. Otherwise null. */
  readonly result: Json
  /** The tags of the job by name, each as text. */
  readonly tags: Readonly<Record<string, string>>
  /** The newest decisions of operators, oldest first. */
  readonly audit: readonly AuditEntry[]
  /** The steps in the order of the workflow. */
  readonly steps: readonly StepView[]
}

export function viewOf(job: JobDocument, steps: readonly StepDocument[], now: number): JobView {
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  return {
    jobId: job.jobId,
    orderId: job.orderId,
    partitionKey: job.pk,
    workflow: job.workflow,
    workflowVersion: job.workflowVersion,
    state: job.processState,
    why: whyNotFurther(job, steps, now),
    lockedBy: job.lockedBy,
    submittedAt: job.submittedAt,
    endedAt: job.endedAt,
    attention: job.attention,
    compensation: job.compensation,
    generation: job.generation,
    paused: job.paused ?? null,
    restartedAs: job.restartedAs ?? null,
    restartOf: job.restartOf ?? null,
    result: job.processState === 'Processed' ? (job.result ?? resultOf(job, steps)) : null,
    tags: tagsByName(job.tags),
    audit: job.audit,
    steps: job.stepIds.flatMap((stepId) => {
      const step = byId.get(stepId)
      return step === undefined ? [] : [stepViewOf(step, job.steps[stepId])]
    }),
  }
}

function stepViewOf(step: StepDocument, entry: LedgerEntry | undefined): StepView {
  const isSkipped = entry?.state === 'Skipped'
  const { stepId, actor, action, currentState, attempt, maxFailures, completeBy } = step
  const { dependsOn, attention, diagnostics } = step
  return {
    stepId,
    actor,
    action,
    state: isSkipped ? 'Skipped' : isLeftBehind(entry) ? entry.state : step.processState,
    currentState,
    attempt,
    round: roundOf(step),
    collect: step.collect ?? null,
    asks: step.question !== undefined,
    progress: step.progress ?? null,
    failureCount: workOf(step).failureCount,
    maxFailures,
    completeBy,
    dependsOn,
    output: outputOf(step, entry),
    attention,
    mayHaveActed: step.direction === 'do' && step.dispatch > 0 && mayHaveActed(step),
    diagnostics,
  }
}

function roundOf({ repeat, round }: StepDocument): StepView['round'] {
  if (repeat === undefined || round === undefined) return null
  return { number: round.number, atMost: round.first + repeat.atMost - 1 }
}

/** Returns the output of every step, by step id, in the order of the workflow. */
export function outputsOf(job: JobDocument, steps: readonly StepDocument[]): Readonly<Record<string, Json>> {
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  const outputs = job.stepIds.flatMap((stepId) => {
    const step = byId.get(stepId)
    return step === undefined ? [] : [[stepId, outputOf(step, job.steps[stepId])] as const]
  })
  return Object.fromEntries(outputs)
}

/** Returns a step's output. A step that is skipped now may have been done in an earlier generation. */
function outputOf({ output }: StepDocument, entry: LedgerEntry | undefined): Json {
  return entry?.state === 'Skipped' ? null : output
}
