import type { Json, StepDocument } from '../model/documents.js'
import { stepDocumentId } from '../model/document-ids.js'
import { CommandRefused } from '../model/errors.js'
import { raiseEvent } from '../decisions/operator/raise-event.js'
import type { StateDocument, StateStore } from '../store/state-store.js'
import { readStep, updateDocument } from '../store/update-document.js'

/** An event for a step of a job. `job` is the job document that was just read. */
export interface RaisedAt {
  readonly job: StateDocument
  readonly jobId: string
  readonly step: string
  readonly payload: Json
  readonly key: string | undefined
  readonly now: () => number
}

/** The number of senders that may raise events of one step at the same moment. */
const maxSenders = 50

/**
 * Writes the event to its step document.
 *
 * @throws CommandRefused if the step does not exist or does not wait for this event; nothing was written
 */
export async function raiseAt(store: StateStore, at: RaisedAt): Promise<void> {
  const { job, jobId, step, payload, key, now } = at
  if (job['processState'] === 'Compensated') {
    throw new CommandRefused(jobId, 'the job is Compensated: none of its steps waits')
  }
  const address = { pk: job.pk, id: stepDocumentId(jobId, step) }
  const collecting = { address, known: null, read: readStep, maxTries: maxSenders }
  const update = await updateDocument(store, collecting, (current) => {
    const raised = raiseEvent(current, payload, now(), key)
    return { write: raised.kind === 'write' ? raised.step : null, result: raised }
  })
  if (update.kind === 'missing') throw new CommandRefused(jobId, await noSuchStep(store, at))
  if (update.result.kind === 'refused') throw new CommandRefused(jobId, update.result.reason)
}

/** Returns the message that the step does not exist. It names the steps that wait for events. */
async function noSuchStep(store: StateStore, { job, jobId, step }: RaisedAt): Promise<string> {
  const steps = await store.listSteps(job.pk, jobId)
  const isEvent = ({ kind, question }: StepDocument): boolean => kind === 'waitFor' && question === undefined
  const waiting = steps.filter(isEvent).map(({ stepId }) => stepId)
  const known =
    waiting.length === 0
      ? 'none of its steps waits for an event'
      : `these steps wait for an event: ${waiting.join(', ')}`
  return `job ${JSON.stringify(jobId)} has no step ${JSON.stringify(step)}; ${known}`
}
