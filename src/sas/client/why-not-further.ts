import { counted } from '../../platform/internal.js'
import { isUnclaimed } from '../decisions/claim.js'
import { isInQueue } from '../gates/job-place.js'
import { isLeftBehind, isUnderWay } from '../decisions/ledger.js'
import type { JobDocument, JobPause, LedgerEntry, StepDocument } from '../model/documents.js'
import { pauseOf } from './call-arguments.js'
import type { AskedQuestion } from '../model/question-parts.js'
import { isHeldBack, workOf } from '../model/work.js'

/** The most steps that the sentence names. */
const mostNamed = 3

const howToAnswer = '"stepward answer" answers it'

/** A supervisor handles a passed deadline within this time. */
const supervisedWithinMs = 120_000

/** Returns one sentence that says why a job has not ended, or how it has ended. */
export function whyNotFurther(job: JobDocument, steps: readonly StepDocument[], now: number): string {
  return withVisibleDirections(sentenceOn(job, steps, now))
}

/**
 * Writes characters that change the direction of text as escapes. A name or a reason with such a character would
 * turn the rest of the sentence around.
 */
function withVisibleDirections(sentence: string): string {
  return sentence.replace(
    /[\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sentenceOn(job: JobDocument, steps: readonly StepDocument[], now: number): string {
  const { processState, attention, compensation, restartedAs } = job
  if (restartedAs !== undefined)
    return `It was restarted from step ${restartedAs.from} as job ${restartedAs.jobId}.`
  if (processState === 'Processed') return endText(job)
  if (processState === 'Compensated')
    return `Everything was undone: ${compensation?.reason ?? 'see the audit'}.`
  const pause = pauseOf(job)
  if (pause !== null) return pausedText(pause, job, steps)
  const open = steps.filter((step) => isOpen(step, job.steps[step.stepId]))
  if (attention !== null) {
    const asked = open.some(({ stepId, asked: asks }) => stepId === attention.stepId && asks)
    return `It waits for an operator: ${attention.message}${asked ? `; ${howToAnswer}.` : ''}`
  }
  if (processState === 'Pending' && job.lockedBy === null) return 'No scheduler has taken it yet.'
  if (open.length === 0 && isInQueue(job)) return limitText('The job', job.place)
  const overdue = open.filter((step) => isOverdue(step, now))
  if (overdue.length > 0) return overdueText(overdue)
  const [question] = open.flatMap(({ stepId, asked }) => (asked ? [{ stepId, ...asked }] : []))
  if (question !== undefined) return questionText(question)
  const [waiting] = open.filter(({ place }) => place !== undefined && place.since !== null)
  if (waiting !== undefined) return limitText(`Step ${waiting.stepId}`, waiting.place)
  const asking = open.filter(({ kind, event }) => kind === 'waitFor' && event === null)
  if (asking.length > 0) return eventText(asking)
  const sleeping = open.filter(({ kind }) => kind === 'sleep')
  const working = open.filter(({ kind }) => kind === 'operation')
  const [backing] = working.filter((step) => isHeldBack(step, now))
  if (working.length === 0 && sleeping.length > 0)
    return `${waits(sleeping, 'sleep')} until ${earliest(sleeping)}.`
  if (backing !== undefined && working.length === 1) return heldBackText(backing)
  if (working.length > 0) return workText(working)
  return 'The scheduler decides what follows.'
}

/** Names the operator and the reason of a pause, and the attempts that have not ended yet. */
function pausedText(
  { by, since, why, with: target }: JobPause,
  job: JobDocument,
  steps: readonly StepDocument[],
): string {
  const isWithAgent = (step: StepDocument) => step.kind === 'operation' && step.lockedBy !== null
  const running = steps.filter((step) => isOpen(step, job.steps[step.stepId]) && isWithAgent(step))
  const still = running.length === 0 ? '' : ` ${agentsText(running)}.`
  const what = target === undefined ? 'It' : `It is paused with ${target.kind} ${target.name}, which`
  return `${what} was paused by ${by} at ${timeText(Date.parse(since))}: ${why}.${still}`
}

/** Returns how a job ended well: every step is done or skipped, or the job went on without some steps. */
function endText({ stepIds, steps }: JobDocument): string {
  const left = stepIds.filter((stepId) => isLeftBehind(steps[stepId]))
  return left.length === 0 ? 'Every step is done or skipped.' : `The job ended without ${listed(left)}.`
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

function overdueText(steps: readonly StepDocument[]): string {
  const which = `${steps.length === 1 ? 'step' : 'steps'} ${listed(namesOf(steps))}`
  return (
    `The deadline of ${which} passed at ${earliest(steps)}, and no supervisor has handled it; ` +
    '"stepward leases" shows whether one runs.'
  )
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

/** Says at which limit a step or a job waits: for the end of others, or for the time of its rate. */
function limitText(who: string, place: StepDocument['place']): string {
  const { waitsFor = null, since = null, reservedMs = null, gates = [] } = place ?? {}
  const from = since === null ? '' : ` since ${timeText(Date.parse(since))}`
  if (waitsFor !== null) {
    return `${who} waits for room in limit ${JSON.stringify(waitsFor)}${from}; "stepward limits" shows the limits.`
  }
  const rates = gates.filter(({ perSecond }) => perSecond !== undefined).map(({ key }) => JSON.stringify(key))
  const until = reservedMs === null ? '' : ` until ${timeText(reservedMs)}`
  return `${who} waits${until} by the rate of limit ${listed(rates)}.`
}

/** Says which steps wait for events. If one step collects events, says how many have arrived. */
function eventText(asking: readonly StepDocument[]): string {
  const collect = asking.length === 1 ? asking[0]?.collect : undefined
  const [until, waiting] = [untilText(asking), waits(asking, 'wait')]
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

/** Returns names as a list, of which at most three are named. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed)
  const others = names.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${counted(others, 'other')}` : shown.join(' and ')
}

function untilText(steps: readonly StepDocument[]): string {
  return steps.every(({ completeByMs }) => completeByMs === null)
    ? ''
    : `, until ${earliest(steps)} at the latest`
}

/** Returns the earliest deadline of steps. */
function earliest(steps: readonly StepDocument[]): string {
  const times = steps.flatMap(({ completeByMs }) => completeByMs ?? [])
  return times.length === 0 ? 'an unknown time' : timeText(Math.min(...times))
}

function heldBackText(step: StepDocument): string {
  const { round, notBeforeMs, stepId } = step
  const isBetweenRounds = round !== undefined && workOf(step).failureCount === 0 && notBeforeMs !== null
  return isBetweenRounds
    ? `Step ${stepId} begins round ${round.number} at ${timeText(notBeforeMs)}.`
    : retryText(step)
}

function retryText(step: StepDocument): string {
  const { failureCount } = workOf(step)
  const said = step.diagnostics.at(-1)?.message ?? 'no answer'
  const at = step.notBeforeMs ?? step.completeByMs
  const when = at === null ? '' : ` at ${timeText(at)}`
  return `Step ${step.stepId} failed ${failureCount} of ${step.maxFailures} times (${said}) and is tried again${when}.`
}

/** Says which agents work on the steps, and whether an agent is likely to be missing. */
function workText(working: readonly StepDocument[]): string {
  const unclaimed = working.filter(isUnclaimed)
  if (unclaimed.length > 0) {
    const which = `${unclaimed.length === 1 ? 'step' : 'steps'} ${listed(namesOf(unclaimed))}`
    return `No instance with ${agentNames(unclaimed)} has claimed ${which} yet; "stepward leases" shows what runs.`
  }
  const [silent] = working.filter(isSilent)
  const said = `${agentsText(working)}.`
  if (silent === undefined) return said
  const advice = `check that an instance has ${agentNames([silent])}`
  return `${said} Attempt ${workOf(silent).failureCount} of step ${silent.stepId} got no answer in time: ${advice}.`
}

/** Checks whether the last attempt ended by its deadline. An agent that reports a failure leaves a message. */
function isSilent(step: StepDocument): boolean {
  const { failureCount } = workOf(step)
  return failureCount > 0 && step.diagnostics.at(-1)?.attempt !== failureCount
}

function agentsText(steps: readonly StepDocument[]): string {
  const verb = steps.length === 1 ? 'is' : 'are'
  return `${stepsText(steps)} ${verb} with ${agentNames(steps)}${untilText(steps)}`
}

function agentNames(steps: readonly StepDocument[]): string {
  const actors = [...new Set(steps.map((step) => workOf(step).actor))]
  return actors.length === 1 ? `agent ${actors[0] ?? ''}` : `agents ${actors.slice(0, mostNamed).join(', ')}`
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}
