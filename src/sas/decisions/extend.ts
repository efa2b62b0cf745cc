import { copyWith } from '../model/copies/copy-with.js'
import { claimOf, isLongOffer, mayWait, type Claimant } from './claim.js'
import type { StepDocument } from '../model/documents.js'
import type { Progress } from '../model/readable-parts.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { isOpen } from './settle.js'

export type Extension =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The deadline stays, because more than half of the time is left or the job allows no more time. */
  | { readonly kind: 'unchanged' }
  /** The attempt is over, or another process makes this attempt. This process must stop. */
  | { readonly kind: 'refused'; readonly reason: string }

/** The time of the request, and the deadline of the job or null. Both are in milliseconds since the epoch. */
export interface AskedAt {
  readonly now: number
  readonly endByMs: number | null
  /** How far the attempt is, if its handler said so. */
  readonly progress?: Progress | undefined
  /** Set if the attempt begins only now, because its step has waited for a slot. */
  readonly late?: LateBegin | undefined
}

/** The start of an attempt whose step has waited for a slot, perhaps beyond its deadline. */
export interface LateBegin {
  /** True if no other process can have begun the attempt. */
  readonly isFirst: boolean
}

/** An attempt that begins with more than this part of its time has not lost enough of it to justify a write. */
export const enoughTime = 0.9

/** The shortest time between two writes of progress, so that many reports cost few requests. */
const progressEveryMs = 10_000

/**
 * Extends the deadline of an open attempt that needs more time (F-A25, I3), or of an attempt that begins late (I44).
 * The new deadline is one whole `completeWithin` from now. The fence does not change, so the attempt stays the same
 * (I2). The claim names the process that makes the attempt. The owner of the range also receives this write. Because
 * of the claim, this owner does not begin the attempt again. A report of progress is written with the new deadline, or
 * alone if the last report is old enough.
 */
export function extend(
  step: StepDocument & { readonly _ts?: number },
  claimant: Claimant,
  { now, endByMs, progress, late }: AskedAt,
): Extension {
  const { fence, token } = claimant
  if (step.fence !== fence)
    return { kind: 'refused', reason: 'the step was stopped or given to another attempt' }
  const isLate = late !== undefined && mayWait(step)
  if (!isOpen(step, now) && !isLate) {
    const reason =
      step.outcome === null ? 'the deadline of the attempt has passed' : 'the attempt is settled already'
    return { kind: 'refused', reason }
  }
  if (step.claim?.fence === fence && step.claim.token !== token) {
    return { kind: 'refused', reason: 'another process makes this attempt' }
  }
  const isNews = progress !== undefined && now - lastReportMs(step) >= progressEveryMs
  // An offer may last longer than an attempt.
  const isOffer = isLate && isLongOffer(step)
  const enough = isLate ? enoughTime : 1 / 2
  const isEnough = step.completeByMs - now > step.completeWithinMs * enough
  if (!isNews && !isOffer && isEnough) return { kind: 'unchanged' }
  // No attempt may last longer than its job, except an undo (F-Q13).
  const latest = (step.direction === 'undo' ? null : endByMs) ?? Infinity
  const laterMs = Math.min(now + step.completeWithinMs, latest)
  if (laterMs <= now) return { kind: 'refused', reason: 'the time of the job is over' }
  if (!isNews && !isOffer && laterMs <= step.completeByMs) return { kind: 'unchanged' }
  const reported = progress && { progress: { ...progress, at: new Date(now).toISOString() } }
  const isJoined = isLate && !late.isFirst && !step.isClaimRequired
  const mayHaveActed = step.mayHaveActed || (isJoined && step.direction === 'do')
  const joined = isJoined ? { joinedFence: fence } : {}
  // An attempt that begins is no longer one that no agent makes.
  const begun = isOffer ? { attention: null, lateDispatches: 0 } : {}
  const extended = copyWith(step, reported ?? {}, begun, joined, {
    claim: claimOf(claimant, now),
    mayHaveActed,
  })
  return {
    kind: 'write',
    step: withDerivedState<StepDocument>(
      extended,
      deadline(Math.max(laterMs, isOffer ? afterItsWrite(step, step.completeByMs) : step.completeByMs)),
    ),
  }
}

/** Returns a deadline for an agent whose clock is slow: one attempt after the last write of the step, by the store's time. */
function afterItsWrite(
  { completeWithinMs, _ts = 0 }: StepDocument & { readonly _ts?: number },
  latestMs: number,
): number {
  return Math.min(latestMs, _ts * 1_000 + completeWithinMs)
}

function lastReportMs({ progress }: StepDocument): number {
  return progress ? Date.parse(progress.at) : -Infinity
}
