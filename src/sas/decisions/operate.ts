import type { JobDocument, Json, StepDocument } from '../model/documents.js'
import { betweenStates, deadline, isStaged, withDerivedState } from '../model/process-state.js'
import { takeFitting } from './dispatch.js'
import { inState, withStates } from './ledger.js'
import { pickUpWithinMs } from './recover-job.js'
import { editOf } from '../model/input-edit.js'
import { toTemplate } from '../model/to-template.js'
import { isWaiting } from '../model/work.js'

/** A decision of an operator about a job. */
export type OperatorCommand =
  /** Retries the steps that failed permanently (default: all of them), or restarts a job that was undone. */
  | {
      readonly kind: 'resubmit'
      readonly steps?: readonly { readonly stepId: string; readonly input?: Json }[]
      readonly by: string
      readonly why: string
    }
  /** Immediately continues steps that are parked or in an extended wait. Default: all these steps. */
  | { readonly kind: 'release'; readonly stepId?: string; readonly by: string; readonly why: string }
  /** Stops the job and undoes its steps, except steps that cannot be undone. */
  | { readonly kind: 'cancel'; readonly by: string; readonly why: string }

export type Operation =
  | {
      readonly kind: 'write'
      readonly job: JobDocument
      readonly changed: readonly StepDocument[]
      /** False if one transaction is too small. The command must be repeated to change the other steps. */
      readonly isComplete: boolean
    }
  /** The job's current state does not allow the command, so nothing is written. */
  | { readonly kind: 'refused'; readonly reason: string }

type Resubmission = OperatorCommand & { readonly kind: 'resubmit' }

/** New inputs by step id. */
type Edits = ReadonlyMap<string, Json>

interface Standing {
  readonly job: JobDocument
  readonly steps: ReadonlyMap<string, StepDocument>
  readonly now: number
}

/** The largest number of operators' decisions that a job keeps. */
const maxAuditEntries = 20

/**
 * Writes an operator's command into the job as a request to the scheduler (W10). No other decision changes a
 * terminal document (I7). A command that was completed before is refused (F-O2).
 */
export function operate(standing: Standing, command: OperatorCommand): Operation {
  if (isStaged(standing.job)) return refused(`job ${standing.job.jobId} is still being submitted`)
  switch (command.kind) {
    case 'resubmit':
      return resubmit(standing, command)
    case 'release':
      return release(standing, command)
    case 'cancel':
      return cancel(standing, command)
  }
}

function resubmit(standing: Standing, command: Resubmission): Operation {
  const { job, steps } = standing
  if (job.processState !== 'Error' && job.processState !== 'Compensated') {
    return refused(
      `job ${job.jobId} is ${job.processState}; only a job in Error or Compensated is resubmitted`,
    )
  }
  // The job was set aside without a failure, so it continues from its current state when the obstacle is
  // removed.
  if (job.attention?.kind === 'corrupt') {
    return command.steps === undefined
      ? requested(standing, command, { job, changed: [] })
      : refused(`job ${job.jobId} was set aside as a whole: resubmit it without naming steps`)
  }
  const edits = editsIn(command)
  const gathering = [...steps.values()].filter(({ stepId, kind }) => kind === 'gather' && edits.has(stepId))
  if (gathering.length > 0) return refused(inputOfOthers(gathering))
  const failed = inState(job.steps, job.compensation === null ? 'Error' : 'CompensationFailed')
  if (failed.length > 0) return tryAgain(standing, command, failed)
  // No step failed: the job ran out of time, or it was undone.
  return job.compensation === null ? goOnFrom(standing, command, edits) : startAgain(standing, command, edits)
}

/** Retries the steps that failed permanently, or the undos that failed permanently. */
function tryAgain(standing: Standing, command: Resubmission, failed: readonly string[]): Operation {
  const { job, steps } = standing
  const named = command.steps?.map(({ stepId }) => stepId) ?? failed
  const others = named.filter((stepId) => !failed.includes(stepId))
  if (others.length > 0) return refused(`${list(others)} did not fail; only ${list(failed)} failed`)
  const left = failed.filter((stepId) => !named.includes(stepId))
  if (left.length > 0) return refused(`${list(left)} failed as well: name all failed steps, or none`)
  const edits = editsIn(command)
  const again = [...steps.values()].filter(({ stepId }) => failed.includes(stepId))
  if (job.compensation !== null) {
    return edits.size === 0
      ? undoAgain(standing, command, again)
      : refused('the input of an undo was recorded when its step succeeded and cannot be edited')
  }
  const begun = again.map((step) => resetStep(step, edits))
  const changed = atOnce(begun, job)
  if (edits.size > 0 && changed.length < begun.length) return refused(tooManyEdits(begun))
  // Steps that do not fit into the transaction need no change here, because every step is reset when it
  // begins.
  return requested(standing, command, {
    changed,
    job: { ...job, steps: withStates(job.steps, failed, 'NotStarted'), generation: job.generation + 1 },
  })
}

/**
 * Resets the steps whose undo failed, and then continues the job. If one transaction is too small, the job
 * stays in Error. The operator then repeats the command, which skips the steps that are already reset.
 */
function undoAgain(standing: Standing, command: Resubmission, failed: readonly StepDocument[]): Operation {
  const { job } = standing
  const back = failed.filter(({ processState }) => processState === 'Error').map(withUndoAhead)
  const changed = atOnce(back, job)
  if (changed.length < back.length) {
    return { kind: 'write', job: { ...job, fence: job.fence + 1 }, changed, isComplete: false }
  }
  const steps = withStates(
    job.steps,
    failed.map(({ stepId }) => stepId),
    'Compensating',
  )
  return requested(standing, command, { changed, job: { ...job, steps } })
}

/** Continues a job that ran out of time although no step failed. Done steps stay done. */
function goOnFrom(standing: Standing, command: Resubmission, edits: Edits): Operation {
  const { job, steps } = standing
  const others = [...edits.keys()].filter((stepId) => job.steps[stepId]?.state !== 'NotStarted')
  if (others.length > 0) return refused(`${list(others)} will not run again, so a new input has no effect`)
  const edited = [...steps.values()].filter(({ stepId }) => edits.has(stepId))
  const changed = edited.map((step) => resetStep(step, edits))
  if (atOnce(changed, job).length < changed.length) return refused(tooManyEdits(changed))
  return requested(standing, command, { changed, job: { ...job, generation: job.generation + 1 } })
}

/** Restarts the whole job. Steps that were undone get new keys, and other steps keep their keys (C21, I9). */
function startAgain(standing: Standing, command: Resubmission, edits: Edits): Operation {
  const { job, steps } = standing
  const unknown = [...edits.keys()].filter((stepId) => !steps.has(stepId))
  if (unknown.length > 0) return refused(`there is no ${list(unknown)}`)
  // Steps that have begun to expire must be kept, because their job continues (I18).
  const expiring = [...steps.values()].filter(({ ttl }) => ttl !== -1)
  const changed = [...steps.values()]
    .filter((step) => edits.has(step.stepId) || expiring.includes(step))
    .map((step) => resetStep(step, edits))
  if (atOnce(changed, job).length < changed.length) {
    return refused(expiring.length > 0 ? tooManyExpiring(job, expiring) : tooManyEdits(changed))
  }
  return requested(standing, command, {
    changed,
    job: {
      ...job,
      steps: withStates(job.steps, job.stepIds, 'NotStarted'),
      currentState: job.initialState,
      desiredState: job.targetState,
      compensation: null,
      generation: job.generation + 1,
      maxGenerations: Math.max(job.maxGenerations, job.generation + 1),
    },
  })
}

function editsIn({ steps = [] }: Resubmission): Edits {
  const edited = steps.flatMap(({ stepId, input }) => (input === undefined ? [] : [[stepId, input] as const]))
  return new Map(edited)
}

function inputOfOthers(steps: readonly StepDocument[]): string {
  const stepIds = steps.map(({ stepId }) => stepId)
  return `no input is allowed for ${list(stepIds)}: the input is collected from other steps; resubmit without an input`
}

function release(standing: Standing, command: OperatorCommand & { kind: 'release' }): Operation {
  const { job, steps, now } = standing
  const waiting = [...steps.values()].filter(isWaiting)
  const named = waiting.filter(({ stepId }) => command.stepId === undefined || stepId === command.stepId)
  if (named.length === 0) {
    if (command.stepId === undefined) return refused(`no step of job ${job.jobId} is parked or waiting`)
    const others = list(waiting.map(({ stepId }) => stepId))
    return refused(`step ${command.stepId} of job ${job.jobId} is not parked or waiting; waiting: ${others}`)
  }
  const changed = atOnce(named, job).map((step) =>
    withDerivedState({
      ...step,
      attention: null,
      notBeforeMs: null,
      failureCount: 0,
      fence: step.fence + 1,
      ...deadline(now + step.completeWithinMs),
    }),
  )
  return requested(standing, command, { job, changed, isComplete: changed.length === named.length })
}

function cancel(standing: Standing, command: OperatorCommand & { kind: 'cancel' }): Operation {
  const { job, now } = standing
  if (job.processState === 'Processed' || job.processState === 'Compensated') {
    return refused(`job ${job.jobId} is ${job.processState}: it has ended, and there is nothing to stop`)
  }
  // A job that is being undone before a new generation may still be cancelled.
  if (job.compensation?.thenRetry === false) {
    return refused(`job ${job.jobId} is already being undone (${job.compensation.reason})`)
  }
  const since = new Date(now).toISOString()
  return requested(standing, command, {
    changed: [],
    job: {
      ...job,
      currentState: betweenStates,
      desiredState: job.initialState,
      compensation: { since, by: command.by, reason: `cancelled: ${command.why}`, thenRetry: false },
    },
  })
}

type Request = Partial<Operation & { kind: 'write' }> & Pick<Operation & { kind: 'write' }, 'job' | 'changed'>

/** Returns the write of the job with the recorded decision, ready for a scheduler. */
function requested(
  { now, steps }: Standing,
  command: OperatorCommand,
  { job, changed, isComplete = true }: Request,
): Operation {
  const [first, ...others] = changed
  const entry: JobDocument['audit'][number] = {
    command: command.kind,
    stepId: others.length === 0 ? (first?.stepId ?? null) : null,
    at: new Date(now).toISOString(),
    by: command.by,
    why: command.why,
    ...(command.kind === 'resubmit' ? editOf(steps, editsIn(command)) : {}),
  }
  const up = {
    ...job,
    audit: [...job.audit, entry].slice(-maxAuditEntries),
    operatedAtMs: now,
    attention: null,
    lockedBy: null,
    fence: job.fence + 1,
    endByMs: null,
    endedAt: null,
    endedAtMs: null,
    ttl: -1,
    ...deadline(now + pickUpWithinMs),
  }
  return { kind: 'write', job: withDerivedState(up), changed, isComplete }
}

function resetStep(step: StepDocument, edits: Edits): StepDocument {
  const input = edits.get(step.stepId)
  // `direction` stays `undo` until the step begins, so that an undone step then gets a new key.
  return withDerivedState({
    ...step,
    currentState: step.initialState,
    desiredState: step.initialState,
    lockedBy: null,
    fence: step.fence + 1,
    attention: null,
    inputTemplate: input === undefined ? step.inputTemplate : toTemplate(input, 'input'),
    ttl: -1,
  })
}

function withUndoAhead(step: StepDocument): StepDocument {
  const undo = step.undo && { ...step.undo, failureCount: 0 }
  return withDerivedState({ ...step, undo, lockedBy: null, fence: step.fence + 1, attention: null, ttl: -1 })
}

function atOnce(steps: readonly StepDocument[], job: JobDocument): StepDocument[] {
  return takeFitting(
    steps.map((step) => ({ step })),
    job,
  ).map(({ step }) => step)
}

function tooManyEdits(steps: readonly StepDocument[]): string {
  return `${steps.length} steps do not fit into one transaction: resubmit without inputs, or submit a new job`
}

/** Returns the reason for the refusal. A partial write would let steps expire before their job (I18). */
function tooManyExpiring({ jobId }: JobDocument, steps: readonly StepDocument[]): string {
  const why = `has begun to expire, and ${steps.length} steps do not fit into one transaction`
  return `job ${jobId} was undone, ${why}: submit it again under another id`
}

function refused(reason: string): Operation {
  return { kind: 'refused', reason }
}

function list(stepIds: readonly string[]): string {
  if (stepIds.length === 0) return 'none'
  return `${stepIds.length === 1 ? 'step' : 'steps'} ${stepIds.join(', ')}`
}
