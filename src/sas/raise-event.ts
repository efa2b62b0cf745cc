import { deadline, stepDocumentId, withDerivedState, type Json, type StepDocument } from './documents.js'
import { CommandRefused } from './errors.js'
import { sameJson } from './payload.js'
import type { StateDocument, StateStore } from './state-store.js'
import { readStep, updateDocument } from './update-document.js'

/** What becomes of an event. */
export type Raised =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The same event was raised before: nothing is left to do. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * W10: an event for the step that waits for it. It may come before the step begins: the step keeps it. The scheduler
 * ends the step when it sees it. The first event stands; the same one again does no harm.
 */
export function raiseEvent(step: StepDocument, payload: Json, now: number): Raised {
  if (step.kind !== 'waitFor') return refused(`step ${step.stepId} waits for no event`)
  if (step.event !== null) {
    const isSame = sameJson(step.event.payload, payload)
    return isSame ? { kind: 'nothing' } : refused(`step ${step.stepId} has had another event already`)
  }
  if (step.processState !== 'Pending' && step.processState !== 'Processing') {
    return refused(`step ${step.stepId} is ${step.processState} and waits no longer`)
  }
  const event = { payload, at: new Date(now).toISOString() }
  // What it waited for is here, so it does not wait on. One that is parked waits for an operator.
  const isWaitingLong = step.attention?.kind === 'extendedWait'
  const up = isWaitingLong
    ? { attention: null, notBeforeMs: null, ...deadline(now + step.completeWithinMs) }
    : {}
  return {
    kind: 'write',
    step: withDerivedState({ ...step, ...up, event, lockedBy: null, fence: step.fence + 1 }),
  }
}

function refused(reason: string): Raised {
  return { kind: 'refused', reason }
}

/** An event for a step of a job, whose document was just read. */
export interface RaisedAt {
  readonly job: StateDocument
  readonly jobId: string
  readonly step: string
  readonly payload: Json
  readonly now: () => number
}

/**
 * Writes the event to its step.
 *
 * @throws CommandRefused when there is no such step, or it does not wait for this event; nothing was written
 */
export async function raiseAt(store: StateStore, at: RaisedAt): Promise<void> {
  const { job, jobId, step, payload, now } = at
  if (job['processState'] === 'Compensated') {
    throw new CommandRefused(jobId, 'the job is Compensated: nothing of it waits')
  }
  const address = { pk: job.pk, id: stepDocumentId(jobId, step) }
  const update = await updateDocument(store, { address, known: null, read: readStep }, (current) => {
    const raised = raiseEvent(current, payload, now())
    return { write: raised.kind === 'write' ? raised.step : null, result: raised }
  })
  if (update.kind === 'missing') throw new CommandRefused(jobId, await noSuchStep(store, at))
  if (update.result.kind === 'refused') throw new CommandRefused(jobId, update.result.reason)
}

/** Explains that an event has no such step, and names the steps that wait for events. */
async function noSuchStep(store: StateStore, { job, jobId, step }: RaisedAt): Promise<string> {
  const steps = await store.listSteps(job.pk, jobId)
  const waiting = steps.filter(({ kind }) => kind === 'waitFor').map(({ stepId }) => stepId)
  const known =
    waiting.length === 0
      ? 'none of its steps waits for an event'
      : `those that wait for an event: ${waiting.join(', ')}`
  return `job ${JSON.stringify(jobId)} has no step ${JSON.stringify(step)}; ${known}`
}
