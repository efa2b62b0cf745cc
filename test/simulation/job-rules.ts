import type { JobDocument } from '../../src/sas/model/documents.js'
import { deriveProcessState, isStaged, isTerminal } from '../../src/sas/model/process-state.js'
import type { Rule } from './job-changes.js'
import { replannedTogether, skippedByNewestPlan } from './migration-rules.js'
import { isLeftBehind } from './step-rules.js'

/** I1: a job exists with all its steps, or not at all. A job that is written in stages begins only with the last one. */
const complete: Rule<JobDocument> = ({ after, steps }) => {
  if (isStaged(after)) return null
  const missing = after.stepIds.filter((stepId) => !steps.has(stepId))
  return missing.length === 0 ? null : `I1: job ${after.jobId} is stored without ${missing.join(', ')}`
}

/** I45: a step has a document or is planned in its job, never both. */
const onePlace: Rule<JobDocument> = ({ after, stored }) => {
  const both = (after.planned ?? []).filter(({ id }) => stored.get(id)?.ttl === -1)
  return both.length === 0
    ? null
    : `I45: ${both.map(({ id }) => id).join(', ')} of job ${after.jobId} are planned and stored`
}

/** I7: only an operator changes a job that has ended. */
const endedForGood: Rule<JobDocument> = ({ before, after, by }) => {
  if (before === null || by === null || by.party === 'client' || !isTerminal(before)) return null
  const isSame = before.processState === after.processState && before.fence === after.fence
  return isSame
    ? null
    : `I7: ${by.process.id} took job ${after.jobId} from ${before.processState} to ${after.processState}`
}

/** I2: an accepted outcome stays, unless it is undone or a new generation begins. */
const acceptedOnce: Rule<JobDocument> = ({ before, after }) => {
  if (before?.generation !== after.generation) return null
  const again = after.stepIds.filter((stepId) => {
    const [was, is] = [before.steps[stepId]?.state, after.steps[stepId]?.state]
    if (was === 'Processed' || was === 'Skipped' || isLeftBehind(was))
      return is !== was && is !== 'Compensating'
    return was === 'Compensated' && is !== 'Compensated'
  })
  return again.length === 0
    ? null
    : `I2: ${again.join(', ')} of job ${after.jobId} lost their accepted outcome`
}

/** The outcome of the last attempt of a step without which the job went on, by the state of its entry. */
const lastOutcomes: Readonly<Record<string, string>> = {
  Failed: 'failed',
  TimedOut: 'none',
  Refused: 'permanent',
}

/** I2: a job goes on only without a step that allows this, and its ledger says how the last attempt ended. */
const leftAsAllowed: Rule<JobDocument> = ({ after, steps }) => {
  const wrong = after.stepIds.filter((stepId) => {
    const step = steps.get(stepId)
    const expected = lastOutcomes[after.steps[stepId]?.state ?? '']
    if (expected === undefined) return false
    // The last round of a repeated step succeeds, and the step fails because it was the last.
    const kinds = step?.repeat === undefined ? [expected] : [expected, 'success']
    return step?.jobGoesOn !== true || !kinds.includes(step.outcome?.kind ?? 'none')
  })
  return wrong.length === 0
    ? null
    : `I2: job ${after.jobId} went on without ${wrong.join(', ')} for no reason`
}

/** I2: a job that is done has no step that failed, unless the job went on without that step. */
const wholeWhenDone: Rule<JobDocument> = ({ after }) => {
  if (after.processState !== 'Processed') return null
  const open = after.stepIds.filter((stepId) => {
    const state = after.steps[stepId]?.state
    return state !== 'Processed' && state !== 'Skipped' && !isLeftBehind(state)
  })
  return open.length === 0 ? null : `I2: job ${after.jobId} is Processed without ${open.join(', ')}`
}

/** I15: a job in Error contains its reason. */
const explained: Rule<JobDocument> = ({ after }) =>
  after.processState === 'Error' && after.attention === null
    ? `I15: job ${after.jobId} is in Error without a reason`
    : null

/** I18: neither a job that has not ended nor one in Error expires. Its steps do not expire before the job. */
const keptWhileOpen: Rule<JobDocument> = ({ after, steps }) => {
  if (after.ttl <= 0) return null
  if (!isTerminal(after) || after.processState === 'Error')
    return `I18: job ${after.jobId} expires while it is ${after.processState}`
  const sooner = [...steps.values()].filter(({ ttl }) => ttl > 0 && ttl < after.ttl)
  return sooner.length === 0 ? null : `I18: steps of job ${after.jobId} expire before it`
}

/** I27: a pause ends with a command, or with a job whose steps are all over. */
const pausedUntilResumed: Rule<JobDocument> = ({ before, after, by }) => {
  if (!before?.paused || after.paused || by?.party === 'client') return null
  // The supervisor tells the jobs that a workflow or an agent was resumed.
  if (by?.party === 'supervisor' && before.pausedWith) return null
  return after.processState === 'Processed' ? null : `I27: the pause of job ${after.jobId} was forgotten`
}

/** I27: a job that goes on leaves no step without its deadline. */
const heldOnlyWhilePaused: Rule<JobDocument> = ({ after, steps }) => {
  if (after.paused || after.lockedBy === null || isTerminal(after)) return null
  const held = [...steps.values()].filter((step) => step.held !== undefined)
  return held.length === 0
    ? null
    : `I27: job ${after.jobId} goes on without ${held.map(({ stepId }) => stepId).join()}`
}

/** I42: a triage changes nothing of its job but what operators say about the flag. */
const triagedOnly: Rule<JobDocument> = ({ before, after }) => {
  if (before === null || sameText(before.triageAudit, after.triageAudit)) return null
  return sameText(withoutTriage(before), withoutTriage(after))
    ? null
    : `I42: the triage of job ${after.jobId} changed more than the triage`
}

/** Returns the fields of a job that are neither about its triage nor added by the store. */
function withoutTriage(job: JobDocument): object {
  const { triage: _triage, otherTriages: _others, triageAudit: _audit, operatedAtMs: _at, ...others } = job
  return Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith('_')))
}

function sameText(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

const derived: Rule<JobDocument> = ({ after }) => {
  const state = deriveProcessState(after)
  return state === after.processState
    ? null
    : `I20: job ${after.jobId} is ${after.processState}, its fields say ${state}`
}

const fenced: Rule<JobDocument> = ({ before, after }) =>
  before !== null && after.fence < before.fence
    ? `I22: the fence of job ${after.jobId} went from ${before.fence} to ${after.fence}`
    : null

export const jobRules: readonly Rule<JobDocument>[] = [
  complete,
  onePlace,
  endedForGood,
  acceptedOnce,
  leftAsAllowed,
  wholeWhenDone,
  explained,
  keptWhileOpen,
  derived,
  fenced,
  pausedUntilResumed,
  heldOnlyWhilePaused,
  replannedTogether,
  skippedByNewestPlan,
  triagedOnly,
]
