import type { Duration } from '../../platform/index.js'
import { errorMessage } from '../../platform/internal.js'
import { isObject, shown } from '../../platform/options.js'
import { fitPlan } from '../plan/fan-out.js'
import { payloadHash } from '../plan/payload.js'
import { shownSecrets } from '../plan/secret-texts.js'
import { SubmissionInvalid } from '../model/errors.js'
import type { NoticeKind } from '../model/readable-parts.js'
import type { Json } from '../model/values/json.js'
import type { Plan } from '../plan/plan.js'
import { givenJson } from '../model/values/plain-json.js'
import { readTags, type Tags } from '../model/tags.js'
import { noPayloads } from '../payloads/payloads.js'
import { ownDocument } from '../submission/own-document.js'
import { submitProblems } from '../submission/submit-problems.js'
import type { SubmitRequest } from '../submission/submit.js'
import { ensureSubmitted } from '../submission/write-submission.js'
import { isWorkflow, type Alongside, type Workflow } from '../workflow/workflow.js'
import { asJson, limitOf } from './call-arguments.js'
import type { SchedulesOptions } from './schedules.js'
import type { Accepted } from './waits/wait-pace.js'

/** The options of a submission, which take precedence over the workflow's own defaults. */
export interface SubmitOptions {
  /** The job's id. Submissions with the same id are one job. Default: the workflow's `jobId`. */
  readonly jobId?: string
  /** The business id in notifications. Default: the job's id. */
  readonly orderId?: string
  /**
   * The partition key value of the job, its steps and the documents alongside. Always pass the same key for
   * the same id, because the same id with another key is another job. Default: the workflow's `partitionKey`,
   * or the job's id.
   */
  readonly partitionKey?: string
  /** Your documents that are created in the same transaction. Default: the workflow's `alongside`. */
  readonly alongside?: readonly Alongside[]
  /** Jobs with a larger number go first when resources are short. Default: that of the workflow, or 0. */
  readonly priority?: number
  /** The receiver of notifications about the job. Default: no notifications. */
  readonly replyTo?: string
  /**
   * The events that are reported to `replyTo`. Each costs a create and a replace of a small document. Default: all,
   * which are `received`, `started`, `attention` and `finished`.
   */
  readonly notify?: readonly NoticeKind[]
  /**
   * The time within which the job must be done. Afterwards `onExhausted` applies. Default: that of the
   * workflow.
   */
  readonly completeWithin?: Duration
  /**
   * The time for which the job and its steps are kept after the job has ended as Processed or Compensated. A
   * job in Error is always kept. Default: that of the workflow.
   */
  readonly retainFor?: Duration
  /** Tags by which jobs are listed, at most 10. They are added to the workflow's `tags`, and take precedence. */
  readonly tags?: Tags
}

/** @throws SubmissionInvalid if the workflow does not find the id of the job in the input */
function foundJobId<I>({ name, submission: { jobId } }: Workflow<I>, input: I): string {
  if (jobId === undefined)
    throw new SubmissionInvalid(`workflow ${name}: pass a jobId, or define how the workflow finds the jobId`)
  try {
    // A program without types may return nothing.
    const found = jobId(input) as string | undefined
    if (found !== undefined) return found
  } catch (error) {
    const why = `its jobId cannot read this input (${errorMessage(error)})`
    throw new SubmissionInvalid(`workflow ${name}: ${why}: pass a jobId, or correct the input`)
  }
  throw new SubmissionInvalid(
    `workflow ${name}: its jobId finds no id in this input: pass a jobId, or correct the input`,
  )
}

/**
 * Returns the submission of a workflow with an input. The options take precedence over the workflow's own
 * defaults.
 *
 * @throws SubmissionInvalid with all problems of the options
 */
export function requestOf<I>(
  workflow: Workflow<I>,
  input: I,
  options: SubmitOptions,
  now: number,
): SubmitRequest {
  refuseNoWorkflow(workflow)
  if (!isObject(options))
    throw new SubmissionInvalid(`submit: the options are ${shown(options)}; they must be an object`)
  const { submission } = workflow
  refuseInput(workflow, input)
  const jobId = options.jobId ?? foundJobId(workflow, input)
  const partition = options.partitionKey ?? submission.partitionKey?.(input) ?? jobId
  const { tags: given = {}, ...terms } = options
  const tags = readTags(isRecord(given) ? { ...submission.tags?.(input), ...given } : given)
  const wrong = [...submitProblems({ ...terms, jobId, partitionKey: partition }), ...tags.problems]
  if (wrong.length > 0) throw new SubmissionInvalid(wrong.join('; '))
  const plain = asJson(jobId, input, { name: 'input', error: SubmissionInvalid })
  const { plan, problems } = fitPlan(workflow.plan, plain)
  if (problems.length > 0) {
    throw new SubmissionInvalid(`job ${JSON.stringify(jobId)}: ${problems.join('; ')}`)
  }
  const orderId = options.orderId ?? jobId
  refuseShownSecrets(plan, plain, { jobId, partitionKey: partition, orderId, tags: tags.stored.join(' ') })
  const alongside = checkedAlongside(options.alongside ?? submission.alongside?.(input) ?? [])
  return {
    plan,
    jobId,
    orderId,
    partition,
    input: plain,
    alongside: alongside.map(({ create }) => ownDocument(create, partition)),
    priority: options.priority ?? submission.priority ?? 0,
    replyTo: options.replyTo ?? null,
    ...(options.notify && { notify: options.notify }),
    completeWithinMs: limitOf(options.completeWithin ?? submission.completeWithin),
    retainForMs: limitOf(options.retainFor ?? submission.retainFor),
    payloadHash: payloadHash(workflow.name, plain),
    tags: tags.stored,
    now,
  }
}

/** Writes a submission. Returns the time and the range of the new job, or null if the job existed before. */
export async function submitRequest(
  { store, telemetry, clock, payloads = noPayloads, beginSubmission, onAccepted }: SchedulesOptions,
  asked: SubmitRequest,
): Promise<Accepted | null> {
  const request = await payloads.withLargeInput(asked)
  const { isNew, accepted } = await ensureSubmitted(store, request, beginSubmission)
  const { workflow } = request.plan
  telemetry.emit({ type: 'job.submitted', jobId: request.jobId, workflow, isNew })
  if (accepted !== null) onAccepted?.(accepted)
  return isNew ? { workflow, atMs: clock.now(), physicalRangeId: accepted?.physicalRangeId ?? null } : null
}

/** Throws if a caller in JavaScript passes another value in the place of a workflow. */
function refuseNoWorkflow(workflow: unknown): void {
  if (isWorkflow(workflow)) return
  const advice = 'pass what defineWorkflow returns, as in client.submit(sale, { item: 7 })'
  throw new SubmissionInvalid(`submit: the workflow is ${shown(workflow)}; ${advice}`)
}

/** Throws if an input does not fit its schema. The functions of the workflow may rely on the schema. */
function refuseInput<I>({ name, checkInput }: Workflow<I>, input: I): void {
  const given = checkInput === undefined ? null : givenJson(input, 'input')
  const problems = given?.kind === 'json' ? (checkInput?.(given.json) ?? []) : []
  if (problems.length > 0) throw new SubmissionInvalid(`workflow ${name}: ${problems.join('; ')}`)
}

/** Throws if a secret is in a text that everybody sees and can search for. */
function refuseShownSecrets(plan: Plan, input: Json, shown: Readonly<Record<string, string>>): void {
  const problems = shownSecrets(plan, input, shown)
  if (problems.length > 0) throw new SubmissionInvalid(`workflow ${plan.workflow}: ${problems.join('; ')}`)
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws SubmissionInvalid unless each member says which document is created */
function checkedAlongside(alongside: readonly Alongside[]): readonly Alongside[] {
  const given: unknown = alongside
  const isRight = (each: unknown): boolean => isObject(each) && isObject(Reflect.get(Object(each), 'create'))
  if (Array.isArray(given) && given.every(isRight)) return alongside
  const example = "it must be a list such as [{ create: { id: 'order-7', total: 12 } }]"
  throw new SubmissionInvalid(`submit: alongside is ${shown(alongside)}; ${example}`)
}
