import {
  deadline,
  isTerminal,
  withDerivedState,
  type Attention,
  type JobDocument,
  type LedgerEntry,
  type StepDocument,
} from './documents.js'
import { dispatchSteps } from './dispatch.js'
import { stepsReferredTo } from './plan.js'

/** What the scheduler knows when it decides about one job. */
export interface SchedulingState {
  readonly job: JobDocument
  /** The steps known, by step id: those that changed, and any others at hand. Missing ones are asked for. */
  readonly steps: ReadonlyMap<string, StepDocument>
  /** The store's idea of now, milliseconds since the epoch. */
  readonly now: number
  /** The deciding instance's name. */
  readonly scheduler: string
}

/** What to do about a job. */
export type Schedule =
  /** Everything that follows from these documents is already written. */
  | { readonly kind: 'nothing' }
  /** These documents contradict each other: one was read before a write that the other shows. Read again. */
  | { readonly kind: 'stale' }
  /** Decide again with these steps as well. */
  | { readonly kind: 'read'; readonly stepIds: readonly string[] }
  /** Write the job and these steps, in one transaction, each on condition of the etag it was read with. */
  | { readonly kind: 'write'; readonly job: JobDocument; readonly dispatched: readonly StepDocument[] }

type Ledger = Readonly<Record<string, LedgerEntry>>

/**
 * W1, W4, W5: fold what steps report into the ledger, dispatch what became ready, finish the job. It looks at what is,
 * never at what just happened, so a repeated or collapsed change decides the same, and a decided state decides nothing.
 * Its one rule: **a step is never ahead of its ledger**; where it is, the job was read stale.
 */
export function schedule(state: SchedulingState): Schedule {
  const { job, steps } = state
  if (isTerminal(job)) return { kind: 'nothing' }
  for (const step of steps.values()) {
    const entry = job.steps[step.stepId]
    if (entry === undefined || step.dispatch > entry.dispatch) return { kind: 'stale' }
  }
  const folded = fold(job.steps, steps)
  const ready = readyToDispatch(job.stepIds, folded, steps)
  if (ready.missing.length > 0) return { kind: 'read', stepIds: ready.missing }
  const unknownOutputs = outputsNeeded(ready.steps, steps, folded)
  if (unknownOutputs.length > 0) return { kind: 'read', stepIds: unknownOutputs }
  const dispatched = dispatchSteps(ready.steps, state)
  const ledger = withDispatches(folded, dispatched)
  if (sameLedger(job.steps, ledger)) return { kind: 'nothing' }
  const failure = failureOf(state, ledger)
  if (failure.kind === 'unseen') return { kind: 'read', stepIds: [failure.stepId] }
  return { kind: 'write', job: advance(state, ledger, dispatched, failure.attention), dispatched }
}

/** The ledger with every outcome taken over that belongs to the dispatch it knows of. */
function fold(ledger: Ledger, steps: ReadonlyMap<string, StepDocument>): Ledger {
  const folded = Object.entries(ledger).map(([stepId, entry]): [string, LedgerEntry] => {
    const step = steps.get(stepId)
    if (entry.state !== 'Processing' || step?.dispatch !== entry.dispatch) return [stepId, entry]
    if (step.processState === 'Processed' || step.processState === 'Error') {
      return [stepId, { ...entry, state: step.processState }]
    }
    return [stepId, entry]
  })
  return Object.fromEntries(folded)
}

interface Ready {
  readonly steps: readonly StepDocument[]
  /** Ids of steps that are ready but whose document is not at hand, or only an old version of it. */
  readonly missing: readonly string[]
}

/** Steps whose dependencies are done (I5), unless a step has failed for good; and steps given back for another try. */
function readyToDispatch(
  stepIds: readonly string[],
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): Ready {
  const hasFailed = Object.values(ledger).some((entry) => entry.state === 'Error')
  const ready: StepDocument[] = []
  const missing: string[] = []
  for (const stepId of stepIds) {
    const entry = ledger[stepId]
    const step = steps.get(stepId)
    if (entry?.state === 'Processing') {
      if (step?.dispatch === entry.dispatch && step.processState === 'Pending') ready.push(step)
    } else if (entry?.state === 'NotStarted' && !hasFailed) {
      if (step?.dispatch !== entry.dispatch) {
        if (mayStart(ledger)) missing.push(stepId)
      } else if (step.dependsOn.every((id) => ledger[id]?.state === 'Processed')) {
        ready.push(step)
      }
    }
  }
  return { steps: ready, missing }
}

/** Whether any step could become ready: the first time, and whenever something is done. Saves reading for nothing. */
function mayStart(ledger: Ledger): boolean {
  const entries = Object.values(ledger)
  return (
    entries.every((entry) => entry.state === 'NotStarted') ||
    entries.some((entry) => entry.state === 'Processed')
  )
}

/** Done steps whose output a ready step refers to and that are not at hand. */
function outputsNeeded(
  ready: readonly StepDocument[],
  steps: ReadonlyMap<string, StepDocument>,
  ledger: Ledger,
): string[] {
  const needed = new Set(
    ready.filter((step) => step.dispatch === 0).flatMap((step) => [...stepsReferredTo(step.inputTemplate)]),
  )
  return [...needed].filter((stepId) => {
    const step = steps.get(stepId)
    return step?.dispatch !== ledger[stepId]?.dispatch || step?.processState !== 'Processed'
  })
}

function withDispatches(ledger: Ledger, dispatched: readonly StepDocument[]): Record<string, LedgerEntry> {
  const entries = dispatched.map((step): [string, LedgerEntry] => [
    step.stepId,
    { state: 'Processing', dispatch: step.dispatch },
  ])
  return { ...ledger, ...Object.fromEntries(entries) }
}

function sameLedger(before: Ledger, after: Ledger): boolean {
  return Object.entries(after).every(([stepId, entry]) => {
    const was = before[stepId]
    return was?.state === entry.state && was.dispatch === entry.dispatch
  })
}

type Failure =
  /** What the job ends with; null while nothing has failed, or something is still under way. */
  | { readonly kind: 'known'; readonly attention: Attention | null }
  /** The step that failed is not at hand; the job is to say why it failed, whoever ends it. */
  | { readonly kind: 'unseen'; readonly stepId: string }

function failureOf({ job, steps, now, scheduler }: SchedulingState, ledger: Ledger): Failure {
  const failed = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'Error')
  const stepId = failed[0]
  if (stepId === undefined || Object.values(ledger).some((entry) => entry.state === 'Processing')) {
    return { kind: 'known', attention: null }
  }
  const cause = steps.get(stepId)?.attention ?? null
  if (cause === null) return { kind: 'unseen', stepId }
  const named = failed.length > 1 ? `steps ${failed.join(', ')}` : `step ${stepId}`
  const since = new Date(now).toISOString()
  const message = `${named}: ${cause.message}`
  return { kind: 'known', attention: { kind: 'error', since, by: scheduler, message, stepId } }
}

/** The job with its new ledger: claimed by this instance, or ended when nothing is under way and nothing can start. */
function advance(
  { job, now, scheduler }: SchedulingState,
  ledger: Record<string, LedgerEntry>,
  dispatched: readonly StepDocument[],
  attention: Attention | null,
): JobDocument {
  const claimed = { ...job, steps: ledger, fence: job.lockedBy === scheduler ? job.fence : job.fence + 1 }
  const ended = {
    ...claimed,
    lockedBy: null,
    ...deadline(null),
    endedAt: new Date(now).toISOString(),
    endedAtMs: now,
  }
  if (Object.values(ledger).every((entry) => entry.state === 'Processed')) {
    return withDerivedState({ ...ended, currentState: job.targetState })
  }
  if (attention !== null) return withDerivedState({ ...ended, attention })
  const latest = Math.max(...[job, ...dispatched].map(({ completeByMs }) => completeByMs ?? 0))
  return withDerivedState({ ...claimed, lockedBy: scheduler, ...deadline(latest) })
}
