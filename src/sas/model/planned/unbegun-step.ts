import { stepDocumentId } from '../document-ids.js'
import { basicSchema, type JobDocument, type PlannedStep, type StepDocument } from '../documents.js'
import { addDerivedState, deadline } from '../process-state.js'
import { idempotencyKey } from '../work.js'

/** The fields of a job that its steps share. */
export type StepOrigin = Pick<
  JobDocument,
  'pk' | 'jobId' | 'orderId' | 'priority' | 'workflow' | 'workflowVersion'
>

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
