import {
  isTerminal,
  type Attention,
  type AuditEntry,
  type Compensation,
  type Diagnostic,
  type JobDocument,
  type Json,
  type ProcessState,
  type StepDocument,
} from './documents.js'
import { JobFailed, JobNotFound } from './errors.js'
import type { JobWaiting } from './job-waiting.js'
import type { StateStore } from './state-store.js'

/** A step as people look at it. */
export interface StepView {
  readonly stepId: string
  readonly actor: string
  readonly action: string
  readonly state: ProcessState
  readonly currentState: string
  readonly attempt: number
  readonly failureCount: number
  readonly maxFailures: number
  /** ISO-8601 UTC; null while nothing is under way. */
  readonly completeBy: string | null
  readonly dependsOn: readonly string[]
  readonly output: Json
  readonly attention: Attention | null
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

/** What a finished job came to: each step's output by step id. */
export type JobResult = Readonly<Record<string, Json>>

/** One job of a state container. Every method asks the store anew. */
export class Job {
  constructor(
    private readonly store: StateStore,
    private readonly waiting: JobWaiting,
    private readonly address: { readonly pk: string; readonly id: string },
    /** The job's id. */
    readonly jobId: string,
  ) {}

  /** The value of the partition key that the job and its steps share. */
  get partitionKey(): string {
    return this.address.pk
  }

  /**
   * The job and its steps as they are now.
   *
   * @throws JobNotFound when it is gone
   */
  async view(): Promise<JobView> {
    const job = await this.waiting.read(this.address)
    if (job === null) throw new JobNotFound(this.jobId)
    return viewOf(job, await this.store.listSteps(this.address.pk, this.jobId))
  }

  /**
   * Resolves when the job has ended well, with every step's output.
   *
   * @throws JobFailed when it ended otherwise
   * @throws JobNotFound when it is gone
   * @throws the signal's reason when `signal` aborts first; the job goes on
   */
  async result(options: { readonly signal?: AbortSignal } = {}): Promise<JobResult> {
    const ended = await this.waiting.until({ ...this.address, jobId: this.jobId }, isTerminal, options.signal)
    if (ended === null) throw new JobNotFound(this.jobId)
    const steps = await this.store.listSteps(this.address.pk, this.jobId)
    if (ended.processState === 'Processed') {
      return Object.fromEntries(steps.map((step) => [step.stepId, step.output]))
    }
    const failed = steps.find((step) => step.stepId === ended.attention?.stepId)
    throw new JobFailed(ended, failed?.diagnostics ?? [])
  }
}

function viewOf(job: JobDocument, steps: readonly StepDocument[]): JobView {
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
      return step === undefined ? [] : [stepViewOf(step)]
    }),
  }
}

function stepViewOf(step: StepDocument): StepView {
  const { stepId, actor, action, currentState, attempt, failureCount, maxFailures, completeBy } = step
  const { dependsOn, output, attention, diagnostics } = step
  return {
    stepId,
    actor,
    action,
    state: step.processState,
    currentState,
    attempt,
    failureCount,
    maxFailures,
    completeBy,
    dependsOn,
    output,
    attention,
    diagnostics,
  }
}
