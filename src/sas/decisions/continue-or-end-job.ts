import { mostUrgent } from '../waiting/flag-triage.js'
import type { Attention, JobDocument, Json, NoticeDocument, StepDocument } from '../model/documents.js'
import { isTooDeep } from '../model/values/plain-json.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { resolveTemplate } from '../plan/template.js'
import { exceeds } from '../store/transaction.js'
import { placeOutside } from '../gates/job-place.js'
import type { GateRequest } from '../gates/pass.js'
import { claimedInJob } from './claim.js'
import { begunInJob } from '../model/planned/planned-steps.js'
import { endBy, takeFitting, type Dispatching } from './dispatch.js'
import { ticketMark } from '../plan/tickets.js'
import {
  isUnderWay,
  knownValues,
  stepsAsIn,
  unseen,
  withChanges,
  type Ledger,
  type StepChange,
} from './ledger.js'

/** The facts from which the scheduler makes a decision about one job. Some steps may be missing. */
export type SchedulingState = Dispatching

export type Schedule =
  /** Every consequence of these documents is already written. */
  | { readonly kind: 'nothing' }
  /** The documents contradict each other, because a write came between their reads. Read them again. */
  | { readonly kind: 'stale' }
  /** The decision needs more steps. Read them and decide again. */
  | { readonly kind: 'read'; readonly stepIds: readonly string[] }
  /** These steps must come to their gates first. Decide again with the answers. */
  | { readonly kind: 'visit'; readonly requests: readonly GateRequest[] }
  /**
   * The job would be paused with its workflow or agent. Read the pauses, so that a pause that has ended does not
   * hold it, and decide again.
   */
  | { readonly kind: 'confirm' }
  /** Write the job and these steps in one transaction, if no etag has changed since the read. */
  | {
      readonly kind: 'write'
      readonly job: JobDocument
      readonly changed: readonly StepDocument[]
      /** Notices to create in the same transaction. */
      readonly notices: readonly NoticeDocument[]
      /** Whether the steps only get their documents, in the middle of their attempts. */
      readonly isOfDocuments?: true
    }

/** The time after which the supervisor checks a job that has no later deadline. */
export const lookAgainAfterMs = 60_000

/** Claims the job for this instance, and applies these changes to the ledger. */
export function continueJob(
  state: SchedulingState,
  ledger: Ledger,
  changes: readonly StepChange[],
): Schedule {
  const { job, scheduler } = state
  const steps = withChanges(ledger, changes)
  const changed = changes.map(({ step }) => step)
  const known = new Map([...state.steps, ...changed.map((step) => [step.stepId, step] as const)])
  const next = withDerivedState(job, {
    fence: claimedFence(state),
    endByMs: endBy(state),
    steps,
    lockedBy: scheduler,
    attention: flagOf(job, steps, known),
    ...deadline(completeBy(state, steps, known)),
  })
  return { kind: 'write', job: next, changed, notices: [] }
}

export type JobEnding = Partial<
  Pick<JobDocument, 'currentState' | 'attention' | 'outputs' | 'result' | 'schema' | 'hasTickets'>
>

/** Ends the job. Callers must ensure that no step is under way or will begin. */
export function endJob(
  state: SchedulingState,
  { ledger, changes }: { readonly ledger: Ledger; readonly changes: readonly StepChange[] },
  ending: JobEnding,
): Schedule {
  const ended = withDerivedState(state.job, {
    fence: claimedFence(state),
    steps: withChanges(ledger, changes),
    lockedBy: null,
    attention: null,
    ...deadline(null),
    endedAt: new Date(state.now).toISOString(),
    endedAtMs: state.now,
    ...(state.job.paused ? { paused: null, pausedWith: null } : {}),
    ...placeOutside(state.job),
    ...ending,
  })
  return {
    kind: 'write',
    job: ended,
    changed: changes.map(({ step }) => step),
    notices: [],
  }
}

/**
 * Returns the decision that only gives documents to steps in the middle of their first attempts (I46), or null if none needs one.
 * If this process makes an attempt, and has made it for long, the document has its claim, so that no other process begins the
 * attempt meanwhile. An attempt of another process has no claim: that process would have written one, unless it has died.
 */
export function documentsOfAttempts({ job, steps, now, inJob, madeHere }: SchedulingState): Schedule | null {
  const open = begunInJob(job).flatMap(({ stepId, fence }) => {
    const step = steps.get(stepId)
    if (inJob?.has(stepId) === true || step?.fence !== fence || step.outcome !== null) return []
    const making = madeHere?.get(stepId)
    return [{ step: making === undefined ? step : claimedInJob(step, making, now) }]
  })
  if (open.length === 0) return null
  const changed = takeFitting(open, job).map(({ step }) => step)
  return { kind: 'write', job, changed, notices: [], isOfDocuments: true }
}

/** Returns the fence with which this instance claims the job. */
export function claimedFence({ job, scheduler }: SchedulingState): number {
  return job.lockedBy === scheduler ? job.fence : job.fence + 1
}

/** Checks whether the flag of a job agrees with the flags of its steps. */
export function isFlagCurrent({ job, steps }: SchedulingState, ledger: Ledger): boolean {
  const flag = flagOf(job, ledger, steps)
  return flag?.kind === job.attention?.kind && flag?.stepId === job.attention?.stepId
}

const flagsOfWaiting: ReadonlySet<Attention['kind']> = new Set<Attention['kind']>([
  'parked',
  'extendedWait',
  'unclaimed',
  'unanswered',
  'escalated',
])

/**
 * Returns the flag of a step under way that waits for an operator, a time, an instance or an answer. The job
 * gets the same flag, because lists show jobs. A flag that an operator has snoozed comes after the others.
 */
export function flagOf(
  job: JobDocument,
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): Attention | null {
  const underWay = job.stepIds.filter((id) => isUnderWay(ledger[id]))
  const flags = underWay.flatMap((stepId) => {
    const isSeen = unseen([stepId], ledger, steps).length === 0
    const flag = isSeen ? steps.get(stepId)?.attention : job.attention
    return flag?.stepId === stepId && flagsOfWaiting.has(flag.kind) ? [flag] : []
  })
  return mostUrgent(job, flags)
}

/**
 * Returns the deadline of the job's document, at which the supervisor checks the job. Normally this is the
 * latest deadline of all attempts under way. If no step under way has a deadline, the result is the time at
 * which the whole job must be done.
 */
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

/**
 * The largest size of the outputs, or of the result, that an ended job carries. Such a job costs about 1 RU
 * more. A client that waits for the job in another process saves a read of each step.
 */
const maxCarriedBytes = 1_000

interface Ending {
  readonly job: JobDocument
  readonly steps: ReadonlyMap<string, StepDocument>
}

/**
 * Returns what the document of a job that ends as Processed carries, if it is small: the result of the
 * workflow, or the outputs of all steps if the workflow returns nothing.
 */
export function carriedAtEnd({ job, steps: known }: Ending, ledger: Ledger): JobEnding {
  const steps = stepsAsIn({ stepIds: job.stepIds, steps: ledger }, known)
  if (steps === null) return {}
  const mark = steps.some(({ hasTickets }) => hasTickets === true) ? ticketMark(job) : {}
  if (job.resultTemplate !== undefined) {
    const result = resultOf({ ...job, steps: ledger }, steps)
    const isCarried = !exceeds([result], maxCarriedBytes) && !isTooDeep(result)
    return isCarried ? { result, ...mark } : {}
  }
  // A step that is skipped now may have been done in an earlier generation.
  const outputs = steps.map(({ stepId, output }) => [
    stepId,
    ledger[stepId]?.state === 'Skipped' ? null : output,
  ])
  const carried = Object.fromEntries(outputs) as NonNullable<JobDocument['outputs']>
  return exceeds(carried, maxCarriedBytes) ? {} : { outputs: carried, ...mark }
}

/** Returns what the workflow of a job returns, from the outputs and outcomes of all its steps. */
export function resultOf(job: JobDocument, steps: readonly StepDocument[]): Json {
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  return resolveTemplate(job.resultTemplate ?? null, knownValues({ job, steps: byId }, job.steps))
}
