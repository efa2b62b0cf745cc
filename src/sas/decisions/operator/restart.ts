import type { JobDocument, Json, StepDocument } from '../../model/documents.js'
import { itemsOperation } from '../../plan/item-jobs.js'
import { owedBy } from '../owed-undos.js'
import { isBehind } from '../../model/work.js'
import { isUnderWay } from '../ledger.js'
import { list, type Standing } from './request.js'
import { listsTooLong } from './restart-lists.js'

/** What becomes of the effects of steps that run again: they are undone first, or they stay. */
export type AfterRestart = 'undo' | 'keep'

/** An operator's request for a job that does a part of another job again. */
export interface Restart {
  /** The id of the new job. */
  readonly as: string
  /** The first step that runs again. */
  readonly from: string
  /** The new input of the job. Missing: the input of the other job. */
  readonly input?: Json
  /** The new input of the step `from`. */
  readonly stepInput?: Json
  /** Missing: the operator has not said, so it must not matter. */
  readonly after?: AfterRestart
  readonly by: string
  readonly why: string
}

/** The steps of a job by what a restart does with them, in the order of the workflow. */
export interface RestartPlan {
  /** The steps that are over and do not follow the first step that runs again. */
  readonly carried: readonly string[]
  /** All other steps. */
  readonly again: readonly string[]
  /** The steps that run again and whose effects are undone first. */
  readonly undone: readonly string[]
  /** The steps that run again and whose effects stay, although they may have acted. No job undoes them. */
  readonly kept: readonly string[]
  /** The steps that run again although they succeeded, and that have no undo. Their effects happen twice. */
  readonly repeated: readonly string[]
}

/** The reason why a job cannot be restarted so. */
export interface RestartProblem {
  readonly reason: string
  /** Whether another option is needed. Otherwise, the state of the job does not allow the restart. */
  readonly isAboutOptions: boolean
}

/** Returns what a restart does with each step, or the reason why the job cannot be restarted so. */
export function planRestart({ job, steps }: Standing, request: Restart): RestartPlan | RestartProblem {
  const state = stateProblem(job)
  if (state !== null) return { reason: state, isAboutOptions: false }
  const unfit = stepProblem(job, steps.get(request.from), request)
  if (unfit !== null) return { reason: unfit, isAboutOptions: true }
  const following = followersOf(request.from, steps)
  const undone = job.stepIds.filter((id) => !following.has(id) && wasUndone(job, id))
  if (undone.length > 0) {
    const advice = 'restart from there, or resubmit the job'
    const reason = `${list(undone)} cannot be carried over because of an undo: ${advice}`
    return { reason, isAboutOptions: false }
  }
  const carried = job.stepIds.filter((id) => !following.has(id) && isBehind(job.steps[id]))
  const again = job.stepIds.filter((id) => !carried.includes(id))
  const acting = again.filter((id) => mayAct(job, steps.get(id)))
  const left = effectProblem(job, steps, { acting, after: request.after })
  if (left !== null) return left
  const long = listsTooLong(steps, again, request.input)
  if (long !== null) return { reason: long, isAboutOptions: true }
  const isUndone = request.after === 'undo'
  const repeated = again.filter((id) => !acting.includes(id) && hasSucceeded(job, steps.get(id)))
  return { carried, again, undone: isUndone ? acting : [], kept: isUndone ? [] : acting, repeated }
}

function stateProblem(job: JobDocument): string | null {
  const { jobId, processState, attention } = job
  if (job.restartedAs !== undefined) return handedOver(job.restartedAs)
  if (processState !== 'Processed' && processState !== 'Error' && processState !== 'Compensated') {
    return `job ${jobId} is ${processState}; only a job that has ended, or is in Error, is restarted`
  }
  if (attention?.kind === 'corrupt' || Object.values(job.steps).some(isUnderWay)) {
    return `job ${jobId} was set aside in the middle of its work: resubmit it`
  }
  return null
}

/** Returns the reason why no command is given about a job that was restarted (I33). */
export function handedOver({ jobId, from }: NonNullable<JobDocument['restartedAs']>): string {
  return `it was restarted from step ${from} as job ${jobId}: give the command about that job`
}

function stepProblem(job: JobDocument, step: StepDocument | undefined, { from, stepInput }: Restart) {
  if (step === undefined) return `there is no step ${from}; the steps are ${job.stepIds.join(', ')}`
  if (stepInput === undefined || step.kind === 'operation') return null
  return `step ${from} calls no operation, so it takes no input: correct the input of the job, or of another step`
}

/** Returns the step and all steps that depend on it, directly or indirectly. */
function followersOf(from: string, steps: ReadonlyMap<string, StepDocument>): ReadonlySet<string> {
  const dependants = new Map<string, string[]>()
  for (const { stepId, dependsOn } of steps.values()) {
    for (const id of dependsOn) dependants.set(id, [...(dependants.get(id) ?? []), stepId])
  }
  const found = new Set([from])
  // The iteration of a set also visits the elements that are added meanwhile.
  for (const stepId of found) for (const next of dependants.get(stepId) ?? []) found.add(next)
  return found
}

function wasUndone({ steps }: JobDocument, stepId: string): boolean {
  const state = steps[stepId]?.state
  return state === 'Compensated' || state === 'CompensationFailed'
}

/** Checks whether a step has, or may have, an effect that could be undone. */
function mayAct({ steps }: JobDocument, step: StepDocument | undefined): boolean {
  const entry = step && steps[step.stepId]
  if (step === undefined || entry === undefined || entry.dispatch === 0) return false
  if (entry.state === 'CompensationFailed' || isLargeList(step)) return true
  return step.direction === 'do' && owedBy(step).length > 0
}

/** Checks whether the operation of a step was carried out. Other steps have no effect. */
function hasSucceeded({ steps }: JobDocument, step: StepDocument | undefined): boolean {
  return step?.kind === 'operation' && steps[step.stepId]?.state === 'Processed'
}

/** Checks whether the items of the step are jobs of their own, which have their own undos. */
function isLargeList({ actor, action }: StepDocument): boolean {
  return actor === itemsOperation.actor && action === itemsOperation.action
}

interface Acting {
  readonly acting: readonly string[]
  readonly after: AfterRestart | undefined
}

function effectProblem(
  job: JobDocument,
  steps: ReadonlyMap<string, StepDocument>,
  { acting, after }: Acting,
): RestartProblem | null {
  if (acting.length === 0 || after === 'keep') return null
  if (after === undefined) {
    const verb = acting.length === 1 ? 'runs' : 'run'
    const choice = 'pass after: "undo" to undo first what may have been done, or after: "keep" to leave it'
    return { reason: `${list(acting)} ${verb} again and may have acted: ${choice}`, isAboutOptions: true }
  }
  const refused = (reason: string): RestartProblem => ({ reason, isAboutOptions: false })
  const failed = acting.filter((id) => job.steps[id]?.state === 'CompensationFailed')
  if (failed.length > 0)
    return refused(`the undo of ${list(failed)} failed: resubmit the job first, or pass after: "keep"`)
  const large = acting.filter((id) => {
    const step = steps.get(id)
    return step !== undefined && isLargeList(step)
  })
  if (large.length === 0) return null
  return refused(
    `the items of ${list(large)} are jobs of their own: cancel those first, and pass after: "keep"`,
  )
}
