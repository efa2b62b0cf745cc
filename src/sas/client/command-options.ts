import type { Attention, JobPause, ProcessState } from '../model/documents.js'
import type { RestartedAs, Triage } from '../model/readable-parts.js'

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

/** Options of the command that ends a pause. */
export interface ResumeOptions extends CommandOptions {
  /** The reason, kept with the decision. Default `'resumed'`. */
  readonly why?: string
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
  /** What operators have said about the problem of the job, or null. */
  readonly triage: Triage | null
  /** Null if the job is not paused. */
  readonly paused: JobPause | null
  /** The job that this job was restarted as, or null. */
  readonly restartedAs: RestartedAs | null
  /** The tags of the job by name, each as text. */
  readonly tags: Readonly<Record<string, string>>
}

/** Who decides about a schedule, and why. Both are kept in the schedule. */
export interface ScheduleCommandOptions {
  /** The name of the operator. Default `'operator'`. */
  readonly by?: string
  readonly why?: string
}

/** Options of a call that changes the definition of a schedule. */
export interface ScheduleChangeOptions extends ScheduleCommandOptions {
  /** Only checks the change, and writes nothing. Default false. */
  readonly dryRun?: boolean
}
