import type { Attention, JobDocument, NoticeDocument, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { endBy, type Dispatching } from './dispatch.js'
import { isUnderWay, unseen, withChanges, type Ledger, type StepChange } from './ledger.js'

/** What the scheduler knows when it decides about one job: missing steps are asked for. */
export type SchedulingState = Dispatching

/** What to do about a job. */
export type Schedule =
  /** Everything that follows from these documents is already written. */
  | { readonly kind: 'nothing' }
  /** These documents contradict each other: one was read before a write that the other shows. Read again. */
  | { readonly kind: 'stale' }
  /** Decide again with these steps as well. */
  | { readonly kind: 'read'; readonly stepIds: readonly string[] }
  /** Write the job and these steps, in one transaction, each on condition of the etag it was read with. */
  | {
      readonly kind: 'write'
      readonly job: JobDocument
      readonly changed: readonly StepDocument[]
      /** New documents of the same transaction. */
      readonly notices: readonly NoticeDocument[]
    }

/** How long a job that waits for nothing in particular is left alone before the supervisor looks at it. */
const lookAgainAfterMs = 60_000

/** The job goes on: claimed by this instance, with the ledger as these changes make it. */
export function goOn(state: SchedulingState, ledger: Ledger, changes: readonly StepChange[]): Schedule {
  const { job, scheduler } = state
  const steps = withChanges(ledger, changes)
  const changed = changes.map(({ step }) => step)
  const known = new Map([...state.steps, ...changed.map((step) => [step.stepId, step] as const)])
  const next = {
    ...claimed(state),
    endByMs: endBy(state),
    steps,
    lockedBy: scheduler,
    attention: flagOf(job, steps, known),
    ...deadline(completeBy(state, steps, known)),
  }
  return { kind: 'write', job: withDerivedState(next), changed, notices: [] }
}

/** How a job ends. */
export type Ending = Partial<Pick<JobDocument, 'currentState' | 'attention'>>

/** The job ends: nothing is under way, and nothing follows. */
export function endJob(
  state: SchedulingState,
  { ledger, changes }: { readonly ledger: Ledger; readonly changes: readonly StepChange[] },
  ending: Ending,
): Schedule {
  const ended = {
    ...claimed(state),
    steps: withChanges(ledger, changes),
    lockedBy: null,
    attention: null,
    ...deadline(null),
    endedAt: new Date(state.now).toISOString(),
    endedAtMs: state.now,
    ...ending,
  }
  return {
    kind: 'write',
    job: withDerivedState(ended),
    changed: changes.map(({ step }) => step),
    notices: [],
  }
}

function claimed({ job, scheduler }: SchedulingState): JobDocument {
  return { ...job, fence: job.lockedBy === scheduler ? job.fence : job.fence + 1 }
}

/** Whether a job says of its waiting steps what they say of themselves. */
export function isFlagCurrent({ job, steps }: SchedulingState, ledger: Ledger): boolean {
  const flag = flagOf(job, ledger, steps)
  return flag?.kind === job.attention?.kind && flag?.stepId === job.attention?.stepId
}

/** That a step under way waits for an operator or for long: shown on the job, which is what people list. */
function flagOf(
  job: JobDocument,
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): Attention | null {
  for (const stepId of job.stepIds.filter((id) => isUnderWay(ledger[id]))) {
    const isSeen = unseen([stepId], ledger, steps).length === 0
    const flag = isSeen ? steps.get(stepId)?.attention : job.attention
    if (flag?.stepId !== stepId) continue
    if (flag.kind === 'parked' || flag.kind === 'extendedWait' || flag.kind === 'unclaimed') return flag
  }
  return null
}

/** When the last attempt now known to be under way must have ended; null when all of them wait for an operator. */
function completeBy(
  { job, now }: SchedulingState,
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): number | null {
  const underWay = Object.keys(ledger).filter((stepId) => isUnderWay(ledger[stepId]))
  const isComplete = unseen(underWay, ledger, steps).length === 0
  const deadlines = underWay.flatMap((stepId) => steps.get(stepId)?.completeByMs ?? [])
  if (isComplete && underWay.length > 0 && deadlines.length === 0) return job.endByMs
  const end = endBy({ job, now }) ?? Infinity
  const latest = Math.max(...deadlines, isComplete ? 0 : (job.completeByMs ?? 0))
  const next = latest > now ? latest : now + lookAgainAfterMs
  return job.compensation === null ? Math.min(next, end) : next
}
