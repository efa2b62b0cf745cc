import { isUnclaimed } from '../../src/sas/decisions/claim.js'
import type { Schedule } from '../../src/sas/decisions/continue-or-end-job.js'
import { owedBy } from '../../src/sas/decisions/owed-undos.js'
import type { Attention, JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isTerminal } from '../../src/sas/model/process-state.js'
import { triageOfFlag } from '../../src/sas/waiting/flag-triage.js'
import { isOpen, type Attempt, type Outcome } from '../../src/sas/decisions/settle.js'
import { longestBackoff } from '../support/job-story.js'
import { graceMs, now } from './canonical.js'
import type { Decisions } from './decisions.js'
import { unreadable } from './documents-table.js'
import { keyOf } from './remote.js'

/** A job and all its steps, at {@link now}. */
export interface Documents {
  readonly job: JobDocument
  readonly steps: ReadonlyMap<string, StepDocument>
}

/** The decisions that write. */
export type Writer =
  | 'schedule'
  | 'settle'
  | 'claim'
  | 'join'
  | 'extend'
  | 'giveBack'
  | 'recover'
  | 'recoverJob'
  | 'raise'
  | 'operate'

/** A write: the decision, and the documents before and after. */
export interface Edge {
  readonly by: Writer
  readonly from: Documents
  readonly to: Documents
}

class Broken extends Error {}

function must(isHeld: boolean, invariant: string): void {
  if (!isHeld) throw new Broken(invariant)
}

/** Returns the invariant that the check finds broken, or null. */
export function problemOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    return error instanceof Broken ? error.message : `a decision throws: ${String(error)}`
  }
}

/** Returns the scheduler's decision when it has all documents. */
export function scheduling(
  decisions: Decisions,
  { job, steps }: Documents,
  scheduler = 'scheduler',
): Schedule {
  return decisions.schedule({ job, steps, now, scheduler })
}

/** Returns the current attempt of a step. */
export function attemptAt({ attempt, fence }: StepDocument): Attempt {
  return { number: attempt, fence, by: 'agents' }
}

const anyOutcome: readonly Outcome[] = [
  { kind: 'success', output: 1 },
  { kind: 'failed', message: 'busy' },
  { kind: 'permanent', message: 'no', didNothing: true },
]

/** Checks the documents of every state. */
export function checkDocuments(decisions: Decisions, documents: Documents): void {
  const { job, steps } = documents
  for (const step of steps.values()) {
    const { stepId, onExhausted, failureCount, maxFailures, undo } = step
    must(step.dispatch === job.steps[stepId]?.dispatch, `step ${stepId} and its ledger are of one dispatch`)
    must(
      typeof onExhausted !== 'string' || failureCount <= maxFailures,
      `I4: ${stepId}: no attempt after the last`,
    )
    must((undo?.failureCount ?? 0) <= maxFailures, `R111: ${stepId}: no undo after the last`)
    must(step.generation <= job.generation, `F-K10: ${stepId} is not ahead of its job`)
    const isOrdered = step.owed.every(
      (each, index) => each.generation > (step.owed[index - 1]?.generation ?? 0),
    )
    must(isOrdered, `I6: generations of ${stepId} are undone once each, the newest first`)
    if (isOpen(step, now)) checkOpen(job, step)
    if (!isTerminal(job)) must(step.ttl === -1, `I18: ${stepId} does not expire before its job ends`)
  }
  if (job.processState === 'Error') {
    must(job.attention !== null, 'I15: a job in Error says why')
    must(job.ttl === -1, 'I18: a job in Error never expires')
  }
  if (isTerminal(job)) checkEnd(documents)
  else must(job.ttl === -1, 'I18: a job that has not ended does not expire')
  checkWaiting(decisions, documents)
}

function checkOpen(job: JobDocument, step: StepDocument): void {
  const { stepId, direction, generation, owed } = step
  const atHand = direction === 'do' ? generation : (owed.at(-1)?.generation ?? generation)
  const { generation: ofKey, direction: way } = keyOf(step)
  must(way === direction && ofKey === atHand, `I9: the key of ${stepId} is of its generation and direction`)
  must(!isTerminal(job), `I7: no attempt at ${stepId} is open in a job that has ended`)
  const latest = direction === 'undo' ? null : job.endByMs
  must(
    latest === null || (step.completeByMs ?? 0) <= latest,
    `F-Q13: no attempt at ${stepId} outlasts its job`,
  )
}

/** I2, I3: no outcome is recorded for an attempt that is over. */
function checkClosed(decisions: Decisions, step: StepDocument): void {
  for (const outcome of anyOutcome) {
    const settlement = decisions.settle(step, attemptAt(step), outcome, { now, random: longestBackoff })
    must(
      settlement.kind === 'discarded',
      `I2, I3: ${step.stepId} takes no outcome of an attempt that is over`,
    )
  }
}

function checkEnd({ job, steps }: Documents): void {
  const entries = Object.entries(job.steps)
  must(
    entries.every(([, { state }]) => state !== 'Processing' && state !== 'Compensating'),
    'I8: nothing is under way in a job that has ended',
  )
  const isWholeJobDone = entries.every(([, { state }]) => isBehind(state))
  const { processState } = job
  if (processState === 'Processed') must(isWholeJobDone, 'a job is done when all its steps are')
  if (processState !== 'Compensated') return
  const isOwed = [...steps.values()].some((step) => owedBy(step).length > 0)
  must(!isOwed, 'I6: nothing that may have acted is left of a job that was undone')
  const left = entries.filter(([id, { state }]) => state === 'Processed' && steps.get(id)?.undo !== null)
  must(left.length === 0, 'R1: nothing is left of a job that was undone')
  must(!entries.some(([, e]) => e.state === 'CompensationFailed'), 'R111: every undo succeeded')
}

/** I15: once every document was examined, the job shows that it waits for an operator. */
function checkWaiting(decisions: Decisions, documents: Documents): void {
  const { job, steps } = documents
  if (isTerminal(job)) {
    const { kind } = scheduling(decisions, documents)
    const isExpiring = kind === 'write' && job.retainForMs !== null
    must(kind === 'nothing' || isExpiring, 'I7: a job that has ended stays as it is')
    return
  }
  if (scheduling(decisions, documents).kind !== 'nothing') return
  const parked = [...steps.values()].filter(({ stepId, attention }) => {
    return attention?.kind === 'parked' && job.steps[stepId]?.state === 'Processing'
  })
  must(parked.length === 0 || job.attention !== null, 'I15: a job shows that a step is parked')
  const isHidden = (flag: Attention | null): boolean =>
    (triageOfFlag(job, flag)?.snoozedUntil ?? null) !== null
  const isShownSnoozed = parked.length > 0 && isHidden(job.attention)
  must(
    !isShownSnoozed || parked.every(({ attention }) => isHidden(attention)),
    'I42: a snooze of one step does not hide that another is parked',
  )
  const hasFailed =
    job.compensation === null && Object.values(job.steps).some(({ state }) => state === 'Error')
  const isWaiting = [...steps.values()].some(({ stepId, kind }) => {
    return kind !== 'operation' && job.steps[stepId]?.state === 'Processing'
  })
  must(!hasFailed || !isWaiting, 'I8: what merely waits does not keep a failed job from ending')
}

/** Checks every write, by itself and together with the other documents. */
export function checkWrite(edge: Edge): void {
  const { by, from, to } = edge
  if (to.job !== from.job) checkJobWrite(edge)
  for (const before of from.steps.values()) {
    const after = to.steps.get(before.stepId)
    if (after === undefined || after === before) continue
    checkReadable(after)
    checkHistory(before, after)
    must(after.fence >= before.fence, `I22: the fence of ${after.stepId} never falls`)
    if (by === 'settle' || by === 'claim' || by === 'join' || by === 'extend') checkOwn(before, after)
    else if (by === 'giveBack') checkGivenBack(before, after)
    else if (after.ttl === before.ttl || by === 'operate') {
      must(
        after.fence > before.fence,
        `I22: a new fence of ${after.stepId} for what is no attempt’s own write`,
      )
    }
    if (by === 'settle' || by === 'recover' || by === 'giveBack') checkOutcome(by, before, after)
    if (by === 'schedule') checkScheduled(before, after, edge)
  }
}

function checkJobWrite({ by, from, to }: Edge): void {
  checkReadable(to.job)
  must(to.job.fence >= from.job.fence, 'I22: the job’s fence never falls')
  if (to.job.triageAudit !== undefined) checkTriage(from, to)
  const isExpiring = JSON.stringify({ ...to.job, ttl: 0 }) === JSON.stringify({ ...from.job, ttl: 0 })
  must(by === 'operate' || !isTerminal(from.job) || isExpiring, 'I7: a job that has ended is not written')
}

/** I42: a triage changes nothing but what operators say about flags. */
function checkTriage(from: Documents, to: Documents): void {
  must(alike(withoutTriages(from.job), withoutTriages(to.job)), 'I42: a triage changes only the triage')
  must(
    [...to.steps.values()].every((step) => step === from.steps.get(step.stepId)),
    'I42: a triage changes no step',
  )
}

function withoutTriages(job: JobDocument): JobDocument {
  const { triage: _triage, otherTriages: _others, triageAudit: _audit, operatedAtMs: _at, ...others } = job
  return others
}

function alike(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Checks that knowledge of calls is kept. Only a completed undo removes a generation, and only its own. */
function checkHistory(before: StepDocument, after: StepDocument): void {
  // An open attempt may have acted, unless its first call was refused.
  const isRefused = !after.mayHaveActed && after.outcome?.didNothing === true
  const known = (isRefused ? before.owed : owedBy(before)).map(({ generation }) => generation)
  const left = owedBy(after).map(({ generation }) => generation)
  const isDone = before.direction === 'undo' && [before, after].some(isHome)
  const isKept = (isDone ? known.slice(0, -1) : known).every((generation) => left.includes(generation))
  must(isKept, `I6: what may have acted at ${after.stepId} is owed an undo until that is done`)
  const isSticky = after.mayHaveActed || after.generation > before.generation || after.direction === 'undo'
  must(!before.mayHaveActed || isSticky, `I6: nothing but an undo clears that ${after.stepId} may have acted`)
  const isNewKey = after.generation !== before.generation
  const isOther = JSON.stringify(after.input) !== JSON.stringify(before.input)
  must(
    !isNewKey || before.direction === 'undo' || isOther,
    `I9: the key of ${after.stepId} changes only with cause`,
  )
}

function isHome({ processState }: StepDocument): boolean {
  return processState === 'Compensated'
}

function checkReadable(document: JobDocument | StepDocument): void {
  const reason = unreadable(document)
  must(reason === null, reason ?? '')
}

function checkOwn(before: StepDocument, after: StepDocument): void {
  const { stepId, lockedBy, outcome, completeByMs } = before
  must(lockedBy !== null && outcome === null, `I2: only an open attempt at ${stepId} is written by an agent`)
  must(
    completeByMs !== null && now < completeByMs,
    `I3: nothing is written about ${stepId} after its deadline`,
  )
  must(after.fence === before.fence, `I2: ${stepId} stays with the attempt as dispatched`)
  if (after.processState !== 'Processed' || after.undo === null || after.direction === 'undo') return
  const { sold } = after.undo.input as { readonly sold?: unknown }
  must(
    JSON.stringify(sold) === JSON.stringify(after.output),
    `R41: the undo of ${stepId} is given what the step returned`,
  )
}

/** A host that stops voids no outcome of another process. */
function checkGivenBack(before: StepDocument, after: StepDocument): void {
  const { stepId, fence, lockedBy, outcome } = before
  must(lockedBy !== null && outcome === null, `I2: only an open attempt at ${stepId} is given back`)
  const isLeft = after.leftFence === fence && after.fence === fence
  const isOffered = after.fence === fence + 1 && after.lockedBy === null
  must(isLeft || isOffered, `${stepId} is left or offered again`)
  must(isLeft || before.joinedFence !== fence, `an attempt at ${stepId} of two processes is only left`)
}

/** Checks what agents and the supervisor write about a step. */
function checkOutcome(by: Writer, before: StepDocument, after: StepDocument): void {
  const { stepId } = before
  const isAtRest = ['Processed', 'Error', 'Compensated'].includes(before.processState)
  must(!isAtRest, `I2, I7: what has ended at ${stepId} stands until a scheduler or an operator decides`)
  must(after.direction === before.direction, `only the scheduler turns ${stepId} back`)
  const added = failuresOf(after) - failuresOf(before)
  must(added === failuresBy(by, before, after), `I4: one failure of ${stepId} per failed attempt`)
}

function failuresOf({ failureCount, undo }: StepDocument): number {
  return failureCount + (undo?.failureCount ?? 0)
}

/**
 * Returns how many failures a write adds. An attempt without success counts; an offer that no agent took up
 * does not (C8).
 */
function failuresBy(by: Writer, before: StepDocument, after: StepDocument): number {
  if (by === 'settle') return after.outcome?.kind === 'permanent' ? 1 : 0
  const isLeft = before.leftFence === before.fence && before.outcome === null
  if (by === 'giveBack' || isLeft) return 0
  return before.lockedBy !== null && !isUnclaimed(before) ? 1 : 0
}

/** Checks what the scheduler writes about a step. */
function checkScheduled(before: StepDocument, after: StepDocument, { from, to }: Edge): void {
  const { stepId } = after
  if (after.ttl !== before.ttl && after.dispatch === before.dispatch) return
  must(after.dispatch === before.dispatch + 1, `the scheduler counts its writes of ${stepId}`)
  if (after.direction === 'do' && after.lockedBy !== null) {
    const isReady = after.dependsOn.every((id) => isBehind(to.job.steps[id]?.state))
    must(isReady, `I5: ${stepId} is dispatched only when all it comes after is done, or left out`)
    const begins = to.job.generation !== from.job.generation || from.job.steps[stepId]?.state === 'NotStarted'
    must(begins || before.processState === 'Pending', `I2: what is done at ${stepId} is not done again`)
    const keeps = begins || before.idempotencyKey === after.idempotencyKey
    must(keeps, `I9: attempts at ${stepId} in one generation have one key`)
  }
  if (after.direction === 'undo') checkUndo(after, to)
}

function checkUndo(after: StepDocument, to: Documents): void {
  const { stepId } = after
  must(after.undo !== null, `I6: ${stepId} is undone only if it has an undo`)
  must(to.job.compensation !== null, `I6: ${stepId} is undone only where the job goes back`)
  const later = [...to.steps.values()].filter(({ dependsOn }) => dependsOn.includes(stepId))
  const isLast = later.every((step) => {
    const { stepId: id, undo } = step
    const { state = 'NotStarted' } = to.job.steps[id] ?? {}
    if (isLeftBehind(state)) return owedBy(step).length === 0
    return ['NotStarted', 'Skipped', 'Compensated', 'Error'].includes(state) || undo === null
  })
  must(isLast, `I6: ${stepId} is undone after all that came after it`)
}

function isLeftBehind(state: string | undefined): boolean {
  return state === 'Failed' || state === 'TimedOut' || state === 'Refused'
}

function isBehind(state: string | undefined): boolean {
  return state === 'Processed' || state === 'Skipped' || isLeftBehind(state)
}

/** Checks the state after a write of a scheduler that had all documents. */
export function checkDecided(decisions: Decisions, { from, to }: Omit<Edge, 'by'>): void {
  const changed = [...to.steps.values()].filter((step) => step !== from.steps.get(step.stepId))
  // Steps that the scheduler itself ends lead to further decisions when the write comes back in the feed.
  const isOnTheWay =
    to.job.compensation?.thenRetry === true ||
    changed.some(({ processState }) => processState === 'Processed' || processState === 'Error')
  must(scheduling(decisions, to).kind === 'nothing' || isOnTheWay, 'a decided state decides nothing')
  const replay = scheduling(decisions, { ...to, steps: from.steps })
  const isHarmless = replay.kind === 'nothing' || replay.kind === 'read' || isOnTheWay
  must(isHarmless, 'an old version of a step never folds')
  const isAhead = changed.some(({ stepId, dispatch }) => dispatch > (from.job.steps[stepId]?.dispatch ?? 0))
  const mixed = scheduling(decisions, { ...to, job: from.job })
  must(!isAhead || mixed.kind === 'stale', 'a job older than its step is stale')
}

/** Checks the scheduler's decision about these documents, whether or not it writes. */
export function checkDecision(decisions: Decisions, documents: Documents): void {
  const decision = scheduling(decisions, documents)
  const backwards = new Map([...documents.steps].reverse())
  const reordered = scheduling(decisions, { ...documents, steps: backwards })
  must(textOfDecision(reordered) === textOfDecision(decision), 'any order of steps decides alike')
  checkTriagedAlike(decisions, documents, decision)
  const another = scheduling(decisions, documents, 'another')
  must(another.kind === decision.kind, 'I22: any scheduler decides alike')
}

/** I42: a scheduler decides as if there were no triage, except about which flag the job shows. */
function checkTriagedAlike(decisions: Decisions, { job, steps }: Documents, decision: Schedule): void {
  if ((job.triage ?? null) === null && (job.otherTriages ?? []).length === 0) return
  const untriaged = scheduling(decisions, { job: withoutTriages(job), steps })
  must(
    alike(workOf(decision, job), workOf(untriaged, job)),
    'I42: a triage changes nothing that a scheduler decides',
  )
}

/**
 * Returns what a decision writes, without the flag of the job and what operators say about flags. A write that only changes
 * the flag also brings the deadline of the job up to date.
 */
function workOf(decision: Schedule, before: JobDocument): unknown {
  const { job, changed } = decision.kind === 'write' ? decision : { job: before, changed: [] }
  return [
    { ...withoutTriages(job), attention: null, fence: 0, completeByMs: null, completeBy: null },
    changed,
  ]
}

function textOfDecision(decision: Schedule): string {
  if (decision.kind !== 'write') return JSON.stringify(decision)
  const { job, changed } = decision
  return JSON.stringify([job, [...changed].sort((a, b) => (a.stepId < b.stepId ? -1 : 1))])
}

/** Checks each version of a step by itself. */
export function checkStep(decisions: Decisions, step: StepDocument): void {
  if (!isOpen(step, now)) checkClosed(decisions, step)
  checkEnvelopeOnly(decisions, step)
}

/** I19: the supervisor does not use the contents of a step. */
function checkEnvelopeOnly(decisions: Decisions, step: StepDocument): void {
  const policy = { now, graceMs, supervisor: 'supervisor' }
  const blank = { input: null, output: null, inputTemplate: null, when: null }
  const { kind } = decisions.recoverStep(step, policy)
  must(
    decisions.recoverStep({ ...step, ...blank }, policy).kind === kind,
    `I19: ${step.stepId} is recovered by its envelope`,
  )
}
