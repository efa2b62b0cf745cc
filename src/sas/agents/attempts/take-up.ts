import { retry } from '../../../platform/internal.js'
import type { StepDocument } from '../../model/documents.js'
import { StoreUnavailable } from '../../model/errors.js'
import { isLongOffer, mayWait } from '../../decisions/claim.js'
import { enoughTime } from '../../decisions/extend.js'
import { isOpen } from '../../decisions/settle.js'
import type { Stored } from '../../store/state-store.js'
import { enterAttempt, entersFirst, type Entrant } from './enter-attempt.js'
import { moreTime, type MoreTimeOptions } from './more-time.js'

/** Checks whether an attempt that begins now has lost too much of the time that it had at its dispatch. */
function isMissingTime(
  { completeByMs, completeWithinMs, _ts }: Stored<StepDocument> & { readonly completeByMs: number },
  now: number,
): boolean {
  // The limit of its job may leave less than `completeWithin`.
  const givenMs = Math.min(completeWithinMs, completeByMs - _ts * 1_000)
  return completeByMs - now < givenMs * enoughTime
}

type TakeUpOptions = Omit<MoreTimeOptions, 'late' | 'progress'>

/** Checks whether these agents may begin the attempt, even if its deadline passed while the step waited (I44). */
export function mayBegin(step: StepDocument, now: number): boolean {
  return isOpen(step, now) || mayWait(step)
}

/**
 * W2: returns the stored step if this process may act on it, or null. If the step has waited for its slot for more than a
 * tenth of its time, its attempt gets the whole time from now. For this, the process writes a new deadline and its claim.
 */
export async function takeUp(
  options: TakeUpOptions,
  offered: Stored<StepDocument>,
  entrant: Entrant,
): Promise<Stored<StepDocument> | null> {
  const now = options.clock.now()
  const hasWaited = mayWait(offered) && (isLongOffer(offered) || isMissingTime(offered, now))
  if (!hasWaited) return isOpen(offered, now) ? entered(options, offered, entrant) : null
  const late = { isFirst: entrant.isFirst }
  const { step, over, isWritten } = await moreTime({ ...options, late }, offered, entrant.claimant)
  if (over !== null) return null
  return isWritten ? step : entered(options, step, entrant)
}

/** Enters the attempt. If the store does not answer, tries again until the deadline. */
function entered(
  { store, clock, random, signal }: TakeUpOptions,
  step: Stored<StepDocument>,
  entrant: Entrant,
): Promise<Stored<StepDocument> | null> {
  if (entersFirst(step, entrant)) return Promise.resolve(step)
  return retry(() => enterAttempt({ store, clock }, step, entrant), {
    clock,
    random,
    backoff: { minMs: 50, maxMs: 2_000 },
    tries: Number.POSITIVE_INFINITY,
    signal,
    isTransient: (error) => error instanceof StoreUnavailable && isOpen(step, clock.now()),
  })
}
