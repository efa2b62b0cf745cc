import type { Attention, ProcessState } from '../model/documents.js'

/** Options of a command on one job. */
export interface CommandOptions {
  /** The name of the operator, kept on the job with the decision. Default `'operator'`. */
  readonly by?: string
  /** The job's partition key value, if it differs from the job's id. Saves a query. */
  readonly partitionKey?: string
  /** Checks the command and writes nothing: resolves or throws as the command itself would. Default false. */
  readonly dryRun?: boolean
}

/** Options of releasing a step. */
export interface ReleaseOptions extends CommandOptions {
  /** Kept on the job with the decision. */
  readonly why?: string
  readonly step?: string
}

/** Options of sending notices again. */
export interface ResendOptions extends Pick<CommandOptions, 'dryRun'> {
  /** Kept on each notice. Default `'operator'`. */
  readonly by?: string
  /** Kept on each notice. */
  readonly why?: string
}

/** Options of trying a failed step again. */
export interface ResubmitOptions extends CommandOptions {
  readonly by: string
  /** Kept on the job with the decision. */
  readonly why: string
  readonly step?: string
  /** Replaces the step's input. Must be JSON. */
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
  readonly stepsDone: number
  readonly stepCount: number
  /** Null if no operator needs to look. */
  readonly attention: Attention | null
}
