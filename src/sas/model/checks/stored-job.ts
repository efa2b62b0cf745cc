import { jobSchema, type JobDocument } from '../documents.js'
import { isPlain, quickChecks } from './quick-check.js'
import { isInteger, isNullOr, isNumber, isText } from './values.js'

const { shape } = jobSchema
const part = quickChecks(shape)

type Fields = Readonly<Record<keyof typeof shape, unknown>>

/** Checks whether the schema accepts a job and leaves it unchanged. See `isStoredStep`. */
export function isStoredJob(value: unknown): value is JobDocument {
  if (!isPlain(value) || Object.hasOwn(value, '__proto__')) return false
  const job = value as Fields
  return hasIdentity(job) && hasPlan(job) && hasState(job) && hasOptional(job) && hasOperatorParts(job)
}

function hasIdentity(job: Fields): boolean {
  return (
    job.type === 'sas.job' &&
    isText(job.id) &&
    isText(job.pk) &&
    isInteger(job.schema) &&
    isText(job.jobId) &&
    isText(job.orderId) &&
    isText(job.workflow) &&
    isInteger(job.workflowVersion) &&
    isText(job.payloadHash) &&
    isText(job.submittedAt) &&
    isNumber(job.submittedAtMs)
  )
}

function hasPlan(job: Fields): boolean {
  return (
    isNumber(job.priority) &&
    isNullOr(job.replyTo, isText) &&
    part.stepIds(job.stepIds) &&
    part.onExhausted(job.onExhausted) &&
    isInteger(job.maxFailures) &&
    isInteger(job.maxGenerations) &&
    isNullOr(job.completeWithinMs, isNumber) &&
    isNullOr(job.retainForMs, isNumber) &&
    part.input(job.input) &&
    isNullOr(job.planHash, isText)
  )
}

function hasState(job: Fields): boolean {
  return (
    isText(job.initialState) &&
    isText(job.targetState) &&
    isText(job.currentState) &&
    isText(job.desiredState) &&
    part.processState(job.processState) &&
    part.steps(job.steps) &&
    isNullOr(job.lockedBy, isText) &&
    isInteger(job.fence) &&
    isNullOr(job.completeBy, isText) &&
    isNullOr(job.completeByMs, isNumber) &&
    isNullOr(job.endByMs, isNumber) &&
    isInteger(job.failureCount) &&
    isInteger(job.generation) &&
    isInteger(job.notifySeq) &&
    isNullOr(job.compensation, part.compensation) &&
    part.diagnostics(job.diagnostics) &&
    isNullOr(job.attention, part.attention) &&
    part.audit(job.audit) &&
    isNullOr(job.endedAt, isText) &&
    isNullOr(job.endedAtMs, isNumber) &&
    isInteger(job.ttl)
  )
}

/** Checks the fields that only some jobs have, except those that operators write. */
function hasOptional(job: Fields): boolean {
  return (
    (job.outputs === undefined || part.outputs(job.outputs)) &&
    (job.tags === undefined || part.tags(job.tags)) &&
    (job.resultTemplate === undefined || part.resultTemplate(job.resultTemplate)) &&
    (job.result === undefined || part.result(job.result)) &&
    (job.secrets === undefined || part.secrets(job.secrets)) &&
    (job.planned === undefined || part.planned(job.planned)) &&
    (job.hasTickets === undefined || part.hasTickets(job.hasTickets)) &&
    (job.notify === undefined || part.notify(job.notify)) &&
    (job.limits === undefined || part.limits(job.limits)) &&
    (job.place === undefined || part.place(job.place))
  )
}

function hasOperatorParts(job: Fields): boolean {
  return (
    (job.operatedAtMs === undefined || part.operatedAtMs(job.operatedAtMs)) &&
    (job.paused === undefined || part.paused(job.paused)) &&
    (job.pausedWith === undefined || part.pausedWith(job.pausedWith)) &&
    (job.restartedAs === undefined || part.restartedAs(job.restartedAs)) &&
    (job.restartOf === undefined || part.restartOf(job.restartOf)) &&
    (job.triage === undefined || part.triage(job.triage)) &&
    (job.otherTriages === undefined || part.otherTriages(job.otherTriages)) &&
    (job.triageAudit === undefined || part.triageAudit(job.triageAudit))
  )
}
