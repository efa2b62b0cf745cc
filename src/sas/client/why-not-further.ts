import { counted } from '../../platform/internal.js'
import { isTaken, isUnclaimed, mayWait } from '../decisions/claim.js'
import { isInQueue, wholeJob } from '../gates/job-place.js'
import { waitingAtLimit, type PlaceAtLimit } from '../gates/place-ahead.js'
import { isUnderWay } from '../decisions/ledger.js'
import type { Attention, JobDocument, JobPause, LedgerEntry, StepDocument } from '../model/documents.js'
import { pauseOf } from './call-arguments.js'
import { endText, restartText, undoneText } from './end-text.js'
import { isLargeList, itemsText, listed, mostNamed } from './list-progress.js'
import { withVisibleDirections } from './history/words.js'
import type { AskedQuestion } from '../model/question-parts.js'
import { failuresOf, isBetweenTries, isHeldBack, workOf } from '../model/work.js'

const howToAnswer = '"stepward answer" answers it'

/** A supervisor handles a passed deadline within this time. */
const supervisedWithinMs = 120_000

/** The time, and the place of the first step that waits for room in a limit, if it was read. */
export interface Moment {
  readonly now: number
  readonly atLimit?: PlaceAtLimit | null
}

/** Returns one sentence that says why a job has not ended, or how it has ended. */
export function whyNotFurther(job: JobDocument, steps: readonly StepDocument[], moment: Moment): string {
  return withVisibleDirections(sentenceOn(job, steps, moment))
}

function sentenceOn(job: JobDocument, steps: readonly StepDocument[], { now, atLimit }: Moment): string {
  const { processState, attention, compensation, restartedAs } = job
  if (restartedAs !== undefined) return restartText(restartedAs)
  if (processState === 'Processed') return endText(job, steps)
  if (processState === 'Compensated') return undoneText(job, steps)
  const pause = pauseOf(job)
  if (pause !== null) return pausedText(pause, job, { steps, now })
  const open = steps.filter((step) => isOpen(step, job.steps[step.stepId]))
  if (attention !== null) {
    const asked = open.some(({ stepId, asked: asks }) => stepId === attention.stepId && asks)
    return `${awaited(attention, open, now)}: ${attention.message}${asked ? `; ${howToAnswer}.` : ''}`
  }
  if (processState === 'Pending' && job.lockedBy === null) return 'No scheduler has taken it yet.'
  if (open.length === 0 && isInQueue(job)) {
    return limitText('The job', { stepId: wholeJob, place: job.place }, atLimit)
  }
  const overdue = open.filter((step) => isOverdue(step, now))
  if (overdue.length > 0) return overdueText(overdue)
  const [question] = open.flatMap(({ stepId, asked }) => (asked ? [{ stepId, ...asked }] : []))
  if (question !== undefined) return questionText(question)
  const waiting = waitingAtLimit(job, open)
  if (waiting !== undefined) return limitText(`Step ${waiting.stepId}`, waiting, atLimit)
  const asking = open.filter(({ kind, event }) => kind === 'waitFor' && event === null)
  if (asking.length > 0) return eventText(asking, now)
  const sleeping = open.filter(({ kind }) => kind === 'sleep')
  const working = open.filter(({ kind }) => kind === 'operation')
  if (working.length === 0 && sleeping.length > 0)
    return `${waits(sleeping, 'sleep')} until ${earliest(sleeping)}.`
  const atWork = working.filter((step) => !isHeldBack(step, now) && !isBetweenTries(step) && !isOwed(step))
  if (atWork.length > 0) return workText(atWork, now)
  if (working.length > 0) return heldBackText(working, now, compensation !== null)
  return 'The scheduler decides what follows.'
}

/** Names what a flagged job waits for: an instance, a time or an operator. */
function awaited({ kind, stepId }: Attention, open: readonly StepDocument[], now: number): string {
  if (kind === 'unclaimed') return 'It waits for an instance'
  const atMs = open.find((step) => step.stepId === stepId)?.notBeforeMs ?? 0
  if (kind !== 'extendedWait' || atMs <= now) return 'It waits for an operator'
  return `It waits for an operator, or tries again ${durationText(atMs - now)}, at ${timeText(atMs)}`
}

/** Names the operator and the reason of a pause, and the attempts that have not ended yet. */
function pausedText(
  { by, since, why, with: target }: JobPause,
  job: JobDocument,
  { steps, now }: { readonly steps: readonly StepDocument[]; readonly now: number },
): string {
  const isWithAgent = (step: StepDocument) =>
    step.kind === 'operation' && step.lockedBy !== null && !isBetweenTries(step)
  const running = steps.filter((step) => isOpen(step, job.steps[step.stepId]) && isWithAgent(step))
  const still = running.length === 0 ? '' : ` ${agentsText(running, now)}.`
  const what = target === undefined ? 'It' : `It is paused with ${target.kind} ${target.name}, which`
  const undo = job.compensation === null ? '' : ' What it did is undone when it is resumed.'
  return `${what} was paused by ${by} at ${timeText(Date.parse(since))}: ${why}.${still}${undo}`
}

/** Checks whether a step is under way. A step that sleeps is Pending. */
function isOpen({ dispatch, processState }: StepDocument, entry: LedgerEntry | undefined): boolean {
  const isUp = processState === 'Pending' || processState === 'Processing' || processState === 'Compensating'
  return isUp && isUnderWay(entry) && entry?.dispatch === dispatch
}

/** Checks whether a supervisor had the time to handle the passed deadline of a step. */
function isOverdue({ completeByMs }: StepDocument, now: number): boolean {
  return completeByMs !== null && completeByMs + supervisedWithinMs < now
}

/** Checks whether a step waits for a time, at which the supervisor offers its next attempt or round. */
function isOwed({ lockedBy, notBeforeMs }: StepDocument): boolean {
  return lockedBy === null && notBeforeMs !== null
}

function overdueText(steps: readonly StepDocument[]): string {
  const which = `${steps.length === 1 ? 'step' : 'steps'} ${listed(namesOf(steps))}`
  const passed = `The deadline of ${which} passed at ${earliest(steps)}`
  if (steps.every(mayWait)) {
    const either = `either all slots of ${agentNames(steps)} are taken, or no supervisor has handled it`
    return `${passed}: ${either}; "stepward leases" shows the slots, and whether a supervisor runs.`
  }
  const what = steps.every(isOwed)
    ? `The next attempt of ${which} was due at ${earliest(steps)}, and no supervisor has offered it`
    : `${passed}, and no supervisor has handled it`
  return `${what}; "stepward leases" shows whether one runs.`
}

function questionText({
  stepId,
  assignees,
  since,
  expiresAtMs,
}: AskedQuestion & Pick<StepDocument, 'stepId'>): string {
  const who = assignees.length === 0 ? 'anyone' : listed(assignees)
  const times = `since ${timeText(Date.parse(since))}, until ${timeText(expiresAtMs)} at the latest`
  return `Step ${stepId} waits for an answer from ${who} ${times}; ${howToAnswer}.`
}

/** Says at which limit a step or a job waits, and whether it waits for room or for the rate. */
function limitText(
  who: string,
  { stepId, place }: Pick<StepDocument, 'stepId' | 'place'>,
  atLimit: PlaceAtLimit | null | undefined,
): string {
  const { waitsFor = null, since = null, reservedMs = null, gates = [] } = place ?? {}
  const from = since === null ? '' : ` since ${timeText(Date.parse(since))}`
  if (waitsFor !== null) {
    const known = atLimit?.stepId === stepId ? atLimit : null
    const waiting = `${who} waits for room in limit ${JSON.stringify(waitsFor)}${from}`
    const more = '; "stepward limits" shows the limits.'
    if (known?.atOnce === 0 && known.set !== null) return `${waiting}${more} ${limitPausedText(known.set)}`
    return `${waiting}${known === null ? '' : placeText(known)}${more}`
  }
  const rates = gates.filter(({ perSecond }) => perSecond !== undefined).map(({ key }) => JSON.stringify(key))
  const until = reservedMs === null ? '' : ` until ${timeText(reservedMs)}`
  return `${who} waits${until} by the rate of limit ${listed(rates)}.`
}

/** Names the operator who has paused a limit, and the reason. */
function limitPausedText({ by, at, why }: NonNullable<PlaceAtLimit['set']>): string {
  return `The limit was paused by ${by} at ${timeText(Date.parse(at))}: ${why}.`
}

/** Says how many steps or jobs are inside a limit and ahead in its queue. */
function placeText({ stepId, inside, atOnce, ahead }: PlaceAtLimit): string {
  if (ahead === null) return ': its turn has come'
  const places = atOnce === null ? '' : `${inside} of ${atOnce} places are taken, and `
  const noun = stepId === wholeJob ? 'job' : 'step'
  const others = ahead === 1 ? `1 ${noun} is` : `${ahead === 0 ? 'no' : ahead} ${noun}s are`
  return `: ${places}${others} ahead of it`
}

/** Says which steps wait for events. If one step collects events, says how many have arrived. */
function eventText(asking: readonly StepDocument[], now: number): string {
  const collect = asking.length === 1 ? asking[0]?.collect : undefined
  const [until, waiting] = [untilText(asking, now), waits(asking, 'wait')]
  if (collect === undefined) return `${waiting} for an event${until}.`
  const { count, events } = collect
  const left = counted(count - events.length, 'event')
  return `${waiting} for ${left}${until}; ${events.length} of ${count} have arrived.`
}

function waits(steps: readonly StepDocument[], verb: string): string {
  return `${stepsText(steps)} ${verb}${steps.length === 1 ? 's' : ''}`
}

function stepsText(steps: readonly StepDocument[]): string {
  return `${steps.length === 1 ? 'Step' : 'Steps'} ${listed(namesOf(steps))}`
}

function namesOf(steps: readonly StepDocument[]): string[] {
  return steps.map(({ stepId }) => stepId)
}

/** Returns the earliest deadline. A passed one has no effect before a supervisor looks at it, perhaps only after a start. */
function untilText(steps: readonly StepDocument[], now: number): string {
  const times = steps.flatMap(({ completeByMs }) => completeByMs ?? [])
  if (times.length === 0) return ''
  return Math.min(...times) < now
    ? `; the deadline passed at ${earliest(steps)}, and the supervisor has not handled it yet`
    : `, until ${earliest(steps)} at the latest`
}

/** Returns the earliest deadline of steps. */
function earliest(steps: readonly StepDocument[]): string {
  const times = steps.flatMap(({ completeByMs }) => completeByMs ?? [])
  return times.length === 0 ? 'an unknown time' : timeText(Math.min(...times))
}

/** Says when the next attempt or round begins, of all steps that wait for one. */
function heldBackText(steps: readonly StepDocument[], now: number, isUndone: boolean): string {
  const [first, ...others] = [...steps].sort((one, other) => nextMs(one) - nextMs(other))
  if (first === undefined) return ''
  const also =
    others.length === 0 ? '' : ` ${counted(others.length, 'other step waits', 'other steps wait')} too.`
  const { round, notBeforeMs: atMs, stepId } = first
  if (round === undefined || failuresOf(first) > 0 || atMs === null)
    return `${retryText(first, now, isUndone)}${also}`
  return `Step ${stepId} begins round ${round.number}${whenText(atMs, now, `at ${timeText(atMs)}`)}.${also}`
}

const nextMs = ({ notBeforeMs, completeByMs }: StepDocument): number =>
  notBeforeMs ?? completeByMs ?? Infinity

function retryText(step: StepDocument, now: number, isUndone: boolean): string {
  const [failures, at] = [failuresOf(step), nextMs(step)]
  const said = step.diagnostics.length === 0 ? 'no answer' : `"${step.diagnostics.at(-1)?.message ?? ''}"`
  const failed = `Step ${step.stepId} failed ${failures} of ${step.maxFailures} times (${said})`
  const when = at === Infinity ? '' : whenText(at, now, `${durationText(at - now)}, at ${timeText(at)}`)
  if (step.direction === 'undo' && failures === 0) return `Step ${step.stepId} is undone${when}.`
  const next = failures < step.maxFailures ? `tried again${when}` : `given up${when}`
  return `${failed} and is ${isUndone && step.direction === 'do' ? 'not tried again, because the job is undone' : next}.`
}

/** Returns the text about a later time. After that time, the supervisor has not offered the step yet. */
function whenText(atMs: number, now: number, later: string): string {
  return atMs <= now ? ` as soon as the supervisor handles it (due since ${timeText(atMs)})` : ` ${later}`
}

/** Returns the time until the next attempt in its largest unit, such as `in 12 s`. */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  if (seconds < 120) return `in ${seconds} s`
  return seconds < 7_200 ? `in ${Math.round(seconds / 60)} min` : `in ${Math.round(seconds / 3_600)} h`
}

/** Says which agents work on the steps, and whether an agent is likely to be missing. */
function workText(working: readonly StepDocument[], now: number): string {
  const unclaimed = working.filter(isUnclaimed)
  if (unclaimed.length > 0) {
    const which = `${unclaimed.length === 1 ? 'step' : 'steps'} ${listed(namesOf(unclaimed))}`
    return `No instance with ${agentNames(unclaimed)} has claimed ${which} yet; "stepward leases" shows what runs.`
  }
  const [silent] = working.filter(isSilent)
  const said = `${agentsText(working, now)}.`
  return silent === undefined ? said : `${said} ${silenceText(silent)}`
}

/** Says what may be wrong. A step that is taken again shows that an instance has its agent. */
function silenceText(step: StepDocument): string {
  const failed = `Attempt ${workOf(step).failureCount} of step ${step.stepId} got no answer in time`
  const handler = `its handler ends in ${step.completeWithinMs / 1_000} s`
  if (isTaken(step)) return `${failed}: check that ${handler}.`
  return `${failed}: check that an instance has ${agentNames([step])}, and that ${handler}.`
}

/** Checks whether the last attempt ended by its deadline. An agent that reports a failure leaves a message. */
function isSilent(step: StepDocument): boolean {
  const { failureCount } = workOf(step)
  return failureCount > 0 && step.diagnostics.at(-1)?.attempt !== failureCount
}

/** Only a claim shows that an agent works on a step. Otherwise the step is offered, and perhaps no instance has the agent. */
function agentsText(all: readonly StepDocument[], now: number): string {
  const lists = all.filter((step) => isLargeList(step) && isTaken(step))
  const counts = lists.slice(0, mostNamed).map(itemsText)
  const steps = all.filter((step) => !lists.includes(step))
  if (steps.length === 0) return counts.join('. ')
  const verb = steps.length === 1 ? 'is' : 'are'
  const where = steps.every(isTaken) ? 'with' : 'dispatched to'
  return [
    `${stepsText(steps)} ${verb} ${where} ${agentNames(steps)}${untilText(steps, now)}`,
    ...counts,
  ].join('. ')
}

function agentNames(steps: readonly StepDocument[]): string {
  const actors = [...new Set(steps.map((step) => workOf(step).actor))]
  return actors.length === 1 ? `agent ${actors[0] ?? ''}` : `agents ${actors.slice(0, mostNamed).join(', ')}`
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}
