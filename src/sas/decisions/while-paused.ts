import type { JobDocument, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { isBehind } from '../model/work.js'
import {
  claimedFence,
  flagOf,
  isFlagCurrent,
  lookAgainAfterMs,
  type Schedule,
  type SchedulingState,
} from './continue-or-end-job.js'
import { isInQueue, placeOutside } from '../gates/job-place.js'
import { takeFitting } from './dispatch.js'
import { isUnderWay, sameLedger, unseen, withChanges, type Ledger, type StepChange } from './ledger.js'

export function isPaused({ paused }: JobDocument): boolean {
  return paused !== undefined && paused !== null
}

/** Checks whether every step of a job is over, so that the job ends even if it is paused. */
export function isDone({ compensation }: JobDocument, ledger: Ledger): boolean {
  return compensation === null && Object.values(ledger).every(isBehind)
}

/**
 * Decides about a paused job (I27). Outcomes of attempts under way are accepted, and nothing follows from them
 * yet. Every step that waits loses its deadline, so that a paused job costs nothing and no supervisor takes the
 * pause for a failed attempt. `isNew` says that the pause is not written yet.
 */
export function whilePaused(state: SchedulingState, ledger: Ledger, isNew = false): Schedule {
  const { job, steps, now, scheduler } = state
  const underWay = job.stepIds.filter((stepId) => isUnderWay(ledger[stepId]))
  const missing = unseen(underWay, ledger, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const open = underWay.flatMap((stepId) => steps.get(stepId) ?? [])
  const timed = open.filter(({ completeByMs }) => completeByMs !== null)
  const waiting = timed.filter(({ kind, lockedBy }) => kind !== 'operation' || lockedBy === null)
  const changes = takeFitting(
    waiting.map((step) => changeOf(withoutDeadline(step, now), ledger)),
    job,
  )
  const running = timed.filter((step) => !waiting.includes(step))
  const wakesAtMs = wakeUp(running, now)
  const isNews =
    isNew ||
    isInQueue(job) ||
    job.lockedBy === null ||
    changes.length > 0 ||
    !sameLedger(job.steps, ledger) ||
    !isFlagCurrent(state, ledger) ||
    (job.completeByMs === null) !== (wakesAtMs === null)
  if (!isNews) return { kind: 'nothing' }
  const after = withChanges(ledger, changes)
  const changed = changes.map(({ step }) => step)
  const known = new Map([...steps, ...changed.map((step) => [step.stepId, step] as const)])
  const next = {
    ...job,
    fence: claimedFence(state),
    steps: after,
    lockedBy: scheduler,
    attention: flagOf(job, after, known),
    // A paused job does not wait in a queue. It comes to its limits again when it is resumed.
    ...(isInQueue(job) ? placeOutside(job) : {}),
    ...deadline(wakesAtMs),
  }
  return { kind: 'write', job: withDerivedState(next), changed, notices: [] }
}

/**
 * Gives the steps of a resumed job their deadlines back, later by the time for which they were held. The job
 * stays free, so that the next delivery finds the steps that did not fit into this transaction. Returns null if
 * no step is held.
 */
export function goOn({ job, steps, now }: SchedulingState): Schedule | null {
  if (isPaused(job)) return null
  const open = job.stepIds.filter((stepId) => isUnderWay(job.steps[stepId]))
  const held = open.flatMap((stepId) => {
    const step = steps.get(stepId)
    return step?.held === undefined ? [] : [changeOf(withDeadline(step, step.held, now), job.steps)]
  })
  if (held.length === 0) return null
  const changes = takeFitting(held, job)
  const next = { ...job, fence: job.fence + 1, steps: withChanges(job.steps, changes) }
  return { kind: 'write', job: next, changed: changes.map(({ step }) => step), notices: [] }
}

function changeOf(step: StepDocument, ledger: Ledger): StepChange {
  return { step, state: ledger[step.stepId]?.state ?? 'Processing' }
}

function withoutDeadline(step: StepDocument, now: number): StepDocument {
  const held = { atMs: now, completeByMs: step.completeByMs ?? now }
  return written({ ...outside(step), held, ...deadline(null) })
}

/**
 * Returns a step that has left its gates. It comes to them again when the job is resumed, as another visitor, and
 * then at the end of their queues. It keeps the time of a rate, because the rate counts this time in any case.
 */
function outside(step: StepDocument): StepDocument {
  const { place } = step
  // An undo has no gates. Its `notBeforeMs` may be the deadline of an attempt of the operation, so it stays (F-K2).
  if (place === undefined || step.direction === 'undo') return step
  const left = { entry: step.dispatch + 1, waitsFor: null, turn: null, since: null }
  // A step that waited only for its gates does not wait for a time.
  const notBeforeMs = place.since === null ? step.notBeforeMs : null
  return { ...step, place: { ...place, ...left }, notBeforeMs }
}

/** Returns a step without the time of a rate that has passed. Steps whose times have passed would begin together. */
function withoutPassedTime(step: StepDocument, now: number): StepDocument {
  const { place } = step
  if ((place?.reservedMs ?? Infinity) > now || place === undefined) return step
  const { reservedAt: _at, ...others } = place
  return { ...step, place: { ...others, reservedMs: null } }
}

/** Moves every time of a step by the time for which it was held, except the time of a rate. */
function withDeadline(step: StepDocument, was: NonNullable<StepDocument['held']>, now: number): StepDocument {
  const { held: _held, ...free } = withoutPassedTime(step, now)
  const laterMs = Math.max(0, now - was.atMs)
  const asked = free.asked && {
    ...free.asked,
    ...(free.asked.remindAtMs !== undefined && { remindAtMs: free.asked.remindAtMs + laterMs }),
    ...(free.asked.escalateAtMs !== undefined && { escalateAtMs: free.asked.escalateAtMs + laterMs }),
    expiresAtMs: free.asked.expiresAtMs + laterMs,
  }
  return written({
    ...free,
    ...(asked && { asked }),
    notBeforeMs: free.notBeforeMs === null ? null : free.notBeforeMs + laterMs,
    ...deadline(was.completeByMs + laterMs),
  })
}

/** The scheduler counts each of its writes of a step, so that a step is never ahead of its ledger. */
function written(step: StepDocument): StepDocument {
  return withDerivedState({ ...step, dispatch: step.dispatch + 1, fence: step.fence + 1 })
}

/** Returns the time at which the supervisor must check that the outcomes of running attempts were read. */
function wakeUp(running: readonly StepDocument[], now: number): number | null {
  if (running.length === 0) return null
  const latest = Math.max(...running.map(({ completeByMs }) => completeByMs ?? 0))
  return latest > now ? latest : now + lookAgainAfterMs
}
