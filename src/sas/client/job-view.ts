import { mayHaveActed } from '../decisions/claim.js'
import { decisionsOf, triageOf } from '../decisions/operator/triage.js'
import type {
  Attention,
  AuditEntry,
  Compensation,
  Diagnostic,
  JobDocument,
  JobPause,
  Json,
  LedgerEntry,
  ProcessState,
  StepDocument,
} from '../model/documents.js'
import type { Progress, RestartedAs, RestartOf, Triage } from '../model/readable-parts.js'
import { tagsByName } from '../model/tags.js'
import { resultOf } from '../decisions/continue-or-end-job.js'
import { isWaitingAtLimit } from '../gates/place-ahead.js'
import { payloadsOf } from '../waiting/collect-event.js'
import { failuresOf, isBetweenTries, isHeldInPause, isLeftBehind, workOf } from '../model/work.js'
import type { Interval } from '../waiting/interval.js'
import { intervalsOf } from '../waiting/step-intervals.js'
import { pauseOf } from './call-arguments.js'
import { asOpenQuestion, type OpenQuestion } from './questions.js'
import { whyNotFurther, type Moment } from './why-not-further.js'

/** The event of a step, or the answer of a person to its question. */
export interface Raised {
  readonly payload: Json
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by?: string | undefined
  readonly note?: string | undefined
  /** When the question was put that this answers. ISO-8601 UTC. */
  readonly askedAt?: string | undefined
}

/** A step as shown to people. */
export interface StepView {
  readonly stepId: string
  readonly actor: string
  readonly action: string
  /** The agent whose answer the step needs: that of its operation or, once the undo has begun, that of the undo. */
  readonly agent: string
  /**
   * `Skipped` if the step's condition did not hold, or if the step needs an output that does not exist.
   * `Failed`, `TimedOut` or `Refused` if the job went on without the step (`onExhausted: 'continue'`).
   */
  readonly state: ProcessState | 'Skipped' | 'Failed' | 'TimedOut' | 'Refused'
  readonly currentState: string
  /** The number of the newest attempt, or 0. A step that waits at a limit or in a pause has not begun another. */
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
  /** The open question of the step, or null. A step that `asks` may have put none yet. */
  readonly question: OpenQuestion | null
  /** The event that was raised for the step, or the answer to its question, or null. */
  readonly event: Raised | null
  /** How far the present attempt is and since when, as its handler said, or null. */
  readonly progress: (Progress & { readonly at: string }) | null
  /**
   * The failed attempts of the step or, once its undo has begun, of the undo. A failure counts as soon as it is
   * reported.
   */
  readonly failureCount: number
  readonly maxFailures: number
  /**
   * ISO-8601 UTC. Null if the step has no deadline, while it waits at a limit, and in the pause after a
   * failed attempt.
   */
  readonly completeBy: string | null
  /**
   * The beginning of the first attempt or, for a step without an agent, of its wait. ISO-8601 UTC. Null before. If
   * the documents do not record it, the time at which the step could begin.
   */
  readonly startedAt: string | null
  /** The end of the newest attempt of a step that is over. ISO-8601 UTC. Otherwise null. */
  readonly endedAt: string | null
  /** The time of the last write of the step by the store's clock, to the second. ISO-8601 UTC, or null if unknown. */
  readonly changedAt: string | null
  /** The earliest next attempt, ISO-8601 UTC, or null. */
  readonly notBefore: string | null
  readonly dependsOn: readonly string[]
  /** The resolved input of the operation or, once the undo has begun, of the undo. Null before. */
  readonly input: Json
  readonly output: Json
  /** What needs an operator. Null if the job went on without the step. */
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
  /** The time of the last write of the job by the store's clock, to the second. ISO-8601 UTC, or null if unknown. */
  readonly changedAt: string | null
  readonly attention: Attention | null
  /** What operators have said about the problem of the job, or null. */
  readonly triage: Triage | null
  /** Contains the reason, and whether the job restarts. Null until the job begins to undo its steps. */
  readonly compensation: Compensation | null
  readonly generation: number
  /** Null if the job is not paused. */
  readonly paused: JobPause | null
  /** The job that this job was restarted as, or null. That job now owns what this job had done. */
  readonly restartedAs: RestartedAs | null
  /** The job of which this job is the restart, or null. */
  readonly restartOf: RestartOf | null
  /** What the workflow returned, if the job has ended as Processed. Otherwise null. */
  readonly result: Json
  readonly input: Json
  /** The tags of the job by name, each as text. */
  readonly tags: Readonly<Record<string, string>>
  /** The newest decisions of operators, oldest first. */
  readonly audit: readonly AuditEntry[]
  /** The steps in the order of the workflow. */
  readonly steps: readonly StepView[]
}

export function viewOf(job: JobDocument, steps: readonly StepDocument[], moment: Moment): JobView {
  const intervals = intervalsOf(job, steps, moment.now)
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  return {
    jobId: job.jobId,
    orderId: job.orderId,
    partitionKey: job.pk,
    workflow: job.workflow,
    workflowVersion: job.workflowVersion,
    state: job.processState,
    why: whyNotFurther(job, steps, moment),
    lockedBy: job.lockedBy,
    submittedAt: job.submittedAt,
    endedAt: job.endedAt,
    changedAt: changedAtOf(job),
    attention: job.attention,
    triage: triageOf(job),
    compensation: job.compensation,
    generation: job.generation,
    paused: pauseOf(job),
    restartedAs: job.restartedAs ?? null,
    restartOf: job.restartOf ?? null,
    result: job.processState === 'Processed' ? (job.result ?? resultOf(job, steps)) : null,
    input: job.input,
    tags: tagsByName(job.tags),
    audit: decisionsOf(job),
    steps: job.stepIds.flatMap((stepId) => {
      const step = byId.get(stepId)
      if (step === undefined) return []
      const own = intervals.filter((interval) => interval.stepId === stepId)
      return [{ ...stepViewOf(step, job.steps[stepId]), ...timesOf(step, own) }]
    }),
  }
}

type Times = Pick<StepView, 'startedAt' | 'endedAt' | 'changedAt'>

/** Returns when a step began and when its newest work ended, as far as its documents tell. */
function timesOf(step: StepDocument, own: readonly Interval[]): Times {
  const { kind, dispatch, processState } = step
  const work = own.filter((interval) => kind !== 'operation' || interval.kind !== 'waiting' || isMoved(step))
  const isOver = processState === 'Processed' || processState === 'Compensated' || processState === 'Error'
  const begun = dispatch === 0 ? [] : work.filter((interval) => interval.kind !== 'paused')
  const last = begun.filter((interval) => interval.kind !== 'operator').at(-1)
  const endedAt = isOver ? (last?.to ?? null) : null
  return { startedAt: begun[0]?.from ?? null, endedAt, changedAt: changedAtOf(step) }
}

/**
 * Checks whether the claim of a step may be later than its beginning. A round has a claim of its own, and a report of
 * progress renews the claim.
 */
function isMoved({ round, progress, direction }: StepDocument): boolean {
  return direction === 'do' && ((round?.number ?? 1) > 1 || progress !== undefined)
}

/** A document that was read from a store has the time of its write. A step that has not begun may have no document. */
function changedAtOf(document: JobDocument | StepDocument): string | null {
  const stamp = '_ts' in document ? document._ts : null
  return typeof stamp === 'number' && stamp > 0 ? new Date(stamp * 1_000).toISOString() : null
}

function stepViewOf(step: StepDocument, entry: LedgerEntry | undefined): Omit<StepView, keyof Times> {
  const isSkipped = entry?.state === 'Skipped'
  const { stepId, actor, action, currentState, maxFailures } = step
  const { dependsOn, attention } = step
  return {
    stepId,
    actor,
    action,
    agent: workOf(step).actor,
    state: isSkipped ? 'Skipped' : isLeftBehind(entry) ? entry.state : step.processState,
    currentState,
    attempt: isWaitingAtLimit(step) || isHeldInPause(step) ? workOf(step).failureCount : step.attempt,
    round: roundOf(step),
    collect: step.collect ?? null,
    asks: step.question !== undefined,
    question: asOpenQuestion(step)[0] ?? null,
    event: step.event,
    progress: step.progress ?? null,
    failureCount: failuresOf(step),
    maxFailures,
    ...momentsOf(step),
    dependsOn,
    input: workOf(step).input,
    output: outputOf(step, entry),
    // The job goes on without a step that is left behind, so the step needs no operator.
    attention: isLeftBehind(entry) ? null : attention,
    mayHaveActed: step.direction === 'do' && step.dispatch > 0 && mayHaveActed(step),
    diagnostics: diagnosticsOf(step, entry),
  }
}

/** Returns the failures of a step. If the job goes on without a step that got no answer, this is a failure too. */
function diagnosticsOf(step: StepDocument, entry: LedgerEntry | undefined): readonly Diagnostic[] {
  const { attention, attempt, diagnostics, outcome } = step
  if (attention === null || outcome !== null || !isLeftBehind(entry)) return diagnostics
  return [...diagnostics, { at: attention.since, by: attention.by, attempt, message: attention.message }]
}

/** Returns the deadline and the earliest next attempt of a step. */
function momentsOf(step: StepDocument): Pick<StepView, 'completeBy' | 'notBefore'> {
  const { asked, completeBy, notBeforeMs, place } = step
  // In the pause after a failed attempt, the stored deadline is the end of the pause.
  if (isBetweenTries(step)) {
    const isLast = failuresOf(step) >= step.maxFailures
    return { completeBy: null, notBefore: isLast ? null : completeBy }
  }
  // At a limit, the stored deadline is the time of the next look at the gate, and only a rate has a known end.
  if (isWaitingAtLimit(step)) return { completeBy: null, notBefore: timeText(place?.reservedMs ?? null) }
  return {
    // Until the last reminder, the deadline of an open question is the time of the next one.
    completeBy: asked ? timeText(asked.expiresAtMs) : completeBy,
    notBefore: timeText(notBeforeMs),
  }
}

function timeText(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
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

/**
 * Returns a step's output. A step that is skipped now may have been done in an earlier generation. A step that
 * collected too few events in time has those that arrived, as later steps see them.
 */
function outputOf(step: StepDocument, entry: LedgerEntry | undefined): Json {
  if (entry?.state === 'Skipped') return null
  return entry?.state === 'TimedOut' ? (payloadsOf(step) ?? step.output) : step.output
}
