import type { Schedule } from '../../src/sas/decision.js'
import { decodeDocument, isTerminal, type StepDocument } from '../../src/sas/documents.js'
import { isUnclaimed } from '../../src/sas/claim.js'
import { owedBy } from '../../src/sas/generation.js'
import { schedule } from '../../src/sas/schedule.js'
import { isOpen, settle, type Attempt, type Outcome } from '../../src/sas/settle.js'
import type { JobDocuments } from './a-job.js'
import { longestBackoff } from './job-story.js'

/** The documents of one job and the time: everything that decisions can know. */
export interface State extends JobDocuments {
  readonly now: number
}

/** One thing that can happen next, and what it makes of the state. */
export interface Edge {
  readonly by: 'schedule' | 'settle' | 'claim' | 'recover' | 'raise' | 'operate' | 'time'
  readonly to: State
}

const late: readonly Outcome[] = [
  { kind: 'success', output: 1 },
  { kind: 'failed', message: 'busy' },
  { kind: 'permanent', message: 'no' },
]

/** What the scheduler decides, knowing all there is. */
export function scheduling({ job, steps, now }: State): Schedule {
  return schedule({ job, steps, now, scheduler: 'scheduler' })
}

/** The attempt that a step is given to now. */
export function attemptAt({ attempt, fence }: StepDocument): Attempt {
  return { number: attempt, fence, by: 'agents' }
}

/** Whether an agent may act on the step's attempt: it has claimed it, or need not. */
export function hasClaimIfNeeded(step: StepDocument): boolean {
  return !isUnclaimed(step)
}

/** Fails with the state in view; `expect` for each of a hundred thousand states would be slow. */
export function must(isHeld: boolean, invariant: string, at: unknown): void {
  if (!isHeld) throw new Error(`${invariant}\n${JSON.stringify(at, mapsAsObjects, 1)}`)
}

function mapsAsObjects(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value
}

/** What holds in every state. */
export function checkState(state: State): void {
  const { job, steps } = state
  must(decodeDocument(job).kind === 'job', 'I20: the job’s state is the derived one', state)
  for (const step of steps.values()) {
    must(decodeDocument(step).kind === 'step', 'I20: a step’s state is the derived one', state)
    must(step.dispatch === job.steps[step.stepId]?.dispatch, 'a step is never ahead of its ledger', state)
    const isBounded = typeof step.onExhausted === 'string'
    must(!isBounded || step.failureCount <= step.maxFailures, 'I4: no attempt after the last', state)
    must((step.undo?.failureCount ?? 0) <= step.maxFailures, 'R111: nor at undoing', state)
    const { generation } = step
    const undone = step.owed.at(-1)?.generation ?? generation
    const key = `job-1/${step.stepId}/g${step.direction === 'do' ? generation : undone}/${step.direction}`
    const isOpen = step.lockedBy !== null
    must(!isOpen || step.idempotencyKey === key, 'I9: one key per generation and direction', state)
    must(generation <= job.generation, 'F-K10: no step is ahead of its job', state)
    const isOrdered = step.owed.every(
      (each, index) => each.generation > (step.owed[index - 1]?.generation ?? 0),
    )
    must(isOrdered, 'I6: generations are undone once each, the newest first', state)
    for (const outcome of late) checkLate(state, step, outcome)
  }
  if (isTerminal(job)) must(scheduling(state).kind === 'nothing', 'I7: a terminal job stays as it is', state)
}

function checkLate(state: State, step: StepDocument, outcome: Outcome): void {
  const { now } = state
  const old = { ...attemptAt(step), fence: step.fence - 1 }
  const ofOld = settle(step, old, outcome, { now, random: longestBackoff })
  must(ofOld.kind === 'discarded', 'I3: an old fence changes nothing', state)
  const isInTime = step.completeByMs !== null && now < step.completeByMs
  const current = settle(step, attemptAt(step), outcome, { now, random: longestBackoff })
  must(current.kind === 'discarded' || isInTime, 'I3: nothing is recorded after the deadline', state)
}

/** What holds of every way from one state to another. */
export function checkEdge(from: State, edge: Edge): void {
  const { by, to } = edge
  const at = { by, from, to }
  must(to.job.fence >= from.job.fence, 'I22: the job’s fence never falls', at)
  const mayWrite = by === 'operate' || !isTerminal(from.job) || to.job === from.job
  must(mayWrite, 'I7: a terminal job is not written', at)
  for (const before of from.steps.values()) {
    const after = to.steps.get(before.stepId)
    if (after === undefined || after === before) continue
    must(after.fence >= before.fence, 'I22: a step’s fence never falls', at)
    if (by === 'settle' || by === 'claim') {
      must(isOpen(before, from.now), 'I2: only an open attempt is claimed or settled', at)
    } else {
      must(after.fence === before.fence + 1, 'I22: a new attempt, a new fence', at)
    }
    checkHistory(before, after, at)
    if (by === 'settle' || by === 'claim' || by === 'recover') checkOutcome(by, before, after)
    if (by === 'schedule') checkScheduled(before, after, { from, to })
  }
  if (by === 'schedule') checkSchedule(from, to)
}

/** What is known of calls is not forgotten: only an undo that is done takes a generation away, its own. */
function checkHistory(before: StepDocument, after: StepDocument, at: unknown): void {
  // An open attempt may have acted; when its first call was refused it has not.
  const isRefused = !after.mayHaveActed && after.outcome?.didNothing === true
  const known = (isRefused ? before.owed : owedBy(before)).map(({ generation }) => generation)
  const left = owedBy(after).map(({ generation }) => generation)
  const isDone = before.direction === 'undo' && [before, after].some(isHome)
  const isKept = (isDone ? known.slice(0, -1) : known).every((generation) => left.includes(generation))
  must(isKept, 'I6: what may have acted is owed an undo until that is done', at)
  const isSticky = after.mayHaveActed || after.generation > before.generation || after.direction === 'undo'
  must(!before.mayHaveActed || isSticky, 'I6: nothing but an undo clears that a step may have acted', at)
  const isNewKey = after.generation !== before.generation
  const isOther = JSON.stringify(after.input) !== JSON.stringify(before.input)
  must(!isNewKey || before.direction === 'undo' || isOther, 'I9: a key changes only with cause', at)
}

function isHome({ processState }: StepDocument): boolean {
  return processState === 'Compensated'
}

/** What agents and the supervisor may make of a step. */
function checkOutcome(by: Edge['by'], before: StepDocument, after: StepDocument): void {
  const at = { by, before, after }
  const isAtRest = ['Processed', 'Error', 'Compensated'].includes(before.processState)
  must(!isAtRest, 'I2, I7: what has ended stands until a scheduler or an operator decides', at)
  must(after.direction === before.direction, 'only the scheduler turns a step back', at)
  const added = failuresOf(after) - failuresOf(before)
  must(added === failuresBy(by, before, after), 'I4: one per failed attempt', at)
}

/** What the scheduler may make of a step. */
function checkScheduled(before: StepDocument, after: StepDocument, at: { from: State; to: State }): void {
  const { from, to } = at
  must(after.dispatch === before.dispatch + 1, 'the scheduler counts its writes of a step', at)
  if (after.direction === 'do' && after.lockedBy !== null) {
    const isReady = after.dependsOn.every((id) =>
      ['Processed', 'Skipped'].includes(to.job.steps[id]?.state ?? ''),
    )
    must(isReady, 'I5: dispatched only when all dependencies are done, or left out', at)
    const isNewTry = from.job.generation !== to.job.generation
    const begins = isNewTry || from.job.steps[after.stepId]?.state === 'NotStarted'
    must(begins || before.processState === 'Pending', 'I2: what is done is not done again', at)
  }
  if (after.direction === 'undo') {
    must(after.undo !== null, 'I6: undone is only what has an undo', at)
    must(to.job.compensation !== null, 'I6: undone is only where the job goes back', at)
    const wasDone = before.processState === 'Processed' || before.direction === 'undo'
    must(wasDone || owedBy(before).length > 0, 'I6: undone is what was done, or may have been (F-K2)', at)
    const later = [...to.steps.values()].filter(({ dependsOn }) => dependsOn.includes(after.stepId))
    const isLast = later.every(({ stepId, undo }) => {
      const { state = 'NotStarted' } = to.job.steps[stepId] ?? {}
      return ['NotStarted', 'Skipped', 'Compensated', 'Error'].includes(state) || undo === null
    })
    must(isLast, 'I6: in reverse dependency order', at)
  }
}

function failuresOf({ failureCount, undo }: StepDocument): number {
  return failureCount + (undo?.failureCount ?? 0)
}

/** An attempt that ended without success counts; a pick-up ultimatum that passes is none, nor is a claim (C8). */
function failuresBy(by: Edge['by'], before: StepDocument, after: StepDocument): number {
  if (by === 'claim') return 0
  if (by === 'settle') return after.outcome?.kind === 'permanent' ? 1 : 0
  return before.lockedBy !== null && hasClaimIfNeeded(before) ? 1 : 0
}

function checkSchedule(from: State, to: State): void {
  const at = { from, to }
  const changed = [...to.steps.values()].filter((step) => step !== from.steps.get(step.stepId))
  // What the scheduler itself ends, well or not, leads on when the write comes back in the feed.
  const isOnTheWay =
    to.job.compensation?.thenRetry === true ||
    changed.some(({ processState }) => processState === 'Processed' || processState === 'Error')
  must(scheduling(to).kind === 'nothing' || isOnTheWay, 'a decided state decides nothing', at)
  const backwards = new Map([...from.steps].reverse())
  const reordered = scheduling({ ...from, steps: backwards })
  must(JSON.stringify(reordered) === JSON.stringify(scheduling(from)), 'any order of steps decides alike', at)
  if (changed.length > 0) {
    must(scheduling({ ...to, job: from.job }).kind === 'stale', 'a job older than its step is stale', at)
  }
  const replay = scheduling({ ...to, steps: from.steps })
  const isHarmless = replay.kind === 'nothing' || replay.kind === 'read' || isOnTheWay
  must(isHarmless, 'an old version of a step never folds', at)
}
