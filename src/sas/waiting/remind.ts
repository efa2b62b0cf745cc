import type { Attention, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import type { AskedQuestion } from '../model/question-parts.js'

/** Returns the time of the next reminder, of the escalation, or of the end of the question. */
export function nextMomentMs({ remindAtMs, escalateAtMs, expiresAtMs }: AskedQuestion): number {
  return Math.min(remindAtMs ?? expiresAtMs, escalateAtMs ?? expiresAtMs, expiresAtMs)
}

/**
 * Flags a step whose question needs a reminder or an escalation now. An escalation also adds people to those
 * who are asked. Each happens once. Returns null if the question is not open or nothing is due.
 */
export function remind(
  step: StepDocument,
  { now, by }: { readonly now: number; readonly by: string },
): StepDocument | null {
  const { asked, stepId } = step
  if (!asked || now >= asked.expiresAtMs || now < nextMomentMs(asked)) return null
  const { remindAtMs: _reminded, escalateAtMs, escalateTo = [], ...question } = asked
  const isEscalated = escalateAtMs !== undefined && now >= escalateAtMs
  const open: AskedQuestion = isEscalated
    ? { ...question, assignees: [...new Set([...asked.assignees, ...escalateTo])] }
    : { ...question, ...(escalateAtMs !== undefined && { escalateAtMs, escalateTo }) }
  const attention: Attention = {
    kind: isEscalated ? 'escalated' : 'unanswered',
    since: new Date(now).toISOString(),
    by,
    message: `the question ${JSON.stringify(asked.title)} is open since ${asked.since}${addressees(open)}`,
    stepId,
  }
  return withDerivedState({
    ...step,
    asked: open,
    attention,
    fence: step.fence + 1,
    ...deadline(nextMomentMs(open)),
  })
}

function addressees({ assignees }: AskedQuestion): string {
  return assignees.length === 0 ? '' : `; asked: ${assignees.join(', ')}`
}
