import type { JobDocument, StepDocument } from '../model/documents.js'
import type { Visitor } from '../model/gate-documents.js'
import type { Place } from '../model/gate-parts.js'
import { entryOfJob } from './job-place.js'
import { deadline, isTerminal, withDerivedState } from '../model/process-state.js'

/**
 * How a step stands to a gate whose document names it:
 *
 * - `coming`: the scheduler has not written yet that the step has begun.
 * - `waiting`: the step does not know that it may enter.
 * - `underWay`: the step was offered to its scheduler, or waits at an earlier gate, and comes to this gate by itself.
 * - `inside`: the step is at work, or will try again.
 * - `gone`: the step is over, was stopped, or waits for an operator, so its place is free.
 */
export type Standing = 'coming' | 'waiting' | 'underWay' | 'inside' | 'gone'

/** Returns how a step stands to the gate of this key. `step` is null if its document is gone. */
export function standingOf(step: StepDocument | null, visitor: Visitor, key: string): Standing {
  if (step === null) return 'gone'
  const { place, direction, processState, dispatch, attention, completeByMs, held } = step
  if (place?.entry !== visitor.entry) return dispatch === visitor.entry ? 'coming' : 'gone'
  if (!isAmong(place, key)) return 'gone'
  const isUp = processState === 'Pending' || processState === 'Processing'
  if (direction === 'undo' || attention?.kind === 'parked' || !isUp) return 'gone'
  // The supervisor removes the deadline of a step whose job has ended.
  if (completeByMs === null && held === undefined) return 'gone'
  if (!hasStillToEnter(place, key)) return 'inside'
  return place.waitsFor === key && step.lockedBy === null && step.notBeforeMs !== null
    ? 'waiting'
    : 'underWay'
}

/** Checks whether the owner of a place waits at the gate of this key, or at one of the gates before it. */
function hasStillToEnter({ gates, waitsFor }: Place, key: string): boolean {
  const at = gates.findIndex((gate) => gate.key === waitsFor)
  return at >= 0 && at <= gates.findIndex((gate) => gate.key === key)
}

/** Returns the standing of a job at the gate of this key. `job` is null if its document is gone. */
export function standingOfJob(job: JobDocument | null, visitor: Visitor, key: string): Standing {
  if (job === null || visitor.entry < entryOfJob(job)) return 'gone'
  const { place, lockedBy } = job
  // The read may also be older than the end of the run before this one.
  if (place?.entry !== visitor.entry || place.gates.length === 0) return 'coming'
  if (isTerminal(job) || !isAmong(place, key)) return 'gone'
  if (!hasStillToEnter(place, key)) return 'inside'
  return place.waitsFor === key && lockedBy !== null ? 'waiting' : 'underWay'
}

/** Checks whether a gate is one of a place. A migration may replace the limits between the entry and the first write. */
function isAmong({ gates }: Place, key: string): boolean {
  return gates.some((gate) => gate.key === key)
}

/** Returns a job that waits at a gate, offered to its scheduler because it may enter (W6). */
export function calledJob(job: JobDocument, now: number): JobDocument {
  return withDerivedState({ ...job, fence: job.fence + 1, lockedBy: null, ...deadline(now + takenWithinMs) })
}

/** The time within which a scheduler must take a called job. */
const takenWithinMs = 60_000

/** Returns a step that waits at a gate, offered to the scheduler because it may enter (W6). */
export function calledStep(step: StepDocument, now: number): StepDocument {
  return withDerivedState({
    ...step,
    fence: step.fence + 1,
    lockedBy: null,
    notBeforeMs: null,
    ...deadline(now + step.completeWithinMs),
  })
}
