import { isDeepStrictEqual } from 'node:util'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import type { Rule } from './job-changes.js'

/** I39: the plan of a step changes only as a whole, by an operator, and before the step begins. */
export const replannedBeforeBegun: Rule<StepDocument> = ({ before, after, by }) => {
  if (before === null) return null
  const { id, planNumber: is = 0 } = after
  const was = before.planNumber ?? 0
  if (is !== was) {
    if (by?.party !== 'client') return `I39: ${by?.party ?? 'no party'} replaced the plan of ${id}`
    if (is !== was + 1) return `I39: the plan of ${id} went from number ${was} to ${is}`
    return before.dispatch === 0 && after.dispatch === 0 ? null : `I39: ${id} had begun and has a new plan`
  }
  const isSame = isDeepStrictEqual(decidedByPlan(before), decidedByPlan(after))
  return isSame ? null : `I39: a part of the plan of ${id} changed without a migration`
}

function decidedByPlan({
  when,
  dependsOn,
  completeWithinMs,
  maxFailures,
  retryBackoff,
  actor,
}: StepDocument) {
  return { when, dependsOn, completeWithinMs, maxFailures, retryBackoff, actor }
}

/** I39: no step that has not begun is behind the plan of its job. */
export const replannedTogether: Rule<JobDocument> = ({ after, steps }) => {
  const behind = after.stepIds.filter((stepId) => {
    const { planNumber = 0 } = after.steps[stepId] ?? {}
    return (steps.get(stepId)?.planNumber ?? 0) < planNumber
  })
  return behind.length === 0 ? null : `I39: ${behind.join(', ')} of job ${after.jobId} has an old plan`
}

/** I39: a step that begins or is left out goes by its newest plan. */
export const skippedByNewestPlan: Rule<JobDocument> = ({ before, after, steps }) => {
  const wrong = after.stepIds.filter((stepId) => {
    const isSkipped =
      before?.steps[stepId]?.state === 'NotStarted' && after.steps[stepId]?.state === 'Skipped'
    const step = steps.get(stepId)
    return isSkipped && (step?.planNumber ?? 0) > 0 && step?.when === null
  })
  return wrong.length === 0
    ? null
    : `I39: ${wrong.join(', ')} of job ${after.jobId} was left out by an old plan`
}
