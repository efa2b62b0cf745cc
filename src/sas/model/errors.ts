import type { Attention, Diagnostic, JobDocument, ProcessState } from './documents.js'

/** The state container could not be reached, or refused for a while. Nothing was written; trying again may help. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly isRetriable = true
  constructor(message: string, options: { readonly cause: unknown; readonly retryAfterMs?: number }) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? null
  }
  /** How long the store asked us to wait, if it did. */
  readonly retryAfterMs: number | null
}

/** The state container refused for good: a wrong key, a missing container, a missing permission. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
}

/** The id belongs to another submission: a job with another payload, or a document of the user's that exists already. */
export class JobConflict extends Error {
  override readonly name = 'JobConflict'
  constructor(
    readonly jobId: string,
    message: string,
  ) {
    super(message)
  }
}

/** A submission that can never be accepted; nothing was written. */
export class SubmissionInvalid extends Error {
  override readonly name = 'SubmissionInvalid'
}

/** An argument of a call about a job is invalid, so the call can never succeed; nothing was written. */
export class CommandInvalid extends Error {
  override readonly name = 'CommandInvalid'
}

/**
 * A document was not written, because no instance could have read it. The cause is a mistake in this package, or a plan
 * that other code made. Nothing of its transaction was written.
 */
export class DocumentInvalid extends Error {
  override readonly name = 'DocumentInvalid'
  constructor(
    readonly documentId: string,
    /** The field, and what is wrong with it. */
    readonly reason: string,
  ) {
    super(
      `document ${JSON.stringify(documentId)} would not be readable: ${reason}; nothing of its transaction was written`,
    )
  }
}

/** The job exists, but its document cannot be read: it was edited, or a newer version wrote it. */
export class JobUnreadable extends Error {
  override readonly name = 'JobUnreadable'
  constructor(
    readonly jobId: string,
    readonly documentId: string,
    /** The field, and what is wrong with it; or which version wrote it. */
    readonly reason: string,
  ) {
    super(
      `job ${JSON.stringify(jobId)}: its document ${JSON.stringify(documentId)} cannot be read: ${reason}`,
    )
  }
}

/** There is no job with this id. */
export class JobNotFound extends Error {
  override readonly name = 'JobNotFound'
  constructor(readonly jobId: string) {
    super(`there is no job ${JSON.stringify(jobId)}`)
  }
}

/** An operator's command that cannot be carried out as the job stands; nothing was written. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
  constructor(
    readonly jobId: string,
    readonly reason: string,
  ) {
    super(reason)
  }
}

/** A job that ended without success. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly jobId: string
  readonly state: ProcessState
  readonly attention: Attention | null
  /** Why: what the step that failed reported last, or for what reason the job was undone. */
  readonly error: string
  constructor(
    job: Pick<JobDocument, 'jobId' | 'processState' | 'attention' | 'compensation'>,
    readonly diagnostics: readonly Diagnostic[],
  ) {
    const reason = job.attention?.message ?? job.compensation?.reason ?? 'no reason recorded'
    super(`job ${JSON.stringify(job.jobId)} ended ${job.processState}: ${reason}`)
    this.error = reason
    this.jobId = job.jobId
    this.state = job.processState
    this.attention = job.attention
  }

  /** The step that failed, when one did. */
  get step(): string | null {
    return this.attention?.stepId ?? null
  }
}
