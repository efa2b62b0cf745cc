import type { JobDocument } from '../documents.js'
import { withOthers } from './with-others.js'

const order = Object.keys(fieldsOf({} as JobDocument))

/**
 * Returns a copy of a job, with the fields that this version does not know, too. Only optional fields may be omitted.
 * See `copyWith`.
 */
export function copyOfJob(job: JobDocument, omitted?: ReadonlySet<PropertyKey>): JobDocument {
  return withOthers(fieldsOf(job), job, order, omitted)
}

/** Returns the fields that each job has. */
function fieldsOf(job: JobDocument): JobDocument {
  return {
    id: job.id,
    type: job.type,
    initialState: job.initialState,
    targetState: job.targetState,
    currentState: job.currentState,
    desiredState: job.desiredState,
    maxFailures: job.maxFailures,
    priority: job.priority,
    replyTo: job.replyTo,
    notifySeq: job.notifySeq,
    stepIds: job.stepIds,
    steps: job.steps,
    onExhausted: job.onExhausted,
    maxGenerations: job.maxGenerations,
    compensation: job.compensation,
    completeWithinMs: job.completeWithinMs,
    endByMs: job.endByMs,
    retainForMs: job.retainForMs,
    audit: job.audit,
    input: job.input,
    payloadHash: job.payloadHash,
    planHash: job.planHash,
    submittedAt: job.submittedAt,
    submittedAtMs: job.submittedAtMs,
    endedAt: job.endedAt,
    endedAtMs: job.endedAtMs,
    pk: job.pk,
    schema: job.schema,
    jobId: job.jobId,
    orderId: job.orderId,
    workflow: job.workflow,
    workflowVersion: job.workflowVersion,
    lockedBy: job.lockedBy,
    fence: job.fence,
    completeBy: job.completeBy,
    completeByMs: job.completeByMs,
    failureCount: job.failureCount,
    generation: job.generation,
    diagnostics: job.diagnostics,
    attention: job.attention,
    ttl: job.ttl,
    processState: job.processState,
  }
}
