import type { Change } from '../../src/change-feed-processor/index.js'
import { defineAgent } from '../../src/sas/agents/agent.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { decodeDocument } from '../../src/sas/model/decode.js'
import type { Plan } from '../../src/sas/plan/plan.js'
import type { Reference } from '../../src/sas/model/values/reference.js'
import type { StateDocument, StateWrite, Stored } from '../../src/sas/store/state-store.js'
import { submit, type SubmitRequest } from '../../src/sas/submission/submit.js'
import type { Step } from '../../src/sas/model/values/step-handle.js'
import type { StepOptions } from '../../src/sas/workflow/step-options.js'
import { defineWorkflow, type Workflow } from '../../src/sas/workflow/workflow.js'

/** The instant at which the jobs of tests are submitted, where a `VirtualClock` starts. */
export const submittedAtMs = Date.UTC(2026, 0, 1)

/** Steps by id, each with the steps that must be done before it: `{ a: [], b: ['a'] }`. */
export type WorkflowShape = Readonly<Record<string, readonly string[]>>

/**
 * An agent with two operations: `shop.sell`, which returns its input, and `shop.takeBack`, which undoes it.
 */
export const shop = defineAgent('shop', {
  sell: (input: { readonly item: string }) => input,
  takeBack: (_input: { readonly item: string; readonly sold?: unknown }) => null,
})

/** The parts of a workflow that a test may choose: options of every step, and whether steps have an undo. */
export interface ShapeOptions extends StepOptions {
  readonly undo?: boolean
  readonly maxGenerations?: number
}

/** Returns a workflow of this shape. Every step is `shop.sell` with its own id as the item. */
export function aWorkflow(
  shape: WorkflowShape = { only: [] },
  { undo = false, maxGenerations = 3, ...options }: ShapeOptions = {},
): Workflow<unknown> {
  return defineWorkflow<unknown>('shopping', (job) => {
    const built = new Map<string, Step<unknown>>()
    for (const [id, dependencies] of Object.entries(shape)) {
      const after = [...built.values()].filter((step) => dependencies.includes(step.id))
      const back = undo
        ? { undo: (sold: Reference<unknown>) => shop.takeBack({ item: id, sold }) }
        : { undo: 'none' as const }
      built.set(id, job.step(id, shop.sell, { item: id }, { ...options, after, ...back }))
    }
    const policy = options.onExhausted ?? 'error'
    job.onExhausted(policy === 'continue' ? 'error' : policy, { maxGenerations })
  })
}

/** Returns a submission of this plan, with overrides. */
export function aSubmission(plan: Plan, overrides: Partial<SubmitRequest> = {}): SubmitRequest {
  return {
    plan,
    jobId: 'job-1',
    orderId: 'order-1',
    partition: 'job-1',
    input: {},
    alongside: [],
    priority: 0,
    replyTo: null,
    completeWithinMs: null,
    retainForMs: null,
    payloadHash: 'hash',
    now: submittedAtMs,
    ...overrides,
  }
}

export interface JobDocuments {
  readonly job: JobDocument
  readonly steps: ReadonlyMap<string, StepDocument>
}

/** Returns the documents of a group of writes. */
export function documentsOf(writes: readonly StateWrite[]): JobDocuments {
  const decoded = writes.map((write) => decodeDocument(write.document))
  const [job] = decoded.flatMap((document) => (document.kind === 'job' ? [document.job] : []))
  if (job === undefined) throw new Error('there is no job among these writes')
  const steps = decoded.flatMap((document) => (document.kind === 'step' ? [document.step] : []))
  return { job, steps: new Map(steps.map((step) => [step.stepId, step])) }
}

/** Returns a submitted job, with overrides. */
export function aJob(overrides: Partial<JobDocument> = {}): JobDocument {
  return { ...documentsOf(submit(aSubmission(aWorkflow().plan))).job, ...overrides }
}

/** Returns a submitted step, with overrides. */
export function aStep(overrides: Partial<StepDocument> = {}): StepDocument {
  const { steps } = documentsOf(submit(aSubmission(aWorkflow().plan)))
  return { ...theStep(steps, 'only'), ...overrides }
}

/** Returns the step with this id. Throws if there is none. */
export function theStep(steps: ReadonlyMap<string, StepDocument>, stepId: string): StepDocument {
  const step = steps.get(stepId)
  if (step === undefined) throw new Error(`there is no step ${JSON.stringify(stepId)}`)
  return step
}

/** Returns a document as it is read from a store. */
export function asStored<T>(document: T, etag = '"1"'): Stored<T> {
  return { ...document, _etag: etag, _ts: submittedAtMs / 1_000 }
}

/** Returns a document as the feed delivers it. */
export function asChange(document: StateDocument, lsn = 1): Change {
  return { ...asStored(document), _lsn: lsn, ...systemFieldsIn(document) }
}

/**
 * Keeps the system fields of a document that was read, so that writes after a delivery have the right etag.
 */
function systemFieldsIn({ _etag, _ts }: StateDocument): Partial<Pick<Change, '_etag' | '_ts'>> {
  return {
    ...(typeof _etag === 'string' ? { _etag } : {}),
    ...(typeof _ts === 'number' ? { _ts } : {}),
  }
}
