import type { JobDocument, StepDocument } from '../model/documents.js'
import { isBehind, isHeldBack, isHeldInPause, isLeftBehind } from '../model/work.js'
import { earlierOf, withoutPauses } from './earlier-attempts.js'
import { latest, type Interval, type Part } from './interval.js'

/**
 * Returns what the documents of a job tell about its past. They keep the ends of attempts, the beginning of the newest
 * one and the decisions of operators, so an earlier attempt contains the back-off before it.
 */
export function intervalsOf(job: JobDocument, steps: readonly StepDocument[], now: number): Interval[] {
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  const past = { job, byId, now }
  const ready = readyTimes(past)
  const parts = steps.flatMap((step) => {
    const from = ready.get(step.stepId) ?? job.submittedAt
    return partsOf(step, { job, from, now, sleptUntil: sleptUntil(step, from, past) }).map((part) => ({
      stepId: step.stepId,
      ...part,
    }))
  })
  // A step that a restart has taken over did its work before this job was submitted.
  return [...pausesOf(job), ...parts].filter(
    ({ from, to }) => to === null || (from < to && to > job.submittedAt),
  )
}

/** What is known of a job when its past is told. */
interface Past {
  readonly job: JobDocument
  readonly byId: ReadonlyMap<string, StepDocument>
  readonly now: number
}

/** Returns the time at which each step could begin: when the steps on which it depends had ended. */
function readyTimes(past: Past): ReadonlyMap<string, string> {
  const { job, byId } = past
  const ready = new Map<string, string>()
  // The steps are in the order of the workflow, so what a step depends on comes before it.
  for (const stepId of job.stepIds) {
    const before = (byId.get(stepId)?.dependsOn ?? []).map((id) => {
      const step = byId.get(id)
      const from = ready.get(id) ?? job.submittedAt
      return latest([from, ...(step === undefined ? [] : endsOf(step, sleptUntil(step, from, past)))])
    })
    ready.set(stepId, latest([job.submittedAt, ...before]))
  }
  return ready
}

function endsOf(step: StepDocument, slept: string | undefined): string[] {
  const { direction, outcome, event, collect } = step
  const told = direction === 'do' ? outcome?.at : undefined
  const ends = [told, event?.at, collect?.events.at(-1)?.at, slept, givenUpAt(step)]
  return ends.filter((at) => at !== undefined)
}

/**
 * Returns the end of a sleep that is over. No document contains this time. It follows from the beginning of the sleep
 * and from the step that may have ended it early.
 */
function sleptUntil(
  { kind, processState, input, inputTemplate }: StepDocument,
  from: string,
  { job, byId, now }: Past,
): string | undefined {
  if (kind !== 'sleep' || processState !== 'Processed') return undefined
  const { forMs, until } = (input ?? {}) as { readonly forMs?: number; readonly until?: string | number }
  const fromMs = Date.parse(from)
  let wokenMs = forMs === undefined ? new Date(until ?? from).getTime() : fromMs + forMs
  // A pause of the job makes the sleep longer.
  for (const pause of pausesOf(job)) {
    const [beginMs, endMs] = [Date.parse(pause.from), pause.to === null ? Number.NaN : Date.parse(pause.to)]
    if (beginMs < wokenMs && endMs > fromMs) wokenMs += endMs - Math.max(fromMs, beginMs)
  }
  const { orUntil } = (inputTemplate ?? {}) as { readonly orUntil?: { readonly $from?: readonly string[] } }
  const other = byId.get(orUntil?.$from?.[1] ?? '')
  const cutMs = other === undefined ? [] : endsOf(other, undefined).map((at) => Date.parse(at))
  const ms = Math.max(fromMs, Math.min(wokenMs, ...cutMs, job.endedAtMs ?? now, now))
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

/** Returns the time at which a step without an answer was given up. */
function givenUpAt({ direction, processState, outcome, attention }: StepDocument): string | undefined {
  const isUnanswered = direction === 'do' && processState === 'Error' && outcome === null
  return isUnanswered ? attention?.since : undefined
}

interface Known {
  readonly job: JobDocument
  /** The time at which the step could begin. */
  readonly from: string
  readonly now: number
  /** The end of the step if it is a sleep that has ended. */
  readonly sleptUntil: string | undefined
}

function partsOf(step: StepDocument, known: Known): Part[] {
  const { job } = known
  if (step.direction === 'undo' && job.compensation !== null) {
    const { since } = job.compensation
    return [...triedBefore(step, known, since), ...undoOf(step, since), ...flagOf(step, job)]
  }
  if (step.dispatch === 0) return notBegun(step, job, job.submittedAt)
  const { parts, at } = earlierOf(step, job, { from: known.from, to: endOf(step, known.sleptUntil) })
  const isToBegin = job.steps[step.stepId]?.state === 'NotStarted'
  const last = isToBegin ? notBegun(step, job, at) : newest(step, { ...known, from: at })
  const pauses = pausesOf(job)
  return [...parts, ...last, ...flagOf(step, job)].flatMap((part) => withoutPauses(part, pauses))
}

/** Returns the time at which the newest work of a step ended, or null if it goes on. */
function endOf(step: StepDocument, slept: string | undefined): string | null {
  const { processState, diagnostics, attention } = step
  if (processState !== 'Processed' && processState !== 'Error') return null
  const flagged = attention === null ? [] : [attention.since]
  return latest(['', ...endsOf(step, slept), ...diagnostics.map(({ at }) => at), ...flagged])
}

/** Returns the failed attempts before the undo began. The end of a successful one is not recorded any more. */
function triedBefore(step: StepDocument, { job, from }: Known, to: string): readonly Part[] {
  const diagnostics = step.diagnostics.filter(({ at }) => at < to)
  return earlierOf({ ...step, diagnostics }, job, { from, to }).parts
}

function undoOf({ processState, outcome, attention }: StepDocument, since: string): Part[] {
  const isOver = processState === 'Compensated' || processState === 'Error'
  const end = isOver ? (outcome?.at ?? attention?.since ?? since) : null
  return [
    { kind: 'undoing', from: since, to: end, what: isOver ? 'undo' : 'is being undone', isExact: false },
  ]
}

/** A step that has not begun, or not again, waits unless it is over or its job has ended without it. */
function notBegun({ stepId, dependsOn, processState }: StepDocument, job: JobDocument, from: string): Part[] {
  const { steps, endedAt } = job
  if (endedAt !== null || processState !== 'Pending' || isBehind(steps[stepId])) return []
  const open = dependsOn.filter((id) => !isBehind(steps[id]))
  const what = open.length === 0 ? 'waits for a scheduler' : `waits for ${open.slice(0, 3).join(', ')}`
  return [{ kind: 'waiting', from, to: null, what, isExact: true }]
}

/** Returns what the step has done since its last failed attempt, or since an operator set it going again. */
function newest(step: StepDocument, { job, from, now, sleptUntil: slept }: Known): Part[] {
  const { processState, outcome, place, kind, asked, claim, event } = step
  const end = [...(outcome?.kind === 'success' ? [outcome.at] : []), ...endsOf(step, slept)].at(-1)
  const before = step.failureCount > 0 ? 'backingOff' : 'waiting'
  if (processState === 'Processed' || processState === 'Compensated') {
    if (end === undefined) return []
    const begun = claim !== null && claim.at > from && claim.at < end ? claim.at : null
    const what = kind === 'operation' ? `attempt ${step.attempt} done` : 'done'
    const work = kind === 'operation' ? ('running' as const) : ('waiting' as const)
    // Another step may have ended a sleep early, and when it did is not always known.
    const isExact = kind !== 'operation' && kind !== 'sleep'
    if (begun === null) return [{ kind: work, from: event?.askedAt ?? from, to: end, what, isExact }]
    return [
      { kind: before, from, to: begun, what: before === 'waiting' ? 'waited' : 'backed off', isExact: true },
      { kind: work, from: begun, to: end, what, isExact: true },
    ]
  }
  const vainEnd = givenUpAt(step)
  if (vainEnd !== undefined) {
    const [work, what] =
      kind === 'operation' ? (['running', 'no answer'] as const) : (['waiting', 'waited in vain'] as const)
    // A question is asked at most `completeWithinMs` before it is given up. This bounds `from`, which may be too early:
    // the ends of steps that have been undone since are no longer recorded.
    const asked = new Date(Date.parse(vainEnd) - step.completeWithinMs).toISOString()
    const since = step.question === undefined ? from : latest([from, asked])
    return [{ kind: work, from: since, to: vainEnd, what, isExact: false }]
  }
  if (processState === 'Error' || step.attention?.kind === 'parked' || job.endedAt !== null) return []
  const open = (what: string, type: Part['kind'] = 'waiting', since = from): Part => ({
    kind: type,
    from: since,
    to: null,
    what,
    isExact: true,
  })
  if (place !== undefined && place.since !== null)
    return [open(`waits at limit ${place.waitsFor ?? place.gates[0]?.key ?? ''}`, 'blocked', place.since)]
  if (asked) return [open('waits for an answer', 'waiting', asked.since)]
  if (kind === 'waitFor') return [open('waits for an event')]
  if (kind !== 'operation') return [open(`waits${untilText(step)}`)]
  if (isHeldInPause(step)) return inPause(step, { from, before, open })
  if (isHeldBack(step, now) || outcome?.kind === 'failed')
    return [open(`backs off${untilText(step)}`, 'backingOff')]
  return underWay(step, { from, before, open })
}

/** What a step did before its newest part, and how this part is made. */
interface Before {
  readonly from: string
  readonly before: 'waiting' | 'backingOff'
  readonly open: (what: string, kind: Part['kind'], since?: string) => Part
}

/** A step that waited when its job was paused has left its limits, and no attempt of it is under way. */
function inPause({ held }: StepDocument, { from, before, open }: Before): Part[] {
  const paused = latest([from, new Date(held?.atMs ?? 0).toISOString()])
  return [
    { kind: before, from, to: paused, what: before === 'waiting' ? 'waited' : 'backed off', isExact: true },
    open('waits, because the job is paused', 'paused', paused),
  ]
}

/** The deadline of an attempt tells when the attempt was offered to agents. */
function underWay(step: StepDocument, { from, before, open }: Before): Part[] {
  const { completeByMs, completeWithinMs, attempt, claim } = step
  const offeredMs = completeByMs === null ? null : completeByMs - completeWithinMs
  const offered = claim?.at ?? (offeredMs === null ? from : new Date(offeredMs).toISOString())
  const begun = latest([from, offered])
  return [
    { kind: before, from, to: begun, what: before === 'waiting' ? 'waited' : 'backed off', isExact: true },
    open(`attempt ${attempt} is under way`, 'running', begun),
  ]
}

/** The job goes on without a step that was left behind, so such a step needs no operator. */
function flagOf({ stepId, processState, attention }: StepDocument, job: JobDocument): Part[] {
  if (isLeftBehind(job.steps[stepId])) return []
  const isHeld = attention !== null && (processState === 'Error' || attention.kind === 'parked')
  if (!isHeld) return []
  // A failed job waits for its operator, although it has ended. An undo ends this wait.
  const ends = [job.compensation?.since, job.processState === 'Error' ? null : job.endedAt]
  const ended = ends.find((at) => typeof at === 'string' && at > attention.since) ?? null
  return [
    {
      kind: 'operator',
      from: attention.since,
      to: ended,
      what: `needs an operator: ${attention.kind}`,
      isExact: true,
    },
  ]
}

/** Returns the pauses of the job, as the decisions of operators tell. */
function pausesOf({ audit, endedAt }: JobDocument): Interval[] {
  const pauses: Interval[] = []
  const decisions = audit.filter(({ command }) => command === 'pause' || command === 'resume')
  for (const [index, { command, at, by }] of decisions.entries()) {
    if (command !== 'pause') continue
    const end = decisions[index + 1]?.at ?? endedAt
    pauses.push({ stepId: null, kind: 'paused', from: at, to: end, what: `paused by ${by}`, isExact: true })
  }
  return pauses
}

function untilText({ notBeforeMs, completeByMs }: StepDocument): string {
  const ms = notBeforeMs ?? completeByMs
  return ms === null ? '' : ` until ${new Date(ms).toISOString().slice(0, 19)}Z`
}
