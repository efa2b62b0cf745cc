import type { JobDocument, StepDocument } from '../../model/documents.js'
import { withDerivedState } from '../../model/process-state.js'
import { toTemplate } from '../../model/values/to-template.js'
import { inState, withStates } from '../ledger.js'
import {
  atOnce,
  editsIn,
  list,
  refused,
  requested,
  type Edits,
  type Operation,
  type Resubmission,
  type Standing,
} from './request.js'

export function resubmit(standing: Standing, command: Resubmission): Operation {
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

function inputOfOthers(steps: readonly StepDocument[]): string {
  const stepIds = steps.map(({ stepId }) => stepId)
  return `no input is allowed for ${list(stepIds)}: the input is collected from other steps; resubmit without an input`
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

function tooManyEdits(steps: readonly StepDocument[]): string {
  return `${steps.length} steps do not fit into one transaction: resubmit without inputs, or submit a new job`
}

/** Returns the reason for the refusal. A partial write would let steps expire before their job (I18). */
function tooManyExpiring({ jobId }: JobDocument, steps: readonly StepDocument[]): string {
  const why = `has begun to expire, and ${steps.length} steps do not fit into one transaction`
  return `job ${jobId} was undone, ${why}: submit it again under another id`
}
