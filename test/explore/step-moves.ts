import { isTaken } from '../../src/sas/decisions/claim.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isTerminal } from '../../src/sas/model/process-state.js'
import { type Outcome, type Settlement, isOpen } from '../../src/sas/decisions/settle.js'
import { longestBackoff } from '../support/job-story.js'
import { graceMs, liveToken, now, withoutClaimant } from './canonical.js'
import { attemptAt, checkStep, problemOf, type Writer } from './invariants.js'
import { keyOf, type Key } from './remote.js'
import type { World } from './world.js'
import { writingOf, type Looked, type Tables, type Writing } from './writing.js'

/** All writes about one step that depend only on that step. They are decided once for each document. */
export interface StepMoves {
  readonly key: Key
  readonly isOperation: boolean
  readonly isOpen: boolean
  readonly isDo: boolean
  /** Whether an agent that receives the attempt starts it. */
  readonly isOffered: boolean
  /** Whether only the process that has claimed the attempt acts. */
  readonly isClaimRequired: boolean
  /** The agent's write before it acts, or null if none is needed. */
  readonly claim: Writing | null
  /** The first write of a process that may not be the first to act, or null if none is needed. */
  readonly join: Writing | null
  /** Whether the process starts after that write. */
  readonly mayJoin: boolean
  readonly successes: readonly Writing[]
  readonly failure: Writing | null
  /** Outcomes of a refusal: of the only call of the attempt, or of a later one. */
  readonly refusals: readonly [Writing | null, Writing | null]
  /** Outcomes that handlers of earlier attempts manage to record: none as long as the guards work. */
  readonly lateOutcomes: readonly Writing[]
  /** The write of the supervisor. */
  readonly recovery: Writing | null
  /** The write of the supervisor if the job has ended. */
  readonly rest: Writing | null
  readonly event: Writing | null
  /** The document after the end of the process that holds the claim. */
  readonly unclaimed: number
  /** Milliseconds until the step changes by itself, or 0 for never. */
  readonly nextMs: number
  readonly problem: string | null
}

const policy = { now, graceMs, supervisor: 'supervisor' }
const failed: Outcome = { kind: 'failed', message: 'busy' }
const refused = (didNothing: boolean): Outcome => ({ kind: 'permanent', message: 'no', didNothing })

/** Returns the moves of the step in this place, given its job. */
export function stepMoves(tables: Tables, world: World, place: number, looked: Looked): StepMoves {
  const { decisions, steps } = tables
  const number = looked.steps[place] ?? -1
  const step = steps.at(number)
  const isOperation = step.kind === 'operation'
  const write = (by: Writer, after: StepDocument): Writing =>
    writingOf(tables, by, looked, { changed: [after] })
  const settled = (outcome: Outcome, fence = step.fence): Writing | null => {
    const at = { now, random: longestBackoff }
    const settlement: Settlement = decisions.settle(step, { ...attemptAt(step), fence }, outcome, at)
    return settlement.kind === 'write' ? write('settle', settlement.step) : null
  }
  const outcomes = world.outputs.map((output): Outcome => ({ kind: 'success', output }))
  const claimed = decisions.claim(step, { fence: step.fence, by: 'agents', token: liveToken }, now)
  const joined = decisions.joinAttempt(step, step.fence, now)
  const recovery = decisions.recoverStep(step, policy)
  const raised = step.kind === 'waitFor' ? decisions.raiseEvent(step, 1, now) : null
  const rested = recovery.kind === 'unclaimed' ? write('recover', decisions.rest(step)) : null
  const recovered = 'step' in recovery ? write('recover', recovery.step) : null
  return {
    key: keyOf(step),
    isOperation,
    isOpen: isOperation && isOpen(step, now),
    isDo: step.direction === 'do',
    isOffered: isOperation && isOpen(step, now) && !isTaken(step),
    isClaimRequired: step.isClaimRequired,
    join: joined.kind === 'write' ? write('join', joined.step) : null,
    mayJoin: joined.kind !== 'refused',
    claim: step.isClaimRequired && claimed.kind === 'write' ? write('claim', claimed.step) : null,
    successes: isOperation ? outcomes.flatMap((outcome) => settled(outcome) ?? []) : [],
    failure: isOperation ? settled(failed) : null,
    refusals: isOperation ? [settled(refused(true)), settled(refused(false))] : [null, null],
    lateOutcomes: isOperation
      ? [...outcomes, failed, refused(true)].flatMap((outcome) => settled(outcome, step.fence - 1) ?? [])
      : [],
    recovery: recovered,
    rest: rested ?? recovered,
    event: raised?.kind === 'write' ? write('raise', raised.step) : null,
    unclaimed: steps.numberOf(withoutClaimant(step)),
    nextMs: nextInstant(step, recovery.kind === 'wait' ? recovery.untilMs : null, world),
    problem: problemOf(() => checkStep(decisions, step)),
  }
}

function nextInstant(step: StepDocument, dueMs: number | null, world: World): number {
  const { completeByMs, notBeforeMs, completeWithinMs } = step
  const isAttempt = isOpen(step, now)
  const askFrom = world.extends && isAttempt ? step.completeByMs - completeWithinMs / 2 : null
  const instants = [isAttempt ? completeByMs : null, notBeforeMs, dueMs, askFrom]
  const ahead = instants.flatMap((ms) => (ms !== null && ms > now ? [ms - now] : []))
  return ahead.length === 0 ? 0 : Math.min(...ahead)
}

/** All writes of the supervisor about a job, and their times. */
export interface JobMoves {
  readonly isTerminal: boolean
  readonly isParked: boolean
  readonly processState: JobDocument['processState']
  readonly recovery: Writing | null
  readonly nextMs: number
}

export function jobMoves(tables: Tables, looked: Looked): JobMoves {
  const job = tables.jobs.at(looked.job)
  const recovery = tables.decisions.recoverJob(job, policy)
  const written = 'job' in recovery ? writingOf(tables, 'recoverJob', looked, { job: recovery.job }) : null
  const endMs = isTerminal(job) ? null : job.endByMs
  const instants = [endMs, recovery.kind === 'wait' ? recovery.untilMs : null]
  const ahead = instants.flatMap((ms) => (ms !== null && ms > now ? [ms - now] : []))
  return {
    isTerminal: isTerminal(job),
    processState: job.processState,
    isParked: job.attention?.kind === 'parked',
    recovery: written,
    nextMs: ahead.length === 0 ? 0 : Math.min(...ahead),
  }
}
