import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { stepDocumentId } from '../model/document-ids.js'
import type { Json, StepDocument } from '../model/documents.js'
import { CommandInvalid, CommandRefused, StepNotFound } from '../model/errors.js'
import type { QuestionFilter } from '../store/filters/job-filter.js'
import type { JobQueries } from '../store/job-queries.js'
import type { StateDocument, StateStore } from '../store/state-store.js'
import { readStepOrPlan } from '../store/read-steps.js'
import { readStep, updateDocument } from '../store/update-document.js'
import { answerQuestion, type Answer } from '../waiting/answer-question.js'
import type { LinkedQuestion } from '../waiting/answer-links.js'
import { asJson, refuseArguments, refuseTooLarge } from './call-arguments.js'
import { existingJob, type FindPorts } from './update-job.js'

/** A question that waits for the answer of a person. */
export interface OpenQuestion {
  readonly jobId: string
  /** The id of the step that asks. */
  readonly stepId: string
  readonly orderId: string
  readonly workflow: string
  readonly partitionKey: string
  readonly title: string
  /** The people who are asked. Empty: anyone may answer. */
  readonly assignees: readonly string[]
  /** The time at which the question was put, ISO-8601 UTC. */
  readonly since: string
  /** The end of the time for the answer, ISO-8601 UTC. */
  readonly expiresAt: string
  /** The JSON Schema of the answer. */
  readonly form: Json
}

/** Options of an answer. */
export interface AnswerOptions {
  /** The name of the person who answers, kept with the answer. */
  readonly by: string
  /** A remark, kept with the answer. */
  readonly note?: string
  /** The job's partition key value, if it differs from the job's id. Passing it saves a query. */
  readonly partitionKey?: string
}

/** Lists the open questions that match the filter. */
export async function openQuestions(
  queries: JobQueries,
  filter: QuestionFilter,
): Promise<readonly OpenQuestion[]> {
  const found = await queries.listQuestions(filter)
  return found.flatMap(asOpenQuestion)
}

/** Returns a list with the open question of a step, or an empty list if no question is open. */
export function asOpenQuestion(step: StepDocument): OpenQuestion[] {
  const { jobId, stepId, orderId, workflow, pk: partitionKey, asked, question } = step
  if (!asked || question === undefined) return []
  const { title, assignees, since, expiresAtMs } = asked
  const expiresAt = new Date(expiresAtMs).toISOString()
  const { form } = question
  return [{ jobId, stepId, orderId, workflow, partitionKey, title, assignees, since, expiresAt, form }]
}

/** Reads the open question of one step. Returns null if the step does not exist or asks nothing now. */
export async function questionAt(
  store: StateStore,
  { jobId, step, partitionKey = jobId }: LinkedQuestion,
): Promise<OpenQuestion | null> {
  const found = await readStep(store, { pk: partitionKey, id: stepDocumentId(jobId, step) })
  return found === null ? null : (asOpenQuestion(found)[0] ?? null)
}

/** The parts of a client that an answer needs. */
interface AnswerPorts {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
}

interface Answering {
  readonly jobId: string
  readonly step: string
  readonly data: unknown
}

/** Checks the arguments of an answer, finds its job, and writes it. */
export async function answerFor(
  ports: AnswerPorts & FindPorts,
  { jobId, step, data }: Answering,
  options: Partial<AnswerOptions>,
): Promise<void> {
  const { by = '', note, partitionKey } = options
  refuseArguments('answer', {
    needed: { jobId, step, by },
    optional: { note, partitionKey },
    others: options,
  })
  const plain = asJson(jobId, data, { name: 'answer', error: CommandInvalid })
  const job = await existingJob(ports, jobId, { partitionKey })
  await answerAt(ports, { job, jobId, step }, { data: plain, by, note: note ?? null })
}

/**
 * Writes an answer to the document of its step. `job` is the job document that was just read.
 *
 * @throws StepNotFound if the step does not exist; nothing was written
 * @throws CommandRefused if its question is not open; nothing was written
 * @throws CommandInvalid if the answer does not fit the form, or is too large; nothing was written
 */
async function answerAt(
  { store, clock, telemetry }: AnswerPorts,
  { job, jobId, step }: { readonly job: StateDocument; readonly jobId: string; readonly step: string },
  answer: Answer,
): Promise<void> {
  const address = { pk: job.pk, id: stepDocumentId(jobId, step) }
  const read = (from: StateStore) => readStepOrPlan(from, { pk: job.pk, jobId, stepId: step })
  const update = await updateDocument(store, { address, known: null, read }, (current) => {
    const answered = answerQuestion(current, answer, clock.now())
    if (answered.kind === 'write') refuseTooLarge(`the answer to step ${step}`, job, answered.step)
    const result = { ...answered, asks: current.question !== undefined }
    return { write: answered.kind === 'write' ? answered.step : null, result }
  })
  if (update.kind === 'missing') throw new StepNotFound(jobId, step, await askingSteps(store, job, jobId))
  const { result } = update
  if (result.kind === 'refused') {
    const others = result.asks ? '' : `; ${await askingSteps(store, job, jobId)}`
    throw new CommandRefused(jobId, `${result.reason}${others}`)
  }
  if (result.kind === 'invalid') throw new CommandInvalid(`answer to step ${step}: ${result.reason}`)
  if (update.kind !== 'written') return
  const { workflow } = update.document
  telemetry.emit({ type: 'question.answered', jobId, workflow, stepId: step, by: answer.by })
}

/** Names the steps that ask. */
async function askingSteps(store: StateStore, job: StateDocument, jobId: string): Promise<string> {
  const steps = await store.listSteps(job.pk, jobId)
  const asking = steps.filter(({ question }) => question !== undefined).map(({ stepId }) => stepId)
  return asking.length === 0 ? 'none of its steps asks a question' : `these steps ask: ${asking.join(', ')}`
}
