import type { Json, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import type { AskedQuestion } from '../model/question-parts.js'
import { nextMomentMs } from './remind.js'

/** The longest title of a question. */
export const maxTitleLength = 500

/** The most people who can be asked. */
export const maxAssignees = 50

/**
 * Puts the question of a step whose attempt was just dispatched. The attempt's deadline is the end of the
 * time for the answer. The deadline of the document is earlier if a reminder or an escalation comes before.
 * Returns the reason for a refusal if the title or the people are not what they must be.
 */
export function putQuestion(step: StepDocument, now: number): StepDocument | string {
  const { title, assignees = [], escalateTo = [] } = step.input as Readonly<Record<string, Json>>
  if (!isName(title) || title.length > maxTitleLength)
    return `the title of the question must be a text of 1 to ${maxTitleLength} characters`
  if (!isNameList(assignees)) return `the assignees of the question must be ${listOfNames}`
  if (!isNameList(escalateTo)) return `the people of the escalation must be ${listOfNames}`
  const asked = step.asked ?? {
    title,
    assignees,
    since: new Date(now).toISOString(),
    expiresAtMs: step.completeByMs ?? now,
    ...momentsOf(step, escalateTo, now),
  }
  return withDerivedState({ ...step, asked, ...deadline(nextMomentMs(asked)) })
}

function momentsOf(
  { question, completeByMs }: StepDocument,
  escalateTo: readonly string[],
  now: number,
): Partial<AskedQuestion> {
  const { remindAfterMs = Infinity, escalateAfterMs = Infinity } = question ?? {}
  const endMs = completeByMs ?? now
  return {
    ...(now + remindAfterMs < endMs && { remindAtMs: now + remindAfterMs }),
    ...(now + escalateAfterMs < endMs && {
      escalateAtMs: now + escalateAfterMs,
      escalateTo: [...escalateTo],
    }),
  }
}

/** Returns the step without its open question, if it has one. */
export function withoutQuestion(step: StepDocument): StepDocument {
  return step.asked === undefined || step.asked === null ? step : { ...step, asked: null }
}

const listOfNames = `a list of at most ${maxAssignees} names`

function isNameList(value: Json): value is string[] {
  return Array.isArray(value) && value.every(isName) && value.length <= maxAssignees
}

function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
