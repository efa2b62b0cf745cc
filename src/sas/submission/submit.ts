import {
  basicSchema,
  continuingSchema,
  type JobDocument,
  type Json,
  type LedgerEntry,
  type NoticeDocument,
  type NoticeKind,
  type StepDocument,
} from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { unbegunEnvelope, unbegunStep, type StepOrigin } from '../model/planned/unbegun-step.js'
import { addDerivedState, withDerivedState } from '../model/process-state.js'
import type { SecretPath } from '../model/values/hidden.js'
import type { Plan, PlanStep } from '../plan/plan.js'
import { plannedStep } from '../plan/planned-plan.js'
import { schemaOf, stepSchemaOf } from '../plan/plan-schema.js'
import { isReported, receivedNotices } from '../decisions/notices.js'
import type { StateDocument, StateWrite } from '../store/state-store.js'

/** All parts of a submission. The caller passes the time and the hash. */
export interface SubmitRequest {
  readonly plan: Plan
  readonly jobId: string
  readonly orderId: string
  /** The partition key value of the job, its steps and the documents alongside. */
  readonly partition: string
  readonly input: Json
  /** Whether parts of the input are in the payload store. */
  readonly hasTickets?: boolean
  /** Documents of the user that are created in the same transaction. */
  readonly alongside: readonly StateDocument[]
  readonly priority: number
  readonly replyTo: string | null
  /** The events that are reported to `replyTo`. Default: all. */
  readonly notify?: readonly NoticeKind[]
  /** The time in milliseconds within which the whole job must be done. Null means no limit. */
  readonly completeWithinMs: number | null
  /** The time in milliseconds for which the ended job is kept, unless it is in Error. Null means no limit. */
  readonly retainForMs: number | null
  readonly payloadHash: string
  /** The tags of the job, each as `name=value`. */
  readonly tags?: readonly string[]
  readonly now: number
}

/**
 * Returns the writes of a submission (W0): the user's documents, the job with its intent, and every step, in
 * one transaction (I1, I14). The writes contain no deadline, because the submitter's clock decides nothing
 * (R18).
 */
export function submit(request: SubmitRequest): StateWrite[] {
  const documents = [
    ...request.alongside,
    jobOf(request),
    ...receivedOf(request),
    ...request.plan.steps.map((step) => stepOf(step, request)),
  ]
  return documents.map((document) => ({ kind: 'create', document }))
}

/** The parts of a submission that is too large for one transaction. */
export interface StagedSubmission {
  readonly job: JobDocument
  readonly steps: readonly StepDocument[]
  /** The user's documents, which are written together with the intent after all steps are written. */
  readonly alongside: readonly StateDocument[]
  readonly received: readonly NoticeDocument[]
}

/**
 * Prepares a submission that is written in several stages (W0). Until the last stage is written, the
 * documents of the earlier stages have no effect (F-S7).
 */
export function stage(request: SubmitRequest, planHash: string): StagedSubmission {
  const { plan, alongside } = request
  const job = jobOf(request)
  const steps = plan.steps.map((step) => stepOf(step, request))
  const staged = withDerivedState({ ...job, planHash, desiredState: job.initialState })
  return { job: staged, steps, alongside, received: receivedOf(request) }
}

/**
 * Returns a staged job with its intent. When this version is written, the job may run, and the time for a
 * scheduler to take the job begins.
 */
export function intended<T extends JobDocument>(staged: T, now: number): T {
  const submittedAt = new Date(now).toISOString()
  return { ...staged, desiredState: staged.targetState, submittedAt, submittedAtMs: now }
}

function receivedOf(request: SubmitRequest): readonly NoticeDocument[] {
  return isReported(request, 'received') ? receivedNotices(jobOf(request), request.now) : []
}

function jobOf(request: SubmitRequest): JobDocument {
  const { plan, now } = request
  const ledger = plan.steps.map((step): [string, LedgerEntry] => [
    step.id,
    { state: 'NotStarted', dispatch: 0 },
  ])
  return addDerivedState({
    id: jobDocumentId(request.jobId),
    type: 'sas.job' as const,
    initialState: 'NotStarted',
    targetState: 'Completed',
    currentState: 'NotStarted',
    desiredState: 'Completed',
    maxFailures: 1,
    priority: request.priority,
    replyTo: request.replyTo,
    notifySeq: isReported(request, 'received') ? 1 : 0,
    stepIds: plan.steps.map((step) => step.id),
    steps: Object.fromEntries(ledger),
    onExhausted: plan.onExhausted,
    maxGenerations: plan.maxGenerations,
    compensation: null,
    completeWithinMs: request.completeWithinMs,
    endByMs: null,
    retainForMs: request.retainForMs,
    audit: [],
    input: request.input,
    payloadHash: request.payloadHash,
    planHash: null,
    submittedAt: new Date(now).toISOString(),
    submittedAtMs: now,
    endedAt: null,
    endedAtMs: null,
    ...unbegunEnvelope(
      originOf(request),
      Math.max(request.hasTickets === true ? continuingSchema : basicSchema, schemaOf(plan)),
    ),
    ...optionalPartsOf(request),
  })
}

function optionalPartsOf({ tags = [], plan, hasTickets, notify }: SubmitRequest): Partial<JobDocument> {
  const { output, secrets, limits } = plan
  return {
    ...(notify === undefined ? {} : { notify: [...notify] }),
    ...(limits === undefined ? {} : { limits: [...limits] }),
    ...(secrets === undefined ? {} : { secrets: copied(secrets) }),
    ...(hasTickets === true ? { hasTickets } : {}),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(output === undefined ? {} : { resultTemplate: output }),
  }
}

function stepOf(step: PlanStep, request: SubmitRequest): StepDocument {
  const { count, question } = step
  return Object.assign(
    unbegunStep(plannedStep(step), originOf(request)),
    { kind: step.kind, schema: stepSchemaOf(step) },
    count === undefined ? {} : { collect: { count, events: [] } },
    question === undefined ? {} : { question },
  )
}

function originOf({ jobId, partition, orderId, priority, plan }: SubmitRequest): StepOrigin {
  return { jobId, pk: partition, orderId, priority, workflow: plan.workflow, workflowVersion: plan.version }
}

function copied(paths: readonly SecretPath[]): string[][] {
  return paths.map((path) => [...path])
}
