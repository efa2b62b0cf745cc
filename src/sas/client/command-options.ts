import type { Duration } from '../../platform/index.js'
import type { Attention, ProcessState } from '../model/documents.js'
import type { Alongside } from '../workflow/workflow.js'

/** The options of a submission, which take precedence over the workflow's own defaults. */
export interface SubmitOptions {
  /** The job's id. Submissions with the same id are one job. Default: the workflow's `jobId`. */
  readonly jobId?: string
  /** The business id in notifications. Default: the job's id. */
  readonly orderId?: string
  /**
   * The partition key value of the job, its steps and the documents alongside. Always pass the same key for
   * the same id, because the same id with another key is another job. Default: the job's id.
   */
  readonly partitionKey?: string
  /** Your documents that are created in the same transaction. Default: the workflow's `alongside`. */
  readonly alongside?: readonly Alongside[]
  /** Jobs with a larger number go first when resources are short. Default 0. */
  readonly priority?: number
  /** The receiver of notifications about the job. Default: no notifications. */
  readonly replyTo?: string
  /** The time within which the job must be done. Afterwards `onExhausted` applies. Default: no limit. */
  readonly completeWithin?: Duration
  /**
   * The time for which the job and its steps are kept after the job has ended as Processed or Compensated. A
   * job in Error is always kept. Default: no limit.
   */
  readonly retainFor?: Duration
}

/** Options of a command on one job. */
export interface CommandOptions {
  /** The name of the operator, kept in the job with the decision. Default `'operator'`. */
  readonly by?: string
  /** The job's partition key value, if it differs from the job's id. Passing it saves a query. */
  readonly partitionKey?: string
  /**
   * Only checks the command, and writes nothing. The call resolves or throws as the command would. Default
   * false.
   */
  readonly dryRun?: boolean
}

/** Options of the command that releases steps. */
export interface ReleaseOptions extends CommandOptions {
  /** The reason, kept in the job with the decision. */
  readonly why?: string
  readonly step?: string
}

/** Options of the command that sends notices again. */
export interface ResendOptions extends Pick<CommandOptions, 'dryRun'> {
  /** The name of the operator, kept in each notice. Default `'operator'`. */
  readonly by?: string
  /** The reason, kept in each notice. */
  readonly why?: string
}

/** Options of the command that tries failed steps again. */
export interface ResubmitOptions extends CommandOptions {
  readonly by: string
  /** The reason, kept in the job with the decision. */
  readonly why: string
  readonly step?: string
  /** A new input for the step, which replaces the present input. It must be JSON. */
  readonly input?: unknown
}

/** A row of a list of jobs. */
export interface JobSummary {
  readonly jobId: string
  readonly orderId: string
  readonly partitionKey: string
  readonly workflow: string
  readonly state: ProcessState
  /** ISO-8601 UTC. */
  readonly submittedAt: string
  readonly endedAt: string | null
  /**
   * The number of steps that are done or skipped. If the undo of a step has begun, the step counts until the
   * undo succeeds, because it may have had an effect.
   */
  readonly stepsDone: number
  readonly stepCount: number
  /** Null if the job needs no operator. */
  readonly attention: Attention | null
}
