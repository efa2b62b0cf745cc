import type { StepDocument } from '../documents.js'
import { withOthers } from './with-others.js'

const order = Object.keys(fieldsOf({} as StepDocument))

/**
 * Returns a copy of a step, with the fields that this version does not know, too. Only optional fields may be omitted.
 * See `copyWith`.
 */
export function copyOfStep(step: StepDocument, omitted?: ReadonlySet<PropertyKey>): StepDocument {
  return withOthers(fieldsOf(step), step, order, omitted)
}

/** Returns the fields that each step has. */
function fieldsOf(step: StepDocument): StepDocument {
  return {
    id: step.id,
    type: step.type,
    stepId: step.stepId,
    kind: step.kind,
    when: step.when,
    event: step.event,
    direction: step.direction,
    priority: step.priority,
    actor: step.actor,
    action: step.action,
    dependsOn: step.dependsOn,
    inputTemplate: step.inputTemplate,
    input: step.input,
    initialState: step.initialState,
    targetState: step.targetState,
    currentState: step.currentState,
    desiredState: step.desiredState,
    undo: step.undo,
    onExhausted: step.onExhausted,
    completeWithinMs: step.completeWithinMs,
    retryBackoff: step.retryBackoff,
    maxFailures: step.maxFailures,
    notBeforeMs: step.notBeforeMs,
    dispatch: step.dispatch,
    attempt: step.attempt,
    idempotencyKey: step.idempotencyKey,
    isClaimRequired: step.isClaimRequired,
    lateDispatches: step.lateDispatches,
    claim: step.claim,
    outcome: step.outcome,
    output: step.output,
    mayHaveActed: step.mayHaveActed,
    owed: step.owed,
    undoTemplate: step.undoTemplate,
    firstBy: step.firstBy,
    pk: step.pk,
    schema: step.schema,
    jobId: step.jobId,
    orderId: step.orderId,
    workflow: step.workflow,
    workflowVersion: step.workflowVersion,
    lockedBy: step.lockedBy,
    fence: step.fence,
    completeBy: step.completeBy,
    completeByMs: step.completeByMs,
    failureCount: step.failureCount,
    generation: step.generation,
    diagnostics: step.diagnostics,
    attention: step.attention,
    ttl: step.ttl,
    processState: step.processState,
  }
}
