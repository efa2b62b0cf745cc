import { isDeepStrictEqual } from 'node:util'
import type { StepDocument } from '../../src/sas/model/documents.js'
import { deriveProcessState } from '../../src/sas/model/process-state.js'
import { owedBy } from '../../src/sas/decisions/owed-undos.js'
import { workOf } from '../../src/sas/model/work.js'
import type { Rule, StepChange } from './job-changes.js'
import { replannedBeforeBegun } from './migration-rules.js'

/**
 * Checks whether the write records an outcome: by an agent, or by the scheduler of its process together with
 * the next steps.
 */
export function isOutcome({ before, after, by }: StepChange): boolean {
  const isOfAttempt = by?.party === 'agents' || by?.party === 'scheduler'
  return isOfAttempt && before !== null && before.outcome === null && after.outcome !== null
}

function isDispatch({ before, after }: StepChange): boolean {
  return before !== null && after.dispatch > before.dispatch && after.lockedBy !== null
}

/** I2: once an attempt in one generation and direction has succeeded, no other outcome follows it. */
const oneSuccess: Rule<StepDocument> = (change) => {
  const { before, after } = change
  if (!isOutcome(change) || before === null) return null
  const isOpen = before.lockedBy !== null && before.currentState !== before.desiredState
  return isOpen ? null : `I2: an outcome of ${after.idempotencyKey} was accepted although none was awaited`
}

/**
 * I3: an agent's write was sent before the deadline by its own clock, and belongs to the current attempt of
 * the step. The services know the key of each call, which reveals a success of another generation or
 * direction.
 */
const inTime: Rule<StepDocument> = (change) => {
  const { before, after, by } = change
  if (!isOutcome(change) || before === null || by === null) return null
  if (before.fence !== after.fence) return `I3: the fence of ${after.id} changed with its outcome`
  if (after.outcome?.attempt !== before.attempt)
    return `I3: ${after.id} took the outcome of attempt ${after.outcome?.attempt ?? 0} in attempt ${before.attempt}`
  if (before.completeByMs === null || by.sentAtMs >= before.completeByMs)
    return `I3: ${by.process.id} wrote the outcome of ${after.id} after its deadline`
  const { key } = (after.output ?? after.round?.previous ?? {}) as { readonly key?: string }
  if (after.direction === 'do' && after.outcome.kind === 'success' && key !== before.idempotencyKey)
    return `I3: ${after.id} took the result of ${key ?? 'nothing'} for that of ${before.idempotencyKey}`
  return null
}

/**
 * Checks whether the attempt may have been made. An attempt that requires a claim is not made before it is
 * claimed.
 */
function mayHaveBeenMade({ isClaimRequired, claim, fence }: StepDocument): boolean {
  return !isClaimRequired || claim?.fence === fence
}

/**
 * Checks whether an attempt was already over when it was written, because a clock was wrong or its scheduler
 * was blocked.
 */
function wasLate({ completeByMs, claim, fence }: StepDocument, writtenAtS: number): boolean {
  if (completeByMs === null) return false
  // Agents claim an attempt that had no outcome when its time was up, and their clock may be slow.
  const isSaidAfterwards = claim?.fence === fence && Date.parse(claim.at) >= completeByMs
  return completeByMs <= writtenAtS * 1_000 && !isSaidAfterwards
}

/** Checks whether an attempt was offered again because no agents came to it. */
function isOfferedAgain(before: StepDocument, after: StepDocument): boolean {
  const isUnclaimed = after.attention?.kind === 'unclaimed' && before.claim?.fence !== before.fence
  return isUnclaimed && after.lateDispatches === before.lateDispatches + 1
}

/** Checks whether agents gave an attempt back, because their host stops, at once or for its deadline. */
function isGivenBack({ before, after, by }: StepChange): boolean {
  if (before?.leftFence === before?.fence && before?.outcome === null) return true
  const isSame = before?.direction === after.direction && after.fence === before.fence + 1
  return by?.party === 'agents' && isSame && after.outcome === null && after.lockedBy === null
}

/** I4: an attempt that was made and ends without success counts once. Nothing else counts. */
const countedOnce: Rule<StepDocument> = (change) => {
  const { before, after, by } = change
  if (before === null || by === null || before.direction !== after.direction) return null
  const counted = workOf(after).failureCount - workOf(before).failureCount
  if ((by.party === 'scheduler' && !isOutcome(change)) || by.party === 'client') {
    return counted <= 0 ? null : `I4: ${by.party} counted a failure of ${after.id}`
  }
  const hasEnded = before.lockedBy !== null && after.lockedBy === null
  // A step that waits for an event makes no attempt, so none of its waits can begin too late.
  const isNone =
    after.kind === 'operation' &&
    after.outcome === null &&
    (wasLate(before, before._ts) || isOfferedAgain(before, after))
  // An unanswered question is no failed attempt.
  const isAsked = after.question !== undefined && after.direction === 'do'
  const isFailure = !isNone && !isAsked && !isGivenBack(change) && after.outcome?.kind !== 'success'
  const hasFailed = hasEnded && isFailure && mayHaveBeenMade(before)
  if (counted === (hasFailed ? 1 : 0)) return null
  // Each round counts its own failures.
  const isNextRound = (after.round?.number ?? 1) > (before.round?.number ?? 1)
  if (isNextRound && !hasFailed && workOf(after).failureCount === 0) return null
  return `I4: ${after.id} counts ${counted} failures by a write of ${by.process.id} that ${hasFailed ? 'ends' : 'does not end'} an attempt in failure`
}

/** I5: a step begins only when all its dependencies are finished. */
const inOrder: Rule<StepDocument> = (change) => {
  const { after, job, steps } = change
  if (!isDispatch(change) || after.direction !== 'do') return null
  const open = after.dependsOn.filter((stepId) => {
    const state = job?.steps[stepId]?.state
    const step = steps.get(stepId)
    const isDone = state === 'Processed' && step?.processState === 'Processed'
    const isLeft = isLeftBehind(state) && step?.processState === 'Error' && step.jobGoesOn === true
    return !isDone && !isLeft && state !== 'Skipped'
  })
  return open.length === 0 ? null : `I5: ${after.id} was dispatched before ${open.join(', ')}`
}

/**
 * I6: a step is undone after everything that came after it, and only if it was done or may have been done.
 */
const inReverse: Rule<StepDocument> = (change) => {
  const { before, after, job, steps } = change
  if (!isDispatch(change) || after.direction !== 'undo' || before === null) return null
  if (before.dispatch === 0) return `I6: ${after.id} is undone and never began`
  if (owedBy(before).length === 0) return `I6: ${after.id} is undone and did nothing`
  const later = dependentsOf(after.stepId, steps).filter((stepId) => {
    const state = job?.steps[stepId]?.state
    const step = steps.get(stepId)
    const mayHaveActed = isLeftBehind(state) && step !== undefined && owedBy(step).length > 0
    return (state === 'Processed' && step?.undo !== null) || mayHaveActed || state === 'Compensating'
  })
  return later.length === 0 ? null : `I6: ${after.id} is undone before ${later.join(', ')}`
}

/** Checks whether a ledger entry with this state says that the job went on without the step. */
export function isLeftBehind(state: string | undefined): boolean {
  return state === 'Failed' || state === 'TimedOut' || state === 'Refused'
}

function dependentsOf(stepId: string, steps: ReadonlyMap<string, StepDocument>): string[] {
  const direct = [...steps.values()].filter(({ dependsOn }) => dependsOn.includes(stepId))
  return direct.flatMap((step) => [step.stepId, ...dependentsOf(step.stepId, steps)])
}

/** I9: a key changes only when its effect was undone, or when the input changed. */
const keptKey: Rule<StepDocument> = ({ before, after }) => {
  if (before === null || after.generation === before.generation || before.direction === 'undo') return null
  const isOther = !isDeepStrictEqual(before.input, after.input)
  return isOther ? null : `I9: ${after.id} was given a new key although nothing was undone or edited`
}

/** I6: only a completed undo makes a step forget a generation that may have acted. */
const remembered: Rule<StepDocument> = (change) => {
  const { before, after, by } = change
  if (before === null) return null
  const left = owedBy(after).map(({ generation }) => generation)
  const isDone =
    before.direction === 'undo' && [before, after].some(({ processState }) => processState === 'Compensated')
  // In one process, the outcome and the next undo are one write.
  const isFollowed =
    before.direction === 'undo' && after.outcome === null && after.owed.length < before.owed.length
  const isRefused = !after.mayHaveActed && after.outcome?.didNothing === true
  // Agents that give an attempt back know whether they have called its handler.
  const isUncalled = by?.party === 'agents' && isGivenBack(change) && !after.mayHaveActed
  const known = (isRefused || isUncalled ? before.owed : owedBy(before)).slice(
    0,
    isDone || isFollowed ? -1 : undefined,
  )
  const lost = known.find(({ generation }) => !left.includes(generation))
  return lost === undefined ? null : `I6: ${after.id} has forgotten generation ${lost.generation}`
}

/** I18: a step that may still be worked on never expires. */
const keptWhileOpen: Rule<StepDocument> = ({ after, job }) => {
  const isOver = job?.processState === 'Processed' || job?.processState === 'Compensated'
  if (after.ttl <= 0 || isOver) return null
  return `I18: ${after.id} expires while its job is ${job?.processState ?? 'gone'}`
}

/** I20 and I22, which also apply to jobs: the derived state is stored, and the fence never decreases. */
const derived: Rule<StepDocument> = ({ after }) => {
  const state = deriveProcessState(after)
  return state === after.processState
    ? null
    : `I20: ${after.id} is ${after.processState}, its fields say ${state}`
}

const fenced: Rule<StepDocument> = ({ before, after }) =>
  before !== null && after.fence < before.fence
    ? `I22: the fence of ${after.id} went from ${before.fence} to ${after.fence}`
    : null

/** I24: only an open question is answered, once, and a question is open only while its step waits. */
const answeredOnce: Rule<StepDocument> = ({ before, after, job }) => {
  const { id, event, question } = after
  if (question === undefined) return null
  if (after.asked && event !== null) return `I24: the question of ${id} is open and answered`
  if (after.asked && job?.steps[after.stepId]?.state !== 'Processing')
    return `I24: ${id} asks and is not under way`
  if (before === null || isDeepStrictEqual(before.event, event)) return null
  if (before.event !== null) return `I24: the answer to ${id} has changed`
  return before.asked ? null : `I24: ${id} was answered although it did not ask`
}

/** I38: an event that arrived stays, each key counts once, and the step is done with exactly its events. */
const collectedOnce: Rule<StepDocument> = ({ before, after }) => {
  const { id, collect, processState, output } = after
  if (collect === undefined) return before?.collect === undefined ? null : `I38: ${id} lost its events`
  const { count, events } = collect
  const { events: known = [], count: wanted = count } = before?.collect ?? {}
  if (!isDeepStrictEqual(events.slice(0, known.length), known)) return `I38: an event of ${id} has changed`
  if (new Set(events.map(({ key }) => key)).size < events.length) return `I38: ${id} counts an event twice`
  if (events.length > count || wanted !== count) return `I38: ${id} has more events than it collects`
  if (processState !== 'Processed') return null
  const isWhole = events.length === count
  const payloads = events.map(({ payload }) => payload)
  return isWhole && isDeepStrictEqual(output, payloads) ? null : `I38: ${id} is done with other events`
}

/** I28: the next round follows the success of the round before, with its output, and no round is left out. */
const roundByRound: Rule<StepDocument> = ({ before, after }) => {
  const { id, round } = after
  if (before?.round === undefined || round === undefined || before.generation !== after.generation)
    return null
  if (round.number === before.round.number)
    return isDeepStrictEqual(round.previous, before.round.previous) ? null : `I28: ${id} has changed its past`
  if (round.number !== before.round.number + 1)
    return `I28: ${id} went from round ${before.round.number} to round ${round.number}`
  const { key } = (round.previous ?? {}) as { readonly key?: string }
  return key === before.idempotencyKey
    ? null
    : `I28: ${id} began round ${round.number} after ${key ?? 'nothing'} and not after ${before.idempotencyKey}`
}

/** I27: no attempt is dispatched while its job is paused, and only its own end counts as a failure. */
const idleWhilePaused: Rule<StepDocument> = (change) => {
  const { before, after, job } = change
  if (!job?.paused || before === null) return null
  if (isDispatch(change) && after.kind === 'operation')
    return `I27: ${after.id} was dispatched during a pause`
  const isHeld = before.held !== undefined && before.completeByMs === null
  const hasFailed =
    workOf(after).failureCount > workOf(before).failureCount || after.attention?.kind === 'error'
  return isHeld && hasFailed ? `I27: ${after.id} failed although it only waited during a pause` : null
}

/** A step is never ahead of its ledger. Every decision of the scheduler relies on that. */
const behindLedger: Rule<StepDocument> = ({ after, job }) => {
  const dispatch = job?.steps[after.stepId]?.dispatch
  if (dispatch !== undefined && after.dispatch <= dispatch) return null
  return `I2: ${after.id} is at dispatch ${after.dispatch}, its ledger at ${dispatch ?? 'none'}`
}

export const stepRules: readonly Rule<StepDocument>[] = [
  oneSuccess,
  inTime,
  countedOnce,
  inOrder,
  inReverse,
  keptKey,
  remembered,
  keptWhileOpen,
  derived,
  fenced,
  behindLedger,
  answeredOnce,
  collectedOnce,
  roundByRound,
  idleWhilePaused,
  replannedBeforeBegun,
]
