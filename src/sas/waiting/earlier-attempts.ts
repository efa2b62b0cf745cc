import type { AuditEntry, JobDocument, StepDocument } from '../model/documents.js'
import { latest, type Part } from './interval.js'

/** What a step did before its newest attempt, and the time at which this ends. */
export interface Earlier {
  readonly parts: readonly Part[]
  readonly at: string
}

interface Span {
  /** The time at which the step could begin. */
  readonly from: string
  /** The time at which its newest work ended. Null if it goes on. */
  readonly to: string | null
}

interface Event extends Pick<Part, 'kind' | 'what'> {
  readonly at: string
  /** The time for which the step certainly waited after this event. */
  readonly thenMs: number
}

/**
 * Returns the failed attempts of a step, and its waits for the operators who set it going again. The documents keep
 * the ends of attempts and the decisions, so each part begins where the one before it ends.
 */
export function earlierOf(step: StepDocument, job: JobDocument, { from, to }: Span): Earlier {
  const parts: Part[] = []
  let last: Event = { at: from, kind: 'waiting', what: '', thenMs: 0 }
  const events = [...failuresOf(step), ...goingAgain(step, job, { from, to })].sort(byTime)
  for (const event of events) {
    const { at, kind, what } = event
    // Between two decisions, an attempt may have ended without an answer.
    const isKnown = kind === 'running' || last.kind === 'running'
    const text = isKnown ? what : `what it did ${what} is not recorded`
    const waitedUntil = kind === 'running' ? later(last.at, last.thenMs) : last.at
    const since = waitedUntil < at ? waitedUntil : last.at
    if (since > last.at)
      parts.push({ kind: 'waiting', from: last.at, to: since, what: 'extended wait', isExact: true })
    if (at > since) parts.push({ kind, from: since, to: at, what: text, isExact: false })
    last = { ...event, at: latest([last.at, at]) }
  }
  return { parts, at: last.at }
}

function failuresOf({ diagnostics, maxFailures, onExhausted }: StepDocument): Event[] {
  const { extendedWaitMs } = typeof onExhausted === 'object' ? onExhausted : { extendedWaitMs: 0 }
  return diagnostics.map(({ at, attempt }) => {
    const thenMs = attempt < maxFailures ? 0 : extendedWaitMs
    return { at, kind: 'running', what: `attempt ${attempt} failed`, thenMs }
  })
}

/** Returns the decisions that ended a wait of the step. A job that is resubmitted has no attempt under way. */
function goingAgain(
  { stepId, onExhausted }: StepDocument,
  { audit }: JobDocument,
  { from, to }: Span,
): Event[] {
  const isWaiting = typeof onExhausted === 'object'
  const isHeld = isWaiting || onExhausted === 'park'
  const ends = (entry: AuditEntry): boolean =>
    entry.command === 'resubmit' ||
    (entry.command === 'release' && (entry.stepId === stepId || (entry.stepId === null && isHeld)))
  return audit
    .filter((entry) => ends(entry) && entry.at > from && (to === null || entry.at < to))
    .map(({ at, by, command }) => ({
      at,
      kind: command === 'release' && isWaiting ? 'waiting' : 'operator',
      thenMs: 0,
      what: `until ${by} ${command === 'release' ? 'released' : 'resubmitted'} it`,
    }))
}

function later(at: string, ms: number): string {
  return ms === 0 ? at : new Date(Date.parse(at) + ms).toISOString()
}

function byTime(one: Event, other: Event): number {
  return one.at < other.at ? -1 : 1
}

/**
 * Takes the pauses of the job out of a part whose beginning is not known. No attempt begins in a pause, but an attempt
 * under way may last into it.
 */
export function withoutPauses(part: Part, pauses: readonly Pick<Part, 'from' | 'to'>[]): Part[] {
  if (part.kind !== 'running' || part.isExact || part.to === null) return [part]
  const parts: Part[] = []
  let { from } = part
  for (const pause of pauses) {
    if (pause.to === null || pause.to <= from || pause.to >= part.to) continue
    const isExact = pause.from <= from
    if (!isExact) parts.push({ ...part, from, to: pause.from, what: 'worked or waited' })
    const begun = latest([from, pause.from])
    parts.push({ kind: 'paused', from: begun, to: pause.to, what: 'the job was paused', isExact })
    from = pause.to
  }
  return [...parts, { ...part, from }]
}
