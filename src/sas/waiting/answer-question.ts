import type { Json, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { sameJson } from '../plan/payload.js'
import { fillIn, yesOrNo, type Filled } from './form.js'

/** An answer of a person to the question of a step. */
export interface Answer {
  readonly data: Json
  readonly by: string
  readonly note: string | null
}

export type Answered =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The same person has given the same answer before. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The answer does not fit the form. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** The time within which a scheduler must read the answer. Afterwards the step is flagged as unclaimed. */
const pickUpWithinMs = 60_000

/**
 * Records the answer to the question of a step (W10). The scheduler ends the step when it reads the answer.
 * Only the first answer counts. The same person can repeat the same answer without a write.
 */
export function answerQuestion(step: StepDocument, answer: Answer, now: number): Answered {
  const { question, event, asked, stepId } = step
  if (question === undefined) {
    const advice = step.kind === 'waitFor' ? ': it waits for an event, which is raised' : ''
    return refused(`step ${stepId} asks no question${advice}`)
  }
  const filled = filledIn(question.form, answer.data)
  if (event !== null) {
    const isSame = filled.kind === 'data' && sameJson(event.payload, filled.data) && event.by === answer.by
    if (isSame) return { kind: 'nothing' }
    return refused(`step ${stepId} was already answered by ${event.by ?? 'a person'} at ${event.at}`)
  }
  if (asked === undefined || asked === null) return refused(`step ${stepId} ${whyClosed(step)}`)
  // The time for the answer does not run while the job is paused.
  if (step.held === undefined && now >= asked.expiresAtMs) {
    return refused(`step ${stepId} could be answered until ${new Date(asked.expiresAtMs).toISOString()}`)
  }
  if (filled.kind === 'problem') return { kind: 'invalid', reason: filled.what }
  const { data: payload } = filled
  const note = answer.note === null ? {} : { note: answer.note }
  const given = { payload, at: new Date(now).toISOString(), by: answer.by, ...note, askedAt: asked.since }
  const answered = {
    ...step,
    event: given,
    asked: null,
    lockedBy: null,
    fence: step.fence + 1,
    notBeforeMs: null,
    ...deadline(now + pickUpWithinMs),
  }
  return { kind: 'write', step: withDerivedState(answered) }
}

/** Fills in a form. True and false also answer a form that has exactly one property that is true or false. */
function filledIn(form: Json, data: Json): Filled {
  const filled = fillIn(form, data)
  if (filled.kind === 'data' || typeof data !== 'boolean') return filled
  const flag = yesOrNo(form, data)
  return flag === null ? filled : fillIn(form, flag)
}

/** Returns the reason why the question of a step is not open. */
function whyClosed({ dispatch, attention, outcome }: StepDocument): string {
  if (dispatch === 0) return 'is not asked yet'
  const isLate = attention !== null && outcome === null
  return isLate ? 'was not answered in time, and can no longer be answered' : 'is not asked any more'
}

function refused(reason: string): Answered {
  return { kind: 'refused', reason }
}
