import type { PlanQuestion } from '../model/question-parts.js'

/** Returns what is wrong with the times of a question, with the values as the definition may write them. */
export function tooLate(
  question: PlanQuestion | undefined,
  { completeWithin: completeWithinMs }: { readonly completeWithin: number },
): readonly string[] {
  const { remindAfterMs, escalateAfterMs } = question ?? {}
  const times = { remindAfter: remindAfterMs, escalateAfter: escalateAfterMs }
  return Object.entries(times).flatMap(([option, ms]) => {
    if (ms === undefined || !(ms >= completeWithinMs)) return []
    const limit = `completeWithin (${timeText(completeWithinMs)}; a question without it has 7d)`
    return [`${option} (${timeText(ms)}) must be shorter than ${limit}`]
  })
}

/** Returns a time in the largest unit of which it is a multiple, such as `7d`. */
function timeText(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }
  const [unit, unitMs] = Object.entries(units).find(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${ms / unitMs}${unit}`
}
