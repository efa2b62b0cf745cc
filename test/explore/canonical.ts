import type { Attention, JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isTerminal } from '../../src/sas/model/process-state.js'
import { pickUpWithinMs } from '../../src/sas/decisions/recover-job.js'
import { submittedAtMs } from '../support/a-job.js'

/**
 * The only instant at which decisions are made. When time passes, every instant in the documents moves
 * towards the past. So equal situations at different times are one state, and no decision is made twice.
 */
export const now = submittedAtMs

/**
 * How long the supervisor waits after a deadline. Like all periods of these worlds, a multiple of {@link
 * tickMs}.
 */
export const graceMs = 30_000
/** The largest period that divides all others. */
export const tickMs = 30_000
/** A number of ticks that never pass at once. */
export const mostTicks = 4_096

/** The fences of the current version of a step and of older ones. Only equality of fences matters. */
const currentFence = 10
const olderFence = 9
/**
 * The largest count of dispatches. Beyond it, the counts of a step and its older version move down together.
 */
export const mostDispatches = 3
/** The token of the process that holds a claim. Any other token belongs to a process that has ended. */
export const liveToken = 'live'
const goneToken = 'gone'
const longAgoMs = now - pickUpWithinMs - graceMs

/** The longest offer. Repeated offers get longer: here they double once, in production up to an hour. */
const longestFlaggedMs = 120_000

/** Removes from a stored job what makes no difference: names, texts, past instants, counts that only grow. */
export function canonicalJob(job: JobDocument): JobDocument {
  const isWaiting = job.completeByMs === null && job.lockedBy === null && !isTerminal(job)
  const entries = Object.entries(job.steps).map(([stepId, entry]) => {
    return [stepId, { ...entry, dispatch: Math.min(entry.dispatch, mostDispatches) }] as const
  })
  return {
    ...job,
    completeByMs: recentOrNull(job.completeByMs),
    completeBy: null,
    endByMs: recentOrNull(job.endByMs),
    fence: job.fence === 0 ? 0 : 1,
    lockedBy: job.lockedBy === null ? null : 'scheduler',
    steps: Object.fromEntries(entries),
    attention: canonicalAttention(job.attention),
    ...canonicalTriages(job),
    compensation: job.compensation === null ? null : { ...job.compensation, since: '', by: '', reason: '' },
    audit: [],
    diagnostics: [],
    submittedAt: '',
    submittedAtMs: isWaiting ? Math.max(job.submittedAtMs, longAgoMs) : longAgoMs,
    endedAt: job.endedAt === null ? null : '',
    endedAtMs: job.endedAtMs === null ? null : 0,
  }
}

/** Removes the record of triages. Only what they say about a flag matters. */
function canonicalTriages({ triage, otherTriages }: JobDocument): Partial<JobDocument> {
  type Kept = NonNullable<JobDocument['triage']>
  const canonical = (kept: Kept): Kept => ({ ...kept, at: '', by: '' })
  return {
    ...(triage === undefined ? {} : { triage: triage && canonical(triage) }),
    ...(otherTriages === undefined ? {} : { otherTriages: otherTriages.map(canonical) }),
    triageAudit: undefined,
    operatedAtMs: undefined,
  }
}

/** Removes the same from a stored step. */
export function canonicalStep(step: StepDocument): StepDocument {
  const { completeByMs, notBeforeMs, lockedBy, attention, outcome, claim, fence, event, undo } = step
  const most = step.maxFailures + 1
  const isClaimLive =
    claim?.fence === fence && lockedBy !== null && outcome === null && claim.token === liveToken
  return {
    ...step,
    completeByMs: completeByMs === null ? null : Math.max(completeByMs, now - graceMs),
    completeBy: null,
    notBeforeMs: notBeforeMs === null ? null : Math.max(notBeforeMs, now),
    fence: currentFence,
    dispatch: Math.min(step.dispatch, mostDispatches),
    failureCount: Math.min(step.failureCount, most),
    undo: undo === null ? null : { ...undo, failureCount: Math.min(undo.failureCount, most) },
    attempt: Math.min(step.attempt, most + 1),
    lockedBy: lockedBy === null ? null : 'scheduler',
    attention: canonicalAttention(attention),
    outcome: outcome === null ? null : { ...outcome, at: '', by: '', attempt: 0 },
    claim:
      claim === null
        ? null
        : {
            by: '',
            at: '',
            token: isClaimLive ? liveToken : goneToken,
            fence: claim.fence === fence ? currentFence : olderFence,
          },
    event: event === null ? null : { ...event, at: '' },
    joinedFence: fenceOf(step.joinedFence, fence),
    leftFence: fenceOf(step.leftFence, fence),
    mayRunUntilMs: (step.mayRunUntilMs ?? 0) > now ? step.mayRunUntilMs : undefined,
    // Stops may take an attempt without end here. Tests of the decision count them.
    returned: undefined,
    firstBy: null,
    diagnostics: [],
  }
}

/** Only the fence of the present attempt matters. */
function fenceOf(named: number | undefined, fence: number, to = currentFence): number | undefined {
  return named === fence ? to : undefined
}

/** Removes the texts of a flag. Its `since` matters only for work that is offered repeatedly. */
function canonicalAttention(attention: Attention | null): Attention | null {
  if (attention === null) return null
  const { kind, since } = attention
  const sinceMs = kind === 'unclaimed' ? Math.max(Date.parse(since), now - longestFlaggedMs) : null
  return { ...attention, by: '', message: '', since: sinceMs === null ? '' : new Date(sinceMs).toISOString() }
}

function laterAttention(attention: Attention | null, ms: number): Attention | null {
  if (attention?.kind !== 'unclaimed') return attention
  return { ...attention, since: new Date(Date.parse(attention.since) - ms).toISOString() }
}

/** Returns a replaced version of a step that a cache may still have, with its dispatch. */
export function canonicalOld(step: StepDocument, dispatch: number): StepDocument {
  const { claim, fence } = step
  const isTaken = claim?.fence === fence
  return {
    ...step,
    fence: olderFence,
    joinedFence: fenceOf(step.joinedFence, fence, olderFence),
    leftFence: fenceOf(step.leftFence, fence, olderFence),
    dispatch,
    claim:
      claim === null ? null : { ...claim, token: goneToken, fence: isTaken ? olderFence : olderFence - 1 },
  }
}

/** Returns the step after the end of the process that holds its claim. */
export function withoutClaimant(step: StepDocument): StepDocument {
  return step.claim?.token === liveToken ? { ...step, claim: { ...step.claim, token: goneToken } } : step
}

/** Returns the job after this much time. */
export function laterJob(job: JobDocument, ms: number): JobDocument {
  return canonicalJob({
    ...job,
    completeByMs: minus(job.completeByMs, ms),
    endByMs: minus(job.endByMs, ms),
    attention: laterAttention(job.attention, ms),
    submittedAtMs: job.submittedAtMs - ms,
  })
}

/** Returns the version of a step after this much time. */
export function laterStep(step: StepDocument, ms: number): StepDocument {
  const { fence, claim, joinedFence, leftFence } = step
  const later = canonicalStep({
    ...step,
    ...(step.mayRunUntilMs === undefined ? {} : { mayRunUntilMs: step.mayRunUntilMs - ms }),
    attention: laterAttention(step.attention, ms),
    completeByMs: minus(step.completeByMs, ms),
    notBeforeMs: minus(step.notBeforeMs, ms),
  })
  return { ...later, fence, claim, joinedFence, leftFence }
}

/** Returns a document as text, equal for equal fields in any order. */
export function textOf(document: JobDocument | StepDocument): string {
  const fields = Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(fields)
}

function recentOrNull(ms: number | null): number | null {
  return ms === null ? null : Math.max(ms, longAgoMs)
}

function minus(ms: number | null, by: number): number | null {
  return ms === null ? null : ms - by
}
