import { copyWith, copyWithout } from '../copies/copy-with.js'
import { stepDocumentId } from '../document-ids.js'
import { basicSchema, type JobDocument, type PlannedStep, type StepDocument } from '../documents.js'
import { addDerivedState, deadline } from '../process-state.js'
import { idempotencyKey } from '../work.js'

/** The fields of a job that its steps share. */
export type StepOrigin = Pick<
  JobDocument,
  'pk' | 'jobId' | 'orderId' | 'priority' | 'workflow' | 'workflowVersion'
>

/** A step without a document of its own, in the form of a step that was read. */
type Planned = StepDocument & { readonly _etag: string; readonly _ts: number }

/** The etag of a step that has no document yet. The write that replaces such a step creates its document. */
export const etagOfPlanned = ''

const plannedField: ReadonlySet<PropertyKey> = new Set(['planned'])
const none: ReadonlyMap<string, Planned> = new Map()

/** The planned steps of the jobs in memory. A decision asks for them several times. */
const known = new WeakMap<JobDocument, ReadonlyMap<string, Planned>>()

/** Returns the steps of a job that have no document yet, by step id, as their submission would have written them (I45). */
export function plannedSteps(job: JobDocument): ReadonlyMap<string, Planned> {
  const { planned } = job
  if (planned === undefined) return none
  const earlier = known.get(job)
  if (earlier !== undefined) return earlier
  const steps = new Map(
    planned.map((step) => [step.id, Object.assign(unbegunStep(step, job), { _etag: etagOfPlanned, _ts: 0 })]),
  )
  known.set(job, steps)
  return steps
}

/**
 * Adds the planned steps of a job to the documents of its steps. A document of a planned step was written after this version
 * of the job, or is left over from an earlier job with this id, so it is left out.
 */
export function withPlannedOf<S extends StepDocument>(
  job: JobDocument,
  documents: readonly S[],
): readonly (S | Planned)[] {
  const planned = plannedSteps(job)
  if (planned.size === 0) return documents
  return [...documents.filter(({ stepId }) => !planned.has(stepId)), ...planned.values()]
}

/** Checks whether a step of the job has a document of its own. */
export function hasDocument({ planned }: Pick<JobDocument, 'planned'>, stepId: string): boolean {
  return planned?.some(({ id }) => id === stepId) !== true
}

/** Returns the job as it is after the documents of these steps are written with it. */
export function withDocumentsOf(
  job: JobDocument,
  steps: readonly Pick<StepDocument, 'stepId'>[],
): JobDocument {
  const { planned } = job
  if (planned === undefined) return job
  const left = planned.filter(({ id }) => !steps.some(({ stepId }) => stepId === id))
  if (left.length === planned.length) return job
  return left.length === 0 ? copyWithout(job, plannedField) : copyWith(job, { planned: left })
}

/** Returns the document of a step that has not begun. */
export function unbegunStep(step: PlannedStep, origin: StepOrigin): StepDocument {
  const { jobId, priority } = origin
  return addDerivedState({
    id: stepDocumentId(jobId, step.id),
    type: 'sas.step' as const,
    stepId: step.id,
    kind: step.kind ?? 'operation',
    when: step.when ?? null,
    event: null,
    direction: 'do' as const,
    priority,
    actor: step.actor,
    action: step.action,
    dependsOn: [...step.dependsOn],
    inputTemplate: step.input,
    input: null,
    initialState: step.initialState,
    targetState: step.targetState,
    currentState: step.initialState,
    desiredState: step.initialState,
    undo: undoOf(step),
    onExhausted: step.onExhausted,
    completeWithinMs: step.completeWithinMs,
    retryBackoff: step.retryBackoff,
    maxFailures: step.maxFailures,
    notBeforeMs: null,
    dispatch: 0,
    attempt: 0,
    idempotencyKey: idempotencyKey({ jobId, stepId: step.id }, 1, 'do'),
    isClaimRequired: step.isClaimRequired ?? false,
    lateDispatches: 0,
    claim: null,
    outcome: null,
    output: null,
    mayHaveActed: false,
    owed: [],
    undoTemplate: null,
    firstBy: null,
    ...unbegunEnvelope(origin, basicSchema),
    ...(step.jobGoesOn === true ? { jobGoesOn: true } : {}),
    ...(step.repeat === undefined ? {} : { repeat: step.repeat }),
    ...(step.limits === undefined ? {} : { limits: step.limits }),
    ...(step.secrets === undefined ? {} : { secrets: step.secrets }),
  })
}

/**
 * Returns the fields that a job and its steps share, before any work. Spread the result late, because an object literal that
 * begins with a spread costs a hundred times as much.
 */
export function unbegunEnvelope(origin: Omit<StepOrigin, 'priority'>, schema: number) {
  return {
    pk: origin.pk,
    schema,
    jobId: origin.jobId,
    orderId: origin.orderId,
    workflow: origin.workflow,
    workflowVersion: origin.workflowVersion,
    lockedBy: null,
    fence: 0,
    ...deadline(null),
    failureCount: 0,
    generation: 1,
    diagnostics: [],
    attention: null,
    ttl: -1,
  }
}

function undoOf({ undo }: PlannedStep): StepDocument['undo'] {
  if (undo === undefined) return null
  const { actor, action, input: inputTemplate, whenUncertain } = undo
  return { actor, action, inputTemplate, input: null, failureCount: 0, whenUncertain }
}
