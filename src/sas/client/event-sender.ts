import type { Json, StepDocument } from '../model/documents.js'
import { stepDocumentId } from '../model/document-ids.js'
import { CommandInvalid, CommandRefused, StepNotFound } from '../model/errors.js'
import { raiseEvent } from '../decisions/operator/raise-event.js'
import type { StateDocument, StateStore } from '../store/state-store.js'
import { readStepOrPlan } from '../store/read-steps.js'
import { updateDocument } from '../store/update-document.js'
import { asJson, refuseArguments, refuseTooLarge } from './call-arguments.js'
import { existingJob, type CommandPorts, type FindPorts } from './update-job.js'

/** An event for a step of a job. `job` is the job document that was just read. */
interface RaisedAt {
  readonly job: StateDocument
  readonly jobId: string
  readonly step: string
  readonly payload: Json
  readonly key: string | undefined
  readonly now: () => number
}

/** The number of senders that may raise events of one step at the same moment. */
const maxSenders = 50

interface Raising {
  readonly jobId: string
  readonly step: string
  readonly payload: unknown
}

/** Checks the arguments of an event, finds its job, and raises it. */
export async function raiseFor(
  ports: FindPorts & Pick<CommandPorts, 'clock'>,
  { jobId, step, payload }: Raising,
  options: { readonly key?: string; readonly partitionKey?: string },
): Promise<void> {
  const { key, partitionKey } = options
  const { store, clock } = ports
  refuseArguments('raiseEvent', { needed: { jobId, step }, optional: { key, partitionKey }, others: options })
  const plain = asJson(jobId, payload, { name: 'payload', error: CommandInvalid })
  const job = await existingJob(ports, jobId, { partitionKey })
  await raiseAt(store, { job, jobId, step, payload: plain, key, now: () => clock.now() })
}

/**
 * Writes the event to its step document.
 *
 * @throws StepNotFound if the step does not exist; nothing was written
 * @throws CommandRefused if the step does not wait for this event; nothing was written
 * @throws CommandInvalid if the event is too large; nothing was written
 */
async function raiseAt(store: StateStore, at: RaisedAt): Promise<void> {
  const { job, jobId, step, payload, key, now } = at
  if (job['processState'] === 'Compensated') {
    throw new CommandRefused(jobId, 'the job is Compensated: none of its steps waits')
  }
  const address = { pk: job.pk, id: stepDocumentId(jobId, step) }
  const read = (from: StateStore) => readStepOrPlan(from, { pk: job.pk, jobId, stepId: step })
  const collecting = { address, known: null, read, maxTries: maxSenders }
  const update = await updateDocument(store, collecting, (current) => {
    const raised = raiseEvent(current, payload, now(), key)
    if (raised.kind === 'write') refuseTooLarge(`the event for step ${step}`, job, raised.step)
    const result = { ...raised, waits: current.kind === 'waitFor' }
    return { write: raised.kind === 'write' ? raised.step : null, result }
  })
  if (update.kind === 'missing') throw new StepNotFound(jobId, step, await noSuchStep(store, at))
  const { result } = update
  if (result.kind !== 'refused') return
  const others = result.waits ? '' : `; ${await noSuchStep(store, at)}`
  throw new CommandRefused(jobId, `${result.reason}${others}`)
}

/** Names the steps that wait for events. */
async function noSuchStep(store: StateStore, { job, jobId }: RaisedAt): Promise<string> {
  const steps = await store.listSteps(job.pk, jobId)
  const isEvent = ({ kind, question }: StepDocument): boolean => kind === 'waitFor' && question === undefined
  const waiting = steps.filter(isEvent).map(({ stepId }) => stepId)
  const known =
    waiting.length === 0
      ? 'none of its steps waits for an event'
      : `these steps wait for an event: ${waiting.join(', ')}`
  return known
}
