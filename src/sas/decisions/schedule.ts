import { asksForPayload, holds } from '../plan/condition.js'
import { pausedWith, pauseOfAgent, pauseOfWorkflow, type Pausing } from '../pauses/pause-with.js'
import { whenProblem } from '../plan/condition-problem.js'
import { compensationFor, compensate } from './compensate.js'
import { begin, takeFitting, nextRound, redispatch, cancelStep } from './dispatch.js'
import {
  carriedAtEnd,
  endJob,
  continueJob,
  documentsOfAttempts,
  isFlagCurrent,
  type Schedule,
  type SchedulingState,
} from './continue-or-end-job.js'
import { atGates, visitsAgain } from '../gates/at-gates.js'
import { mayHideOthers } from '../waiting/flag-triage.js'
import { neededBy } from '../plan/gather.js'
import { continuingSchema, type Attention, type StepDocument } from '../model/documents.js'
import { isStaged, isTerminal } from '../model/process-state.js'
import {
  fold,
  inState,
  isUnderWay,
  knownValues,
  mayBegin,
  outputsNeeded,
  sameLedger,
  unseen,
  withChanges,
  type Ledger,
} from './ledger.js'
import { enterLimits } from './limits-of-job.js'
import { withNotices } from './notices.js'
import { stepsWithPart } from '../plan/template.js'
import { hasMoreRounds } from './rounds.js'
import { expire, withRetention } from './retention.js'
import { isBehind, isHeldBack } from '../model/work.js'
import { goOn, isDone, isPaused, whilePaused } from './while-paused.js'

/**
 * Decides about one job (W1, W4, W5, W7, W9): folds outcomes of steps into the ledger, dispatches ready
 * steps, undoes steps, and ends the job. The decision depends on the current state, never on events. So a
 * repeated or merged change gives the same decision, and a second decision on the same state writes nothing.
 * The main rule is that **a step is never ahead of its ledger**. If it is, an old version of the job was read.
 */
export function schedule(state: SchedulingState): Schedule {
  const { job, steps } = state
  if (isStaged(job)) return { kind: 'nothing' }
  if (isTerminal(job)) return expire(state)
  for (const step of steps.values()) {
    const entry = job.steps[step.stepId]
    if (entry === undefined || step.dispatch > entry.dispatch) return { kind: 'stale' }
  }
  const documents = documentsOfAttempts(state)
  if (documents !== null) return documents
  // The supervisor or an operator freed the job, so every step under way must be checked (R98). A flag that is snoozed
  // or has ended must not hide the flags of other steps, so they must be known too.
  if (job.lockedBy === null || mayHideOthers(job, steps)) {
    const underWay = job.stepIds.filter((stepId) => isUnderWay(job.steps[stepId]))
    const missing = unseen(underWay, job.steps, steps)
    if (missing.length > 0) return { kind: 'read', stepIds: missing }
  }
  const going = job.lockedBy === null ? goOn(state) : null
  if (going !== null) return going
  const ledger = fold(job.steps, steps)
  if (!isDone(job, ledger)) {
    if (isPaused(job)) return whilePaused(state, ledger)
    const ofWorkflow = pauseOfWorkflow(job, state.pauses)
    if (ofWorkflow !== undefined) return pausing(state, ledger, ofWorkflow)
  }
  const decision = job.compensation === null ? advance(state, ledger) : compensate(state, ledger, advance)
  const ofAgent = pauseOfAgent(attemptsOf(state, decision), state.pauses)
  if (ofAgent !== undefined) return pausing(state, ledger, ofAgent)
  return decision.kind === 'write' ? completed(state, decision) : decision
}

/** Pauses the job with its workflow or agent, once the pause is confirmed (I35, I36). */
function pausing(state: SchedulingState, ledger: Ledger, pause: Pausing): Schedule {
  if (state.pauses?.isConfirmed !== true) return { kind: 'confirm' }
  return whilePaused({ ...state, job: pausedWith(state.job, pause, state.now) }, ledger, true)
}

/** Returns the steps to which a decision gives an attempt, or that come to their gates for one. */
function attemptsOf({ steps }: SchedulingState, decision: Schedule): readonly StepDocument[] {
  if (decision.kind === 'visit') return decision.requests.flatMap(({ step }) => step ?? [])
  if (decision.kind !== 'write') return []
  return decision.changed.filter(({ kind, lockedBy, stepId, dispatch }) => {
    return kind === 'operation' && lockedBy !== null && dispatch !== steps.get(stepId)?.dispatch
  })
}

/** Adds the parts that belong to every write of a job: its expiry and its notices. */
function completed(state: SchedulingState, decision: Schedule & { kind: 'write' }): Schedule {
  const expiring = withRetention(state, decision)
  if (expiring.kind !== 'write') return expiring
  const { job, notices } = withNotices(state.job, expiring.job, state.now)
  return { kind: 'write', job, changed: expiring.changed, notices }
}

function advance(given: SchedulingState, ledger: Ledger): Schedule {
  if (isOverdue(given, ledger)) return endOverdue(given, ledger)
  const entering = enterLimits(given, ledger)
  if (!('entered' in entering)) return entering
  const state = entering.entered
  const { job, steps } = state
  const failed = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'Error')
  const unseenSleeps = mayCutShort(state, ledger)
  if (unseenSleeps.length > 0) return { kind: 'read', stepIds: unseenSleeps }
  const free = [...underWayAndFree(state, ledger), ...cutShort(state, ledger)]
  const between = betweenTheirRounds(state, ledger)
  const toGates = [...free, ...between.filter(({ repeat }) => repeat?.everyMs === 0)]
  const { requests, later } = visitsAgain(toGates, state.passes)
  if (requests.length > 0) return { kind: 'visit', requests }
  const [again, rounds] = [
    free.filter((step) => !later.has(step)),
    between.filter((step) => !later.has(step)),
  ]
  if (failed.length > 0) return afterFailure(state, ledger, { failed, again })
  const ready = readyToBegin(state, ledger)
  if (ready.missing.length > 0) return { kind: 'read', stepIds: ready.missing }
  const unknownOutputs = outputsNeeded(ready.steps, steps, ledger)
  if (unknownOutputs.length > 0) return { kind: 'read', stepIds: unknownOutputs }
  const skipped = ready.steps.filter((step) => isSkipped(step, state, ledger))
  // After a step is skipped, other steps may begin, or must be skipped too.
  if (skipped.length > 0) return advance(state, withSkipped(ledger, skipped))
  const known = knownValues(state, ledger)
  const gated = atGates(ready.steps, known, state.passes)
  if (gated.requests.length > 0) return { kind: 'visit', requests: gated.requests }
  const changes = [
    ...again.map((step) => redispatch(step, state)),
    ...rounds.map((step) => nextRound(step, state)),
    ...gated.mayBegin.map((step) => begin(step, state, known)),
  ]
  if (Object.values(ledger).every(isBehind)) {
    return endJob(
      state,
      { ledger, changes: [] },
      { currentState: job.targetState, ...carriedAtEnd(state, ledger) },
    )
  }
  if (changes.length === 0 && !isNews(state, ledger)) return { kind: 'nothing' }
  return continueJob(state, ledger, takeFitting(changes, job))
}

/**
 * Checks whether a step's condition is false, or the step needs an output that does not exist. A step that
 * asks for the outcome of another step also runs without the output of that step.
 */
function isSkipped(step: StepDocument, state: SchedulingState, ledger: Ledger): boolean {
  const without = [...neededBy(step)].filter((stepId) => ledger[stepId]?.state !== 'Processed')
  if (without.length > 0) {
    const asked = new Set(
      [step.when, step.inputTemplate].flatMap((each) => [...stepsWithPart(each, 'outcome')]),
    )
    if (!without.every((stepId) => asked.has(stepId))) return true
  }
  if (step.when === null) return false
  // A step whose condition cannot be evaluated is not skipped. It is refused when it begins.
  const known = knownValues(state, ledger)
  return whenProblem(step) === null && !asksForPayload(step.when, known) && !holds(step.when, known)
}

function withSkipped(ledger: Ledger, skipped: readonly StepDocument[]): Ledger {
  const entries = skipped.map(({ stepId, dispatch }) => [stepId, { state: 'Skipped' as const, dispatch }])
  return { ...ledger, ...(Object.fromEntries(entries) as Ledger) }
}

/** Checks whether the job's own deadline has passed before all steps are done (R63). */
function isOverdue({ job, now }: SchedulingState, ledger: Ledger): boolean {
  return job.endByMs !== null && now >= job.endByMs && !Object.values(ledger).every(isBehind)
}

/** Undoes an overdue job, or ends it in error. Attempts under way no longer count. */
function endOverdue(state: SchedulingState, ledger: Ledger): Schedule {
  const { job, steps, now, scheduler } = state
  const underWay = job.stepIds.filter((stepId) => isUnderWay(ledger[stepId]))
  const missing = unseen(underWay, ledger, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const since = new Date(now).toISOString()
  const message = `the job was not done within ${job.completeWithinMs ?? 0} ms`
  if (job.onExhausted === 'compensate' || job.onExhausted === 'compensateThenRetry') {
    const compensation = { since, by: scheduler, reason: message, thenRetry: false }
    return compensate({ ...state, job: { ...job, compensation } }, ledger, advance)
  }
  const stopped = underWay.flatMap((stepId) => {
    const step = steps.get(stepId)
    return step === undefined ? [] : [cancelStep(step)]
  })
  const changes = takeFitting(stopped, job)
  if (changes.length < stopped.length) return continueJob(state, ledger, changes)
  return endJob(
    state,
    { ledger, changes },
    { attention: { kind: 'error', since, by: scheduler, message, stepId: null } },
  )
}

interface Failure {
  readonly failed: readonly string[]
  readonly again: readonly StepDocument[]
}

/** Undoes a failed job, or ends it in error after all attempts under way have ended. No new step begins. */
function afterFailure(state: SchedulingState, ledger: Ledger, { failed, again }: Failure): Schedule {
  const { job, steps } = state
  if (again.length === 0 && !isNews(state, ledger)) return { kind: 'nothing' }
  const missing = unseen(failed, ledger, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const attention = errorOf(state, failed)
  const compensation = compensationFor(state, failed, attention.message)
  if (compensation !== null) return compensate({ ...state, job: { ...job, compensation } }, ledger, advance)
  const unseenSteps = unseen(inState(ledger, 'Processing'), ledger, steps)
  if (unseenSteps.length > 0) return { kind: 'read', stepIds: unseenSteps }
  // Attempts under way may still end. Steps that only wait are stopped, so that the failed job can end.
  const waiting = inState(ledger, 'Processing').flatMap((stepId) => {
    const step = steps.get(stepId)
    if (step === undefined) return []
    const isWaiting = step.kind !== 'operation' || isHeldBack(step, state.now) || hasMoreRounds(step)
    return isWaiting ? [cancelStep(step)] : []
  })
  const changes = takeFitting([...waiting, ...again.map((step) => redispatch(step, state))], job)
  if (Object.values(withChanges(ledger, changes)).some(isUnderWay)) return continueJob(state, ledger, changes)
  return endJob(state, { ledger, changes }, { attention })
}

/** Checks whether an outcome, a claim or a flag must be written, even if no step changes. */
function isNews(state: SchedulingState, ledger: Ledger): boolean {
  const { job } = state
  return job.lockedBy === null || !sameLedger(job.steps, ledger) || !isFlagCurrent(state, ledger)
}

/** Returns the steps under way that are free for another attempt. */
function underWayAndFree({ steps, now, called }: SchedulingState, ledger: Ledger): StepDocument[] {
  return inState(ledger, 'Processing').flatMap((stepId) => {
    const step = steps.get(stepId)
    const isFree = step?.dispatch === ledger[stepId]?.dispatch && step?.processState === 'Pending'
    const isCalled = called?.has(stepId) === true && step?.place?.waitsFor !== null
    return isFree && (isCalled || !isHeldBack(step, now)) ? [step] : []
  })
}

/** Returns the repeated steps that have ended a round, and that must begin another or be given up. */
function betweenTheirRounds({ steps }: SchedulingState, ledger: Ledger): StepDocument[] {
  return inState(ledger, 'Processing').flatMap((stepId) => {
    const step = steps.get(stepId)
    return step?.dispatch === ledger[stepId]?.dispatch && step !== undefined && hasMoreRounds(step)
      ? [step]
      : []
  })
}

/** Returns the steps under way that must be read, because they may be sleeps that another step cuts short. */
function mayCutShort({ job, steps }: SchedulingState, ledger: Ledger): string[] {
  if (job.schema < continuingSchema) return []
  return unseen(inState(ledger, 'Processing'), ledger, steps)
}

/** Returns the sleeps under way that are unnecessary, because the step for which they wait at most is over. */
function cutShort({ steps, now }: SchedulingState, ledger: Ledger): StepDocument[] {
  return inState(ledger, 'Processing').flatMap((stepId) => {
    const step = steps.get(stepId)
    if (step?.kind !== 'sleep' || step.dispatch !== ledger[stepId]?.dispatch || !isHeldBack(step, now))
      return []
    const isOver = [...stepsWithPart(step.inputTemplate, 'outcomeSoFar')].some((id) => isBehind(ledger[id]))
    return isOver ? [step] : []
  })
}

interface Ready {
  readonly steps: readonly StepDocument[]
  /** The ids of steps that may be ready, but whose document is missing or old. */
  readonly missing: readonly string[]
}

/** Returns the steps that have not begun and whose dependencies are over (I5). */
function readyToBegin({ job, steps }: SchedulingState, ledger: Ledger): Ready {
  const open = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'NotStarted')
  const missing = unseen(open, ledger, steps)
  const ready: StepDocument[] = []
  for (const stepId of open) {
    const step = missing.includes(stepId) ? undefined : steps.get(stepId)
    if (step?.dependsOn.every((id) => isBehind(ledger[id])) === true) ready.push(step)
  }
  return { steps: ready, missing: job.lockedBy === null || mayBegin(ledger) ? missing : [] }
}

/** Returns the flag of the failed job, with the reason of the first failed step. */
function errorOf({ steps, now, scheduler }: SchedulingState, failed: readonly string[]): Attention {
  const [stepId = ''] = failed
  const named = failed.length > 1 ? `steps ${failed.join(', ')}` : `step ${stepId}`
  const cause = steps.get(stepId)?.attention?.message ?? 'no reason recorded'
  const since = new Date(now).toISOString()
  return { kind: 'error', since, by: scheduler, message: `${named}: ${cause}`, stepId }
}
