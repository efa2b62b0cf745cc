import { deadline } from '../model/process-state.js'
import { isBehind } from '../model/work.js'
import { isInQueue, isInside, passOfJob, placed, requestOfJob, wholeJob } from '../gates/job-place.js'
import { askAgainMs } from '../gates/pass.js'
import {
  continueJob,
  endJob,
  isFlagCurrent,
  type Schedule,
  type SchedulingState,
} from './continue-or-end-job.js'
import { endBy } from './dispatch.js'
import { knownValues, sameLedger, type Ledger } from './ledger.js'

/**
 * Decides whether a job may begin steps, by the limits of its workflow (I40). Returns the job inside its limits, or
 * what comes before that. A job that was taken from its scheduler comes to its limits again. If it is still inside,
 * nothing changes.
 */
export function enterLimits(
  state: SchedulingState,
  ledger: Ledger,
): Schedule | { readonly entered: SchedulingState } {
  const { job, now, passes, called } = state
  if (job.limits === undefined || Object.values(ledger).every(isBehind)) return { entered: state }
  const isCalled = job.lockedBy === null || called?.has(wholeJob) === true
  if (!isCalled && isInside(job)) return { entered: state }
  if (!isCalled && isInQueue(job)) return waiting(state, ledger, false)
  const pass = passOfJob(job, passes)
  if (pass === null) return comingTo(state, ledger)
  const entered = { ...state, job: placed(job, pass, now) }
  return pass.kind === 'inside' ? { entered } : waiting(entered, ledger, true)
}

function comingTo(state: SchedulingState, ledger: Ledger): Schedule {
  const { job, now, scheduler } = state
  const request = requestOfJob(job, knownValues(state, ledger))
  if (typeof request !== 'string') return { kind: 'visit', requests: [request] }
  const attention = { kind: 'error' as const, since: new Date(now).toISOString(), by: scheduler }
  return endJob(
    state,
    { ledger, changes: [] },
    { attention: { ...attention, message: request, stepId: null } },
  )
}

/**
 * Writes that the job waits. Outcomes of attempts that are still under way are accepted. `isNew` says that its
 * gates have just answered.
 */
function waiting(state: SchedulingState, ledger: Ledger, isNew: boolean): Schedule {
  const { job, now } = state
  const isSame = !isNew && sameLedger(job.steps, ledger) && isFlagCurrent(state, ledger)
  if (isSame) return { kind: 'nothing' }
  const decision = continueJob(state, ledger, [])
  if (decision.kind !== 'write') return decision
  const askAgain = deadline(Math.min(now + askAgainMs, endBy(state) ?? Infinity))
  return { ...decision, job: { ...decision.job, ...askAgain } }
}
