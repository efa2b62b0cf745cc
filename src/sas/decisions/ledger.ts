import { copyWith } from '../model/copies/copy-with.js'
import type { JobDocument, Json, LedgerEntry, StepDocument } from '../model/documents.js'
import { isBehind } from '../model/work.js'
import type { StepOutcome } from '../model/values/step-handle.js'
import { payloadsOf } from '../waiting/collect-event.js'
import { hasMoreRounds } from './rounds.js'
import { stepsWithPart, type KnownValues } from '../plan/template.js'

/** The state of every step of a job, as accepted by the scheduler. */
export type Ledger = Readonly<Record<string, LedgerEntry>>

/** A step as the scheduler writes it, with the state of its ledger entry in the same transaction. */
export interface StepChange {
  readonly step: StepDocument
  readonly state: LedgerEntry['state']
}

/** The new state of an entry, by its current state and the state of the step. */
const folds: Readonly<Partial<Record<LedgerEntry['state'], Partial<Record<string, LedgerEntry['state']>>>>> =
  {
    Processing: { Processed: 'Processed', Error: 'Error' },
    Compensating: { Compensated: 'Compensated', Error: 'CompensationFailed' },
  }

/** The outcome of a step, by the state of its ledger entry. States of steps that are not over are missing. */
const outcomes: Readonly<Partial<Record<LedgerEntry['state'], StepOutcome>>> = {
  Processed: 'done',
  Failed: 'failed',
  TimedOut: 'timedOut',
  Refused: 'refused',
  Skipped: 'skipped',
}

/** Returns the state of a step without which the job goes on, by its last attempt. */
function leftBehind({ outcome }: StepDocument): LedgerEntry['state'] {
  if (outcome === null) return 'TimedOut'
  return outcome.kind === 'permanent' ? 'Refused' : 'Failed'
}

/**
 * Returns the ledger with the outcomes of steps, or the same object if there are none. A step counts only if the ledger has
 * the same dispatch number.
 */
export function fold(ledger: Ledger, steps: ReadonlyMap<string, StepDocument>): Ledger {
  let folded: Record<string, LedgerEntry> | null = null
  for (const [stepId, step] of steps) {
    const entry = ledger[stepId]
    const states = entry && folds[entry.state]
    if (entry === undefined || states === undefined || step.dispatch !== entry.dispatch) continue
    const state = states[step.processState]
    if (state === undefined || hasMoreToUndo(step) || hasMoreRounds(step)) continue
    const isLeft = state === 'Error' && step.jobGoesOn === true
    folded ??= { ...ledger }
    folded[stepId] = { ...entry, state: isLeft ? leftBehind(step) : state }
  }
  return folded ?? ledger
}

/** Checks whether one generation of a step was undone and an earlier generation must be undone next. */
export function hasMoreToUndo({ processState, owed }: StepDocument): boolean {
  return processState === 'Compensated' && owed.length > 1
}

/** Returns the ledger that is written together with these steps. */
export function withChanges(ledger: Ledger, changes: readonly StepChange[]): Record<string, LedgerEntry> {
  const entries = changes.map(({ step, state }): [string, LedgerEntry] => [
    step.stepId,
    { state, dispatch: step.dispatch },
  ])
  return { ...ledger, ...Object.fromEntries(entries) }
}

/**
 * Marks the outcome of a step as accepted, if the ledger that is written in the same transaction has its success. Each
 * transaction in which the ledger forgets the success also writes the job, which the feed delivers to the scheduler.
 */
export function withAcceptance(step: StepDocument, ledger: Ledger): StepDocument {
  const entry = ledger[step.stepId]
  if (step.outcome === null || entry?.state !== 'Processed' || entry.dispatch !== step.dispatch) return step
  return copyWith(step, { outcome: { ...step.outcome, accepted: true } })
}

/** Checks whether a step or its undo has begun and is not over. */
export function isUnderWay(entry: LedgerEntry | undefined): boolean {
  return entry?.state === 'Processing' || entry?.state === 'Compensating'
}

export function inState(ledger: Ledger, state: LedgerEntry['state']): string[] {
  const found: string[] = []
  for (const stepId in ledger) if (ledger[stepId]?.state === state) found.push(stepId)
  return found
}

/**
 * Avoids useless reads. A step can be ready only if no step has begun, or if some step is over.
 */
export function mayBegin(ledger: Ledger): boolean {
  let isUntouched = true
  for (const stepId in ledger) {
    const entry = ledger[stepId]
    if (isBehind(entry)) return true
    if (entry?.state !== 'NotStarted') isUntouched = false
  }
  return isUntouched
}

/**
 * Returns the ids from `stepIds` whose document is missing, has another dispatch number, or has a plan that was
 * replaced (I39).
 */
export function unseen(
  stepIds: readonly string[],
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): string[] {
  return stepIds.filter((stepId) => {
    const step = steps.get(stepId)
    const entry = ledger[stepId]
    return step?.dispatch !== entry?.dispatch || (entry?.planNumber ?? 0) > (step?.planNumber ?? 0)
  })
}

/** The state of a step whose attempts are over, by the state of its ledger entry. */
const ends: Readonly<Partial<Record<LedgerEntry['state'], StepDocument['processState']>>> = {
  Processed: 'Processed',
  Failed: 'Error',
  TimedOut: 'Error',
  Refused: 'Error',
  Error: 'Error',
  Compensated: 'Compensated',
  CompensationFailed: 'Error',
}

/** Returns the job's steps in the workflow's order, or null if one is missing or contradicts the ledger. */
export function stepsAsIn(
  { stepIds, steps: ledger }: Pick<JobDocument, 'stepIds' | 'steps'>,
  steps: ReadonlyMap<string, StepDocument>,
): readonly StepDocument[] | null {
  const found = stepIds.flatMap((stepId) => {
    const step = steps.get(stepId)
    const entry = ledger[stepId]
    if (step === undefined || step.dispatch !== entry?.dispatch) return []
    const end = ends[entry.state]
    return end === undefined || step.processState === end ? [step] : []
  })
  return found.length === stepIds.length ? found : null
}

export function sameLedger(before: Ledger, after: Ledger): boolean {
  if (before === after) return true
  return Object.entries(after).every(([stepId, entry]) => {
    const was = before[stepId]
    return was?.state === entry.state && was.dispatch === entry.dispatch
  })
}

export function withStates(ledger: Ledger, stepIds: readonly string[], state: LedgerEntry['state']) {
  const changed = Object.entries(ledger).filter(([stepId]) => stepIds.includes(stepId))
  return { ...ledger, ...Object.fromEntries(changed.map(([stepId, entry]) => [stepId, { ...entry, state }])) }
}

/** A job and its known steps. */
interface Knowing {
  readonly job: JobDocument
  readonly steps: ReadonlyMap<string, StepDocument>
}

/** Returns the values to which the templates of a job with this ledger may refer. */
export function knownValues({ job, steps }: Knowing, ledger: Ledger): KnownValues {
  return {
    input: job.input,
    outputs: {
      get: (stepId) => {
        const step = steps.get(stepId)
        return step && outputOf(step, ledger[stepId])
      },
    },
    outcomeOf: (stepId) => {
      const state = ledger[stepId]?.state
      return state === undefined ? undefined : outcomes[state]
    },
  }
}

/**
 * Returns the output of a step that is done. Other steps have none, although their document may have that of an earlier
 * generation. The output of a step whose time passed is what it had collected.
 */
function outputOf(step: StepDocument, entry: LedgerEntry | undefined): Json {
  if (entry?.state === 'TimedOut') return payloadsOf(step)
  return entry?.state === 'Processed' ? step.output : null
}

/** Returns the ids of done steps whose output a ready step needs and whose document is missing. */
export function outputsNeeded(
  ready: readonly StepDocument[],
  steps: ReadonlyMap<string, StepDocument>,
  ledger: Ledger,
): string[] {
  const needed = new Set(
    ready.flatMap((step) =>
      [
        step.inputTemplate,
        step.when,
        step.undoTemplate ?? step.undo?.inputTemplate ?? null,
        step.repeat?.until ?? null,
        ...(step.limits ?? []).flatMap(({ key, fairBy = null }) => [key, fairBy]),
      ].flatMap((template) => [...stepsWithPart(template, 'output')]),
    ),
  )
  return [...needed].filter((stepId) => {
    // The other steps have no output, and the output of a step that begins now belongs to its own undo.
    const entry = ledger[stepId]
    const step = steps.get(stepId)
    if (entry?.state === 'TimedOut') return step?.dispatch !== entry.dispatch
    if (entry?.state !== 'Processed') return false
    return step?.dispatch !== entry.dispatch || step.processState !== 'Processed'
  })
}
