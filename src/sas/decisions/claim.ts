import { copyWith } from '../model/copies/copy-with.js'
import type { StepDocument } from '../model/documents.js'
import { tokenInJob, type Making } from '../model/planned/begun-attempt.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { isOpen } from './settle.js'
import { mayHaveEffect } from '../model/work.js'

/** The process that claims an attempt. */
export interface Claimant {
  /** The fence of the attempt that was offered to this process. */
  readonly fence: number
  /** The name of the agents instance. */
  readonly by: string
  /** A string that differs for every claim, even for claims of one instance before and after a crash. */
  readonly token: string
  /** The identity of the process on its machine. Absent if it is unknown. */
  readonly process?: string
}

export type Claiming =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The claim was written earlier, but the answer to that write was lost. */
  | { readonly kind: 'held' }
  /** Another process makes the attempt, or the attempt is over. This process must not act. */
  | { readonly kind: 'refused' }

/**
 * Claims an attempt before its side effect (W2). The attempt may be offered to several processes. The claim
 * is written only if the step's etag is unchanged, so only one of these processes acts (F-A6). The fence does
 * not change, because the outcome belongs to the dispatched attempt (I2, I3).
 *
 * @param deadProcess a process that has certainly ended; its claim and its extensions no longer count
 */
export function claim(
  step: StepDocument,
  claimant: Claimant,
  now: number,
  deadProcess: string | null = null,
): Claiming {
  if (step.claim?.token === claimant.token) return { kind: 'held' }
  const isLeft = isTaken(step) && deadProcess !== null && step.claim?.process === deadProcess
  const isFree = isLeft || isUnclaimed(step)
  if (step.fence !== claimant.fence || !isOpen(step, now) || !isFree) return { kind: 'refused' }
  // An offer may last longer than an attempt, so a claim shortens the deadline to `completeWithin` from now.
  const cut = isLongOffer(step) ? deadline(Math.min(step.completeByMs, now + step.completeWithinMs)) : {}
  const mayHaveActed = step.mayHaveActed || (isLeft && step.direction === 'do')
  const claimed = { ...cut, mayHaveActed, attention: null, claim: claimOf(claimant, now) }
  return { kind: 'write', step: withDerivedState<StepDocument>(step, claimed) }
}

export function claimOf(claimant: Claimant, now: number): NonNullable<StepDocument['claim']> {
  return { ...claimant, at: new Date(now).toISOString() }
}

/**
 * Returns a step in the middle of an attempt that only its job had, with a claim of the agents that make it. After the deadline, the
 * claim is made afterwards, so that the attempt does not seem to be dispatched late.
 */
export function claimedInJob(step: StepDocument, { sinceMs, ...maker }: Making, now: number): StepDocument {
  const claimant = { fence: step.fence, token: tokenInJob(step), ...maker }
  return copyWith(step, { claim: claimOf(claimant, now < (step.completeByMs ?? 0) ? sinceMs : now) })
}

/** Checks whether the deadline is that of an offer: no agent has made the attempt before, so the offers become longer. */
export function isLongOffer({ attention }: StepDocument): boolean {
  return attention?.kind === 'unclaimed'
}

/**
 * Returns the step with a claim of the process that made its attempt, or null if the attempt is no longer the current one.
 * Agents write it if the attempt had no outcome when its time was up, so that the supervisor need not ask whether it began.
 */
export function claimAfterwards(step: StepDocument, claimant: Claimant, now: number): StepDocument | null {
  const isCurrent = step.fence === claimant.fence && mayWait(step)
  return isCurrent ? copyWith(step, { claim: claimOf(claimant, now) }) : null
}

/**
 * The number of stops in a row that may take an attempt from its step. After them, the attempt counts as failed if it
 * has no outcome in time, because it may be the cause of the stops, by an unhandled error or by too much memory.
 */
const mostReturns = 5

/**
 * Takes an attempt without an outcome from the step, because the host of its agents stops. Counts no failure. Returns null if
 * the attempt is over, if another process has claimed it, if stops have taken it too often, or if the step already says
 * that a process has left it.
 *
 * - The step is offered again. The higher fence makes a late outcome of the attempt void (I3).
 * - If another process may be making the attempt, its outcome must count. So the step is offered again only if there is
 *   none at the deadline.
 */
export function giveBack(
  step: StepDocument,
  { fence, token }: Claimant,
  { now, wasCalled, isFirst }: GivingBack,
): StepDocument | null {
  if (step.fence !== fence || !isUnderWay(step)) return null
  if (isTaken(step) && step.claim?.token !== token) return null
  // A handler that was not called cannot be the cause of the stop.
  const counted = wasCalled ? oneMoreReturn(step) : {}
  if (counted === null) return null
  if (mayBeShared(step, isFirst))
    return step.leftFence === fence ? null : copyWith(step, { leftFence: fence, ...counted })
  // A handler that ignores its signal may run until the deadline.
  const untilMs = Math.max(step.mayRunUntilMs ?? 0, step.completeByMs ?? 0)
  return withDerivedState<StepDocument>(step, {
    ...(wasCalled && { mayHaveActed: mayHaveActed(step), mayRunUntilMs: untilMs }),
    ...counted,
    fence: fence + 1,
    lockedBy: null,
    ...deadline(now + step.completeWithinMs),
  })
}

/** What a process knows when it gives an attempt back. */
export interface GivingBack {
  readonly now: number
  /** Whether the process has called the handler. */
  readonly wasCalled: boolean
  /** False if another process may have begun the attempt before this one. */
  readonly isFirst: boolean
}

/** Checks whether another process may be making the attempt, so that its outcome must count. */
function mayBeShared(step: StepDocument, isFirst: boolean): boolean {
  return step.joinedFence === step.fence || !(isFirst || step.isClaimRequired || isTaken(step))
}

/** Counts the stops that took this attempt from the step, with this one. Returns null if there were too many before. */
function oneMoreReturn({
  idempotencyKey: key,
  attempt,
  returned,
}: StepDocument): Pick<StepDocument, 'returned'> | null {
  const isSame = returned?.key === key && returned.attempt === attempt
  const count = isSame ? returned.count : 0
  return count < mostReturns ? { returned: { key, attempt, count: count + 1 } } : null
}

/** Checks whether the current attempt is dispatched and has no outcome, even if its deadline has passed. */
function isUnderWay({ processState, lockedBy, outcome }: StepDocument): boolean {
  const isAtWork = processState === 'Processing' || processState === 'Compensating'
  return isAtWork && lockedBy !== null && outcome === null
}

/** Checks whether the current attempt waits for an agent's claim. If so, no agent has made this attempt. */
export function isUnclaimed(step: StepDocument): boolean {
  return step.isClaimRequired && !isTaken(step)
}

/**
 * Checks whether the step may still wait for a slot: its attempt is not settled, and no process has claimed it. If the
 * attempt needs no claim, agents may already have begun it, because the first agents begin it without a write.
 */
export function mayWait<S extends StepDocument>(step: S): step is S & { readonly completeByMs: number } {
  const isOffered = isUnderWay(step) && step.completeByMs !== null
  return step.kind === 'operation' && isOffered && !isTaken(step)
}

/** Checks whether a claim or an extension on the step names the process that makes the current attempt. */
export function isTaken({ claim: newest, fence }: StepDocument): boolean {
  return newest?.fence === fence
}

/**
 * Notes that several processes may be making an attempt that needs no claim (W2). A process writes this before it acts if
 * another process may have begun the same attempt. If the other process then reports that its call was
 * refused, `mayHaveActed` shows that a second call may have taken effect. `joinedFence` keeps both processes from giving
 * the attempt back. Refused if the other process has already reported its outcome.
 */
export function joinAttempt(step: StepDocument, fence: number, now: number): Claiming {
  if (step.fence !== fence || !isOpen(step, now) || isTaken(step)) return { kind: 'refused' }
  if (step.joinedFence === fence) return { kind: 'held' }
  const mark = step.direction === 'do' ? { mayHaveActed: true } : {}
  return { kind: 'write', step: copyWith(step, mark, { joinedFence: fence }) }
}

/** Checks whether a call with the key of the current generation may have had an effect (F-K2, F-A20). */
export function mayHaveActed(step: StepDocument): boolean {
  const { direction, outcome, lockedBy } = step
  if (step.mayHaveActed) return true
  if (direction === 'undo') return false
  return outcome === null ? lockedBy !== null && !isUnclaimed(step) : mayHaveEffect(outcome)
}
