import type { Json, StepDocument } from '../model/documents.js'
import { withDerivedState } from '../model/process-state.js'

/** The longest title of a question. */
export const maxTitleLength = 500

/** The most people who can be asked. */
export const maxAssignees = 50

/**
 * Puts the question of a step whose attempt was just dispatched. The attempt's deadline is the end of the
 * time for the answer. Returns the reason for a refusal if the title or the people are not what they must be.
 */
export function putQuestion(step: StepDocument, now: number): StepDocument | string {
  const { title, assignees = [] } = step.input as { readonly title?: Json; readonly assignees?: Json }
  if (!isName(title) || title.length > maxTitleLength)
    return `the title of the question must be a text of 1 to ${maxTitleLength} characters`
  if (!Array.isArray(assignees) || !assignees.every(isName) || assignees.length > maxAssignees)
    return `the assignees of the question must be a list of at most ${maxAssignees} names`
  const since = new Date(now).toISOString()
  const asked = { title, assignees, since, expiresAtMs: step.completeByMs ?? now }
  return withDerivedState({ ...step, asked: step.asked ?? asked })
}

/** Returns the step without its open question, if it has one. */
export function withoutQuestion(step: StepDocument): StepDocument {
  return step.asked === undefined || step.asked === null ? step : { ...step, asked: null }
}

function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
