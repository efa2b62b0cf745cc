import type { Attention, Diagnostic, JobDocument, ProcessState } from './documents.js'

/**
 * The store could not be reached, refused a request temporarily, or did not report whether it made a write.
 * The error is also thrown if other writers changed a document first in every try. A retry may succeed.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly code = 'STORE_UNAVAILABLE'
  readonly retriable = true
  constructor(message: string, options: { readonly cause: unknown; readonly retryAfterMs?: number }) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? null
  }
  /** The number of milliseconds that the caller must wait before a retry, or null. */
  readonly retryAfterMs: number | null
}

/** The store refused permanently, because of a wrong key, a missing container or a missing permission. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
  readonly code = 'STORE_REFUSED'
  readonly retriable = false
}

/** The id belongs to a job with another payload, or to an existing document of the user. */
export class JobConflict extends Error {
  override readonly name = 'JobConflict'
  readonly code = 'JOB_CONFLICT'
  readonly retriable = false
  constructor(
    readonly jobId: string,
    message: string,
  ) {
    super(message)
  }
}

/** No schedule has this id. */
export class ScheduleNotFound extends Error {
  override readonly name = 'ScheduleNotFound'
  readonly code = 'SCHEDULE_NOT_FOUND'
  readonly retriable = false
  constructor(readonly scheduleId: string) {
    super(`there is no schedule ${JSON.stringify(scheduleId)}`)
  }
}

/** The submission can never be accepted. Nothing was written. */
export class SubmissionInvalid extends Error {
  override readonly name = 'SubmissionInvalid'
  readonly code = 'SUBMISSION_INVALID'
  readonly retriable = false
}

/** An argument of a call about a job is invalid, so the call can never succeed. Nothing was written. */
export class CommandInvalid extends Error {
  override readonly name = 'CommandInvalid'
  readonly code = 'COMMAND_INVALID'
  readonly retriable = false
}

/**
 * A document was not written, because no instance could have read it. The cause is a mistake in this package,
 * or a plan that other code made. No part of the document's transaction was written.
 */
export class DocumentInvalid extends Error {
  override readonly name = 'DocumentInvalid'
  readonly code = 'DOCUMENT_INVALID'
  readonly retriable = false
  constructor(
    readonly documentId: string,
    /** The unreadable field and its problem. */
    readonly reason: string,
  ) {
    super(
      `document ${JSON.stringify(documentId)} could not be read again: ${reason}; its ` +
        'transaction was not written',
    )
  }
}

/**
 * The job's document cannot be read, because a person edited it, or because a newer version of this package
 * wrote it.
 */
export class JobUnreadable extends Error {
  override readonly name = 'JobUnreadable'
  readonly code = 'JOB_UNREADABLE'
  readonly retriable = false
  constructor(
    readonly jobId: string,
    readonly documentId: string,
    /** The unreadable field and its problem, or the version that wrote the document. */
    readonly reason: string,
  ) {
    super(
      `job ${JSON.stringify(jobId)}: its document ${JSON.stringify(documentId)} cannot be read: ${reason}`,
    )
  }
}

/** No job has this id. */
export class JobNotFound extends Error {
  override readonly name = 'JobNotFound'
  readonly code = 'JOB_NOT_FOUND'
  readonly retriable = false
  constructor(readonly jobId: string) {
    super(`there is no job ${JSON.stringify(jobId)}`)
  }
}

/** The job has no step with this id. Nothing was written. */
export class StepNotFound extends Error {
  override readonly name = 'StepNotFound'
  readonly code = 'STEP_NOT_FOUND'
  readonly retriable = false
  constructor(
    readonly jobId: string,
    readonly step: string,
    /** The steps about which the call could have been. */
    readonly advice: string,
  ) {
    super(`job ${JSON.stringify(jobId)} has no step ${JSON.stringify(step)}; ${advice}`)
  }
}

/** The current state of the job or the limit does not allow the operator's command. Nothing was written. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
  readonly code = 'COMMAND_REFUSED'
  readonly retriable = false
  constructor(
    readonly jobId: string,
    readonly reason: string,
  ) {
    super(reason)
  }
}

/** The job ended without success. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly code = 'JOB_FAILED'
  readonly retriable = false
  readonly jobId: string
  readonly state: ProcessState
  readonly attention: Attention | null
  /** The last report of the failed step, or the reason why the job was undone. */
  readonly error: string
  /** @internal */
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

  /** The id of the failed step, or null. */
  get step(): string | null {
    return this.attention?.stepId ?? null
  }
}

/** The payload store could not be reached, or refused a request. Nothing was submitted. */
export class PayloadUnavailable extends Error {
  override readonly name = 'PayloadUnavailable'
  readonly code = 'PAYLOAD_UNAVAILABLE'
  readonly retriable = true
}

/** A job has values in a payload store, and this process has none. */
export class PayloadStoreMissing extends Error {
  override readonly name = 'PayloadStoreMissing'
  readonly code = 'PAYLOAD_STORE_MISSING'
  readonly retriable = false
  constructor(readonly jobId: string) {
    super(
      `job ${JSON.stringify(jobId)} has values in a payload store, and this process has none: give this ` +
        'process the option payloads of the other processes, as in payloads: blobStorage({ … })',
    )
  }
}

/** A large value of a job is missing from the payload store, or is not the value that was written. */
export class PayloadDamaged extends Error {
  override readonly name = 'PayloadDamaged'
  readonly code = 'PAYLOAD_DAMAGED'
  readonly retriable = false
  constructor(
    readonly jobId: string,
    readonly payloadId: string,
    readonly reason: string,
  ) {
    const advice =
      'check that all processes use the same payload store, or restore the payload from a back-up'
    super(`payload ${payloadId} of job ${JSON.stringify(jobId)} cannot be used: ${reason}; ${advice}`)
  }
}

/** The error for an invalid definition, with every problem. */
export class WorkflowInvalid extends Error {
  override readonly name = 'WorkflowInvalid'
  readonly code = 'WORKFLOW_INVALID'
  readonly retriable = false
  constructor(
    workflow: string,
    readonly problems: readonly string[],
  ) {
    super(`workflow ${JSON.stringify(workflow)}: ${problems.join('; ')}`)
  }
}
