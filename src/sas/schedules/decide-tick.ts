import { tickJobId } from '../model/document-ids.js'
import type { PassedTicks, PassReason, ScheduleDocument } from '../model/schedule-documents.js'
import { nextDue } from './calendar.js'
import { passedOver, submitted, type Tick } from './counted-ticks.js'
import { actAt } from './tick-time.js'

/** The state of a run, which is the job of a tick. A job that was deleted counts as `none`. */
export type Run =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly endedAtMs: number }

/** What a decision about a tick may depend on, besides the schedule. The decision names what it must read. */
export interface TickFacts {
  readonly now: number
  /** The largest difference between the clocks of two hosts. */
  readonly graceMs: number
  /** The newest run of the schedule. Null if it was not read. */
  readonly previous: Run | null
  /** Whether the job of the next tick exists already. Null if this was not read. */
  readonly isSubmitted: boolean | null
}

export type TickDecision =
  /** The schedule has no tick to come, or is paused. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** The decision needs another fact. */
  | { readonly kind: 'read'; readonly what: 'previous' | 'isSubmitted' }
  /** Submit the tick, cancel the run before it, and then write the schedule. */
  | {
      readonly kind: 'advance'
      readonly submission: Tick | null
      /** The id of the job to cancel before the submission, or null. */
      readonly cancel: string | null
      readonly schedule: ScheduleDocument
      readonly passed: PassedTicks | null
    }

/** The time between two looks at a run for whose end the next tick waits. */
export const queueLookMs = 5_000

/** The most ticks that one decision passes over, because reading a cron pattern takes time. */
export const maxPassedAtOnce = 200

/**
 * Decides about the next tick of a schedule. A tick is submitted first, and the schedule is written
 * afterwards, so that no crash between the two loses the tick: the next decision submits the same id again.
 * Before ticks are counted as passed over, the decision asks for the job of the first of them, because an
 * instance may have submitted it before it died. A tick is submitted only after the tick before it, so if the
 * first has no job, no later one has.
 */
export function decideTick(schedule: ScheduleDocument, facts: TickFacts): TickDecision {
  const { nextDueMs: dueMs, completeByMs } = schedule
  if (dueMs === null || completeByMs === null) return { kind: 'rest' }
  if (facts.now < completeByMs) return { kind: 'wait', untilMs: completeByMs }
  const passing = passingOf(schedule, dueMs, facts)
  if (passing === 'read') return { kind: 'read', what: 'previous' }
  if ('untilMs' in passing) return { kind: 'wait', untilMs: passing.untilMs }
  const tick = { dueMs, jobId: tickJobId(schedule.scheduleId, dueMs) }
  const { reason } = passing
  if (reason === null) {
    const isCancelling = schedule.overlap === 'cancelPrevious' && facts.previous?.kind === 'running'
    const previous = isCancelling ? (schedule.last?.jobId ?? null) : null
    const cancel = previous === tick.jobId ? null : previous
    const next = submitted(schedule, tick)
    return { kind: 'advance', submission: tick, cancel, schedule: next, passed: null }
  }
  if (facts.isSubmitted === null) return { kind: 'read', what: 'isSubmitted' }
  if (facts.isSubmitted) {
    const next = submitted(schedule, tick)
    return { kind: 'advance', submission: null, cancel: null, schedule: next, passed: null }
  }
  const { count, lastMs } = rowOf(schedule, dueMs, passing.isPassed)
  const passed = passedOf(reason, [dueMs, lastMs], count, '')
  return { kind: 'advance', submission: null, cancel: null, schedule: passedOver(schedule, passed), passed }
}

/** Returns the schedule after the tick whose job the store refuses for good. */
export function refusedTick(
  schedule: ScheduleDocument,
  { dueMs }: Tick,
  message: string,
): { readonly schedule: ScheduleDocument; readonly passed: PassedTicks } {
  const passed = passedOf('refused', [dueMs, dueMs], 1, message)
  return { schedule: passedOver(schedule, passed), passed }
}

/** Whether the first tick is passed over, and which later ticks would be passed over for the same reason. */
type Passing =
  | 'read'
  | { readonly untilMs: number }
  | { readonly reason: PassReason | null; readonly isPassed: (dueMs: number) => boolean }

const submitIt: Passing = { reason: null, isPassed: () => false }

function passingOf(schedule: ScheduleDocument, dueMs: number, facts: TickFacts): Passing {
  const { now } = facts
  const { resumedMs, catchUpMs, overlap } = schedule
  const isPaused = (ms: number): boolean => resumedMs !== null && ms < resumedMs
  if (isPaused(dueMs)) return { reason: 'paused', isPassed: isPaused }
  const isLate = (ms: number): boolean => now > actAt(schedule, ms) + catchUpMs
  if (isLate(dueMs)) return { reason: 'late', isPassed: isLate }
  if (overlap === 'allow') return submitIt
  if (facts.previous === null) return 'read'
  return overlapOf(schedule, dueMs, { ...facts, previous: facts.previous })
}

/**
 * Returns what the policy says about a tick whose previous run is known. With `skip`, the answer depends only
 * on the time when the previous run ended, so that all instances give the same answer, whenever they ask. If
 * the previous run still runs, the grace must pass first, because its scheduler may have a slower clock.
 */
function overlapOf(
  schedule: ScheduleDocument,
  dueMs: number,
  { now, graceMs, previous }: TickFacts & { readonly previous: Run },
): Passing {
  if (schedule.overlap === 'queue') {
    return previous.kind === 'running' ? { untilMs: now + queueLookMs } : submitIt
  }
  if (schedule.overlap === 'cancelPrevious') {
    // The next tick would cancel this one immediately.
    const isOvertaken = (ms: number): boolean => {
      const laterMs = nextDue(schedule.calendar, ms)
      return laterMs !== null && actAt(schedule, laterMs) <= now
    }
    return isOvertaken(dueMs) ? { reason: 'overlap', isPassed: isOvertaken } : submitIt
  }
  if (previous.kind === 'none') return submitIt
  const endMs = previous.kind === 'running' ? now - graceMs + 1 : previous.endedAtMs
  const isDuring = (ms: number): boolean => ms < endMs && actAt(schedule, ms) <= now
  if (isDuring(dueMs)) return { reason: 'overlap', isPassed: isDuring }
  return previous.kind === 'running' ? { untilMs: dueMs + graceMs } : submitIt
}

/** Counts the ticks from `dueMs` on that are passed over in a row, at most {@link maxPassedAtOnce}. */
function rowOf({ calendar }: ScheduleDocument, dueMs: number, isPassed: (dueMs: number) => boolean) {
  let [lastMs, count] = [dueMs, 1]
  while (count < maxPassedAtOnce) {
    const nextMs = nextDue(calendar, lastMs)
    if (nextMs === null || !isPassed(nextMs)) break
    lastMs = nextMs
    count += 1
  }
  return { lastMs, count }
}

function passedOf(reason: PassReason, [fromMs, toMs]: [number, number], count: number, message: string) {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  return { reason, from, to, count, message }
}
