import type { JobDocument } from '../model/documents.js'

/** Who decides about a job, and where it is. */
export interface CommandOptions {
  /** Kept on the job with the decision. Default `'operator'`. */
  readonly by?: string
  /** The job's partition key value, where it is known and not the job's id: saves a query. */
  readonly partitionKey?: string
  /** Only finds out whether it can be done: resolves or throws as it would, and writes nothing. Default false. */
  readonly dryRun?: boolean
}

/** Which step of a job is released. */
export interface ReleaseOptions extends CommandOptions {
  /** Kept on the job with the decision. */
  readonly why?: string
  readonly step?: string
}

/** Who has notices sent again. */
export interface ResendOptions extends Pick<CommandOptions, 'dryRun'> {
  /** Kept on each notice. Default `'operator'`. */
  readonly by?: string
  /** Kept on each notice. */
  readonly why?: string
}

/** Which failed step is tried again, and with what. */
export interface ResubmitOptions extends CommandOptions {
  readonly by: string
  /** Kept on the job with the decision. */
  readonly why: string
  readonly step?: string
  /** Replaces the step's input; JSON. */
  readonly input?: unknown
}

/** A row of a list of jobs. */
export interface JobSummary {
  readonly jobId: string
  readonly orderId: string
  readonly partitionKey: string
  readonly workflow: string
  readonly state: JobDocument['processState']
  /** ISO-8601 UTC. */
  readonly submittedAt: string
  readonly endedAt: string | null
  readonly stepsDone: number
  readonly stepCount: number
  readonly attention: JobDocument['attention']
}
