import type { StepDocument } from '../../model/documents.js'
import { deadline, withDerivedState } from '../../model/process-state.js'
import { workOf } from '../../model/work.js'
import { differs, gained, otherFields, quoted, timeText, type Told } from './words.js'

/** Says in plain words what changed in the document of a step. `before` is null for the first version. */
export function stepWords(before: StepDocument | null, after: StepDocument): Told {
  if (before === null || isLeftOver(before, after)) return firstWords(after)
  const what = changesOf(before, after)
  return { what: what.length === 0 ? [otherFields(before, after)] : what, by: byWhom(before, after) }
}

/** Does the same for the first document of a step that had begun only in its job. */
export function documentWords(started: StepDocument, after: StepDocument): Told {
  const what = changesOf(started, after)
  return { what: what.length === 0 ? ['its document was written'] : what, by: byWhom(started, after) }
}

function changesOf(before: StepDocument, after: StepDocument): string[] {
  return [
    ...endOf(before, after),
    ...beginOf(before, after),
    ...waitText(before, after),
    ...eventText(before, after),
    ...progressText(before, after),
    ...stateText(before, after),
    ...flagText(before, after),
  ]
}

/** Checks whether the version before belongs to an earlier job with this id. The fence of a step grows when its job goes on. */
function isLeftOver(before: StepDocument, after: StepDocument): boolean {
  const isExpiring = before.ttl !== -1 && after.ttl === -1
  return isExpiring && after.fence <= before.fence && after.processState !== before.processState
}

/** Tells what the first version of a step says. Most steps get their document when they begin. */
function firstWords(step: StepDocument): Told {
  const { keyJobId, jobId, processState, dispatch, place, planNumber } = step
  // A restart writes the steps of the new job before any attempt of that job.
  if (keyJobId !== undefined && keyJobId !== jobId) {
    const how = `carried over by the restart as ${processState}, with the keys of job ${keyJobId}`
    return { what: ['created', how], by: null }
  }
  // Only the job had the attempt before. Its agents share a process with the scheduler, whose name this version does not have.
  const inAttempt = withDerivedState({ ...step, fence: step.fence - 1, lockedBy: step.firstBy ?? '' })
  const isFirst = dispatch === 1 && inAttempt.fence === 1
  if (isFirst && isGivenBack(inAttempt, step)) return { ...stepWords(inAttempt, step), by: null }
  const isMore = dispatch > 0 || place !== undefined || planNumber !== undefined
  return isMore ? stepWords(unbegun(step), step) : { what: ['created'], by: null }
}

/** Returns the step as it was before it began. */
function unbegun(step: StepDocument): StepDocument {
  const { place: _place, round: _round, asked: _asked, progress: _progress, held: _held, ...rest } = step
  const { planNumber: _planNumber, ...kept } = rest
  return withDerivedState({
    ...kept,
    direction: 'do' as const,
    currentState: step.initialState,
    desiredState: step.initialState,
    lockedBy: null,
    dispatch: 0,
    attempt: 0,
    fence: 0,
    notBeforeMs: null,
    outcome: null,
    attention: null,
    diagnostics: [],
    claim: null,
    event: null,
    ...deadline(null),
  })
}

/** Names an attempt as people count it. */
function attemptName({ attempt, direction, round }: StepDocument): string {
  const of = round === undefined ? '' : ` of round ${round.number}`
  return `${direction === 'undo' ? 'undo attempt' : 'attempt'} ${attempt}${of}`
}

/** Tells what a new dispatch began. The dispatch that ends a wait, and one that stops at a limit, begin nothing. */
export function attemptBegan(step: StepDocument): string[] {
  const { kind, direction, lockedBy, processState, completeBy } = step
  const until = completeBy === null ? '' : `, to complete by ${timeText(completeBy)}`
  if (kind !== 'operation' && direction === 'do') {
    if (processState === 'Processed') return [`${kindText(step)} ends`]
    return completeBy === null ? [] : [`${kindText(step)} begins${until}`]
  }
  if (lockedBy === null) return []
  const { actor, action } = workOf(step)
  return [`${attemptName(step)} dispatched to ${actor}.${action}${until}`]
}

function kindText({ kind, question }: StepDocument): string {
  if (kind === 'sleep') return 'the sleep'
  if (kind === 'gather') return 'the gathering'
  return question === undefined ? 'the wait for its event' : 'the question'
}

/** Tells how the attempt of the version before ended. */
function endOf(before: StepDocument, after: StepDocument): string[] {
  const reports = gained(before.diagnostics, after.diagnostics).map(({ message }) => quoted(message))
  const outcome = differs(before.outcome, after.outcome) ? after.outcome : null
  if (outcome === null) return missedText(before, after, reports)
  const name = attemptName({ ...after, attempt: outcome.attempt })
  if (outcome.kind === 'success') return [`${name} succeeded`, ...reports]
  const how = outcome.kind === 'permanent' ? 'failed for good' : 'failed'
  return [`${name} ${how}${reports.length === 0 ? '' : `: ${reports.join(', ')}`}`]
}

/** Describes an attempt without an outcome: its agents gave it back, or its deadline had passed. */
function missedText(before: StepDocument, after: StepDocument, reports: readonly string[]): string[] {
  const { failureCount } = workOf(after)
  if (isGivenBack(before, after)) return [`${attemptName(before)} given back by its host`]
  if (failureCount <= workOf(before).failureCount) return [...reports]
  const count = `failure ${failureCount} of ${after.maxFailures} is counted`
  if (before.outcome !== null) return [count, ...reports]
  return [`${attemptName(before)} gave no answer in time; ${count}`, ...reports]
}

function isGivenBack(before: StepDocument, after: StepDocument): boolean {
  const isOver = before.kind === 'operation' && before.lockedBy !== null && before.outcome === null
  const isOffered = after.lockedBy === null && after.outcome === null && after.completeByMs !== null
  const isSame = after.direction === before.direction && after.fence === before.fence + 1
  const isFailure = workOf(after).failureCount > workOf(before).failureCount
  return isOver && isOffered && isSame && !isFailure && after.attention?.kind !== 'unclaimed'
}

function beginOf(before: StepDocument, after: StepDocument): string[] {
  const isUndone = before.direction === 'do' && after.direction === 'undo'
  const isNewRound = after.round?.number !== before.round?.number
  const isBegun = after.dispatch > before.dispatch && after.outcome === null
  return [
    ...(isUndone ? ['its undo begins'] : []),
    ...(isNewRound && after.round !== undefined ? [`round ${after.round.number} begins`] : []),
    ...(isBegun ? attemptBegan(after) : []),
    ...(after.claim?.fence === after.fence && differs(before.claim, after.claim)
      ? [`claimed by ${after.claim.by}`]
      : []),
    ...(after.generation === before.generation ? [] : [`generation ${after.generation}, with a new key`]),
    ...(after.planNumber === before.planNumber ? [] : ['its plan was replaced']),
  ]
}

function waitText(before: StepDocument, after: StepDocument): string[] {
  const { notBeforeMs } = after
  const isAtLimit = waitsAtLimit(after) && !waitsAtLimit(before)
  return [
    ...(isAtLimit ? [isForRoom(after) ? 'waits for room at a limit' : 'waits by the rate of a limit'] : []),
    ...(notBeforeMs === null || notBeforeMs === before.notBeforeMs
      ? []
      : laterText(before, after, notBeforeMs)),
    ...(after.held !== undefined && before.held === undefined ? ['held, because the job is paused'] : []),
    ...(after.held === undefined && before.held !== undefined ? ['no longer held'] : []),
  ]
}

/** Tells when a step goes on. A step at a gate looks again then, and a sleep that begins has told its end. */
function laterText(before: StepDocument, after: StepDocument, notBeforeMs: number): string[] {
  if (after.kind === 'sleep' && after.direction === 'do')
    return after.dispatch === before.dispatch ? [`sleeps until ${timeText(notBeforeMs)}`] : []
  if (waitsAtLimit(after) && isForRoom(after)) return []
  return [`the next attempt is not before ${timeText(notBeforeMs)}`]
}

function isForRoom({ place }: StepDocument): boolean {
  return place !== undefined && place.waitsFor !== null
}

function eventText(before: StepDocument, after: StepDocument): string[] {
  const { event, asked, collect } = after
  const arrived = collect === undefined ? 0 : collect.events.length - (before.collect?.events.length ?? 0)
  return [
    ...(asked && !before.asked ? [`asks: ${quoted(asked.title)}`] : []),
    ...(event !== null && before.event === null ? [answerText(after, event)] : []),
    ...(arrived > 0 ? [`${collect?.events.length} of ${collect?.count} events have arrived`] : []),
  ]
}

function answerText({ question }: StepDocument, { by, note }: NonNullable<StepDocument['event']>): string {
  const who = by === undefined ? '' : ` by ${by}`
  return `${question === undefined ? 'its event was raised' : 'answered'}${who}${note === undefined ? '' : `: ${quoted(note)}`}`
}

function progressText(before: StepDocument, { progress }: StepDocument): string[] {
  if (!progress || !differs(before.progress, progress)) return []
  const { done, of, note } = progress
  const amount = [done ?? '', of === undefined ? '' : `of ${of}`].join(' ').trim()
  return [
    `progress ${[amount, note === undefined ? '' : quoted(note)].filter((part) => part !== '').join(' ')}`,
  ]
}

function stateText(before: StepDocument, after: StepDocument): string[] {
  if (after.processState === before.processState) return []
  return [`state ${before.processState} → ${after.processState}`]
}

function flagText({ attention: before }: StepDocument, { attention: after }: StepDocument): string[] {
  if (!differs(before, after)) return []
  return [after === null ? 'no longer flagged' : `flagged as ${after.kind}: ${quoted(after.message)}`]
}

function byWhom(before: StepDocument, after: StepDocument): string | null {
  const reports = gained(before.diagnostics, after.diagnostics)
  if (after.outcome !== null && differs(before.outcome, after.outcome)) return after.outcome.by
  if (after.claim !== null && differs(before.claim, after.claim)) return after.claim.by
  if (after.event !== null && before.event === null) return after.event.by ?? null
  // The agents that an attempt is dispatched to are in the process of its scheduler.
  if (isGivenBack(before, after))
    return before.claim?.by ?? (before.firstBy === null ? null : before.lockedBy)
  return (
    reports[0]?.by ?? (differs(before.attention, after.attention) ? after.attention?.by : undefined) ?? null
  )
}

function waitsAtLimit({ place }: StepDocument): boolean {
  return place !== undefined && place.since !== null
}
