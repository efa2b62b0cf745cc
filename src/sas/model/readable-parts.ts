/**
 * The state of a job or a step. `Error` stays until an operator decides. `Compensated` means that all done
 * work is undone.
 */
export type ProcessState = 'Pending' | 'Processing' | 'Processed' | 'Error' | 'Compensating' | 'Compensated'

/**
 * An event of a job that a notice reports to its `replyTo`. `attention` is a problem that waits for an operator.
 * `finished` is the end of the job, in whichever state.
 */
export type NoticeKind = 'received' | 'started' | 'attention' | 'finished'

/**
 * The reason why an operator should check a job or a step. The reason stays until its cause is gone. `error`,
 * `corrupt` and `compensationFailed` end the work until an operator decides. A `parked` step waits for an
 * operator, and a step in `extendedWait` waits for a time to pass. `unclaimed` work is offered again until an
 * instance takes it. An `unanswered` step waits for people who were reminded, and more people are asked about
 * an `escalated` step.
 */
export interface Attention {
  readonly kind:
    | 'error'
    | 'corrupt'
    | 'compensationFailed'
    | 'parked'
    | 'extendedWait'
    | 'unclaimed'
    | 'unanswered'
    | 'escalated'
  /** ISO-8601 UTC. */
  readonly since: string
  /** The instance that found the reason. */
  readonly by: string
  readonly message: string
  /** The step, if the decision changed exactly one step. Otherwise null. */
  readonly stepId: string | null
}

/** How far an attempt is, as its handler said. */
export interface Progress {
  /** The amount of work that is done. */
  readonly done?: number | undefined
  /** The whole amount of work. */
  readonly of?: number | undefined
  /** At most 200 characters. */
  readonly note?: string | undefined
}

/** The reason why a job undoes its steps. */
export interface Compensation {
  /** ISO-8601 UTC. */
  readonly since: string
  readonly by: string
  readonly reason: string
  /** Whether the job restarts with the next generation when everything is undone. */
  readonly thenRetry: boolean
  /** The steps that a restart has carried over, and that are not undone. Missing: every step is undone. */
  readonly keeps?: readonly string[] | undefined
}

/** The job that a job was restarted as. The steps before `from` and their undo belong to that job now. */
export interface RestartedAs {
  readonly jobId: string
  readonly from: string
  /** The steps that run again in the other job and whose effects here stay, because an operator said so. */
  readonly kept?: readonly string[] | undefined
}

/** The job of which a job is the restart, and the operator who restarted it. */
export interface RestartOf {
  readonly jobId: string
  /** The first step that runs again. */
  readonly from: string
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly why: string
}

/** A part of an input that an operator changed. */
export interface InputChange {
  /** The step whose input was changed. Null for the input of the job. */
  readonly stepId: string | null
  /** The place in the input, for example `input.lines[0].amount`. A long path is cut off. */
  readonly path: string
  /** The value as JSON text. Null if there was no value. A text of more than 100 characters is cut off. */
  readonly before: string | null
  /** The value as JSON text. Null if the value was removed. A text of more than 100 characters is cut off. */
  readonly after: string | null
}

/** The difference between the inputs before and after a decision. */
export interface InputEdit {
  /** The first ten changes. Empty if the new input is the same as the old one. */
  readonly changes: readonly InputChange[]
  /** The number of changes that are not in `changes`. */
  readonly others: number
}

/** A pause of a job: no attempt begins until an operator resumes the job. */
export interface Pause {
  /** ISO-8601 UTC. */
  readonly since: string
  readonly by: string
  readonly why: string
}

/** A pause of a job, and the workflow or agent with which the job was paused. */
export interface JobPause extends Pause {
  /** Missing if an operator has paused the job itself. */
  readonly with?: { readonly kind: 'workflow' | 'agent'; readonly name: string }
}

/**
 * What operators have said about the present problem of a job: who looks after it, what they know, and until when
 * lists of problems hide it. It ends with the problem. An extended wait is the same problem
 * while the step waits for the same reason and no operator acts.
 */
export interface Triage {
  /** The person who looks after the problem, or null. */
  readonly assignee: string | null
  readonly note: string | null
  /** The time until which lists of problems hide the job, ISO-8601 UTC, or null. It may be in the past. */
  readonly snoozedUntil: string | null
  /** The operator who made the newest change. */
  readonly by: string
  /** The time of the newest change, ISO-8601 UTC. */
  readonly at: string
}

/** A decision of an operator about a job. */
export interface AuditEntry {
  readonly command: 'resubmit' | 'release' | 'cancel' | 'pause' | 'resume' | 'restart' | 'migrate' | 'triage'
  /** Null for the whole job. */
  readonly stepId: string | null
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly why: string
  /** Missing if the decision has no new input. */
  readonly edit?: InputEdit | undefined
  /** The id of the job that the job was restarted as. Missing for other commands. */
  readonly as?: string | undefined
}

/** An instance's report about an attempt that did not succeed. */
export interface Diagnostic {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly attempt: number
  readonly message: string
}
