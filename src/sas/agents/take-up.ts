import type { StepDocument } from '../model/documents.js'
import { mayWait } from '../decisions/claim.js'
import { isOpen } from '../decisions/settle.js'
import type { Stored } from '../store/state-store.js'
import { enterAttempt, type Entrant } from './enter-attempt.js'
import { moreTime, type MoreTimeOptions } from './more-time.js'

/** Checks whether these agents may begin the attempt, even if its deadline passed while the step waited (I44). */
export function mayBegin(step: StepDocument, now: number): boolean {
  return isOpen(step, now) || mayWait(step)
}

/**
 * W2: returns the stored step if this process may act on it, or null. If the step has waited for its slot until less than
 * half of its time was left, its attempt gets the whole time from now. For this, writes a new deadline and a claim of this
 * process.
 */
export async function takeUp(
  options: Omit<MoreTimeOptions, 'late' | 'progress'>,
  offered: Stored<StepDocument>,
  entrant: Entrant,
): Promise<Stored<StepDocument> | null> {
  const now = options.clock.now()
  const hasWaited = mayWait(offered) && offered.completeByMs - now < offered.completeWithinMs / 2
  if (!hasWaited) return isOpen(offered, now) ? enterAttempt(options, offered, entrant) : null
  const late = { isFirst: entrant.isFirst }
  const { step, over, isWritten } = await moreTime({ ...options, late }, offered, entrant.claimant)
  if (over !== null) return null
  return isWritten ? step : enterAttempt(options, step, entrant)
}
