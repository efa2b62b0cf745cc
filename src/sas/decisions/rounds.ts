import type { Json, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { holds } from '../plan/condition.js'
import { bindTemplate, type KnownValues } from '../plan/template.js'
import { exhausted } from './give-up.js'

/**
 * Returns the round with which a step begins. A step that was undone begins with its first round. Any other
 * step goes on with the round that it had reached, so that no finished round is repeated.
 */
export function roundAtBegin(
  { repeat, round, direction, stepId }: StepDocument,
  known: KnownValues,
): Pick<StepDocument, 'round'> {
  if (repeat === undefined) return {}
  const until = bindTemplate(repeat.until, known, stepId)
  const isNew = round === undefined || direction === 'undo'
  return { round: isNew ? { number: 1, first: 1, until, previous: null } : { ...round, until } }
}

/** Checks whether a round of a repeated step has succeeded without the output for which the step repeats. */
export function hasMoreRounds({
  repeat,
  round,
  direction,
  processState,
  stepId,
  output,
}: StepDocument): boolean {
  if (repeat === undefined || round === undefined) return false
  if (direction === 'undo' || processState !== 'Processed') return false
  return !holds(round.until, { input: null, outputs: new Map([[stepId, output]]) })
}

/** Returns the step before the first attempt of its next round (I28). */
export function betweenRounds(step: StepDocument): StepDocument {
  const { round, output } = step
  return {
    ...step,
    currentState: step.initialState,
    desiredState: step.targetState,
    failureCount: 0,
    claim: null,
    output: null,
    round: round && { ...round, number: round.number + 1, previous: output },
  }
}

/**
 * Returns the step after a round without the wanted output: it waits for the time of the next round, or it is
 * given up after `atMost` rounds. Returns null if the next round begins immediately.
 */
export function waitForRound(
  before: StepDocument,
  { now, scheduler }: { readonly now: number; readonly scheduler: string },
): StepDocument | null {
  const { everyMs = 0, atMost = 1 } = before.repeat ?? {}
  const step = betweenRounds(before)
  const { number = 1, first = 1 } = step.round ?? {}
  // The attempt of the round has ended, so it needs no new fence.
  const written = { ...step, lockedBy: null, dispatch: step.dispatch + 1 }
  const rounds = number - first
  if (rounds >= atMost) {
    const message = `given up after ${rounds} rounds; the last output is ${shown(before.output)}`
    const renewed = { ...written, round: written.round && { ...written.round, first: number } }
    return exhausted(renewed, { now, by: scheduler, message })
  }
  if (everyMs === 0) return null
  const notBeforeMs = now + everyMs
  return withDerivedState({
    ...written,
    outcome: null,
    attention: null,
    notBeforeMs,
    ...deadline(notBeforeMs),
  })
}

const maxShown = 200

function shown(output: Json): string {
  const text = JSON.stringify(output)
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}
