/**
 * The state of a job or a step. `Error` stays until an operator decides. `Compensated` means that everything
 * that was done is undone.
 */
export type ProcessState = 'Pending' | 'Processing' | 'Processed' | 'Error' | 'Compensating' | 'Compensated'

/**
 * The reason why an operator should look at a job or a step. It stays until its cause is gone. `error`,
 * `corrupt` and `compensationFailed` end the work until an operator decides. A `parked` step waits for an
 * operator, and one in `extendedWait` for time. `unclaimed` work is offered again until an instance takes it.
 */
export interface Attention {
  readonly kind: 'error' | 'corrupt' | 'compensationFailed' | 'parked' | 'extendedWait' | 'unclaimed'
  /** ISO-8601 UTC. */
  readonly since: string
  /** The instance that raised it. */
  readonly by: string
  readonly message: string
  /** Null if it concerns the whole job. */
  readonly stepId: string | null
}

/** The reason why a job undoes its steps. */
export interface Compensation {
  /** ISO-8601 UTC. */
  readonly since: string
  readonly by: string
  readonly reason: string
  /** Whether the job begins again, a generation later, when everything is undone. */
  readonly thenRetry: boolean
}

/** A decision of an operator about a job. */
export interface AuditEntry {
  readonly command: 'resubmit' | 'release' | 'cancel'
  /** Null if it concerns the whole job. */
  readonly stepId: string | null
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly why: string
}

/** The report of an instance about an attempt without success. */
export interface Diagnostic {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly attempt: number
  readonly message: string
}
