import type { JobDocument, LedgerEntry, StepDocument } from '../model/documents.js'

/** What the scheduler has accepted of every step of a job. */
export type Ledger = Readonly<Record<string, LedgerEntry>>

/** A step as the scheduler writes it, and what its entry becomes in the same batch. */
export interface StepChange {
  readonly step: StepDocument
  readonly state: LedgerEntry['state']
}

/** Where the end of an attempt takes an entry, by the state that the entry is in. */
const folds: Readonly<Partial<Record<LedgerEntry['state'], Partial<Record<string, LedgerEntry['state']>>>>> =
  {
    Processing: { Processed: 'Processed', Error: 'Error' },
    Compensating: { Compensated: 'Compensated', Error: 'CompensationFailed' },
  }

/** The ledger with every outcome taken over that belongs to the dispatch it knows of. */
export function fold(ledger: Ledger, steps: ReadonlyMap<string, StepDocument>): Ledger {
  const folded = Object.entries(ledger).map(([stepId, entry]): [string, LedgerEntry] => {
    const step = steps.get(stepId)
    const isCurrent = step?.dispatch === entry.dispatch && !hasMoreToUndo(step)
    const state = isCurrent ? folds[entry.state]?.[step.processState] : undefined
    return [stepId, state === undefined ? entry : { ...entry, state }]
  })
  return Object.fromEntries(folded)
}

/** Whether one generation of a step was undone and others remain, so the step is still on its way back. */
export function hasMoreToUndo({ processState, owed }: StepDocument): boolean {
  return processState === 'Compensated' && owed.length > 1
}

/** The ledger as it is written together with these steps. */
export function withChanges(ledger: Ledger, changes: readonly StepChange[]): Record<string, LedgerEntry> {
  const entries = changes.map(({ step, state }): [string, LedgerEntry] => [
    step.stepId,
    { state, dispatch: step.dispatch },
  ])
  return { ...ledger, ...Object.fromEntries(entries) }
}

/** Whether an attempt is being made or will be: something will still come of this step. */
export function isUnderWay(entry: LedgerEntry | undefined): boolean {
  return entry?.state === 'Processing' || entry?.state === 'Compensating'
}

/** Ids of the steps in this state. */
export function inState(ledger: Ledger, state: LedgerEntry['state']): string[] {
  return Object.entries(ledger).flatMap(([stepId, entry]) => (entry.state === state ? [stepId] : []))
}

/** Those of `stepIds` whose document is not at hand, or only a version older than the ledger. */
export function unseen(
  stepIds: readonly string[],
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): string[] {
  return stepIds.filter((stepId) => steps.get(stepId)?.dispatch !== ledger[stepId]?.dispatch)
}

/** What the step of an entry looks like whose attempts are over. */
const ends: Readonly<Partial<Record<LedgerEntry['state'], StepDocument['processState']>>> = {
  Processed: 'Processed',
  Error: 'Error',
  Compensated: 'Compensated',
  CompensationFailed: 'Error',
}

/** The job's steps as its ledger has them, in the order of the workflow; null unless each is at hand in that version. */
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

/** Whether two ledgers of one job say the same. */
export function sameLedger(before: Ledger, after: Ledger): boolean {
  return Object.entries(after).every(([stepId, entry]) => {
    const was = before[stepId]
    return was?.state === entry.state && was.dispatch === entry.dispatch
  })
}

export function withStates(ledger: Ledger, stepIds: readonly string[], state: LedgerEntry['state']) {
  const changed = Object.entries(ledger).filter(([stepId]) => stepIds.includes(stepId))
  return { ...ledger, ...Object.fromEntries(changed.map(([stepId, entry]) => [stepId, { ...entry, state }])) }
}
