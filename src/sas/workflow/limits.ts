import { readLimits, type Limit } from '../gates/limit-options.js'
import type { PlanLimit } from '../model/gate-parts.js'
import { stepsReferredTo } from '../plan/template.js'

/** The parts of a draft that the limits of a step need. */
interface LimitsDraft {
  problemOf(stepId: string, what: string): void
}

/**
 * Returns the limits of a step as they are stored: its own, and those of its operation. If both have the same key,
 * the step's own limit counts. Notes what is wrong with them.
 */
export function limitsOf(
  draft: LimitsDraft,
  name: string,
  own: readonly Limit[] | undefined,
  ofOperation: readonly Limit[] | undefined,
): readonly PlanLimit[] | undefined {
  if (own === undefined && ofOperation === undefined) return undefined
  const wrong = [own, ofOperation].find((list: unknown) => list !== undefined && !Array.isArray(list))
  const { limits, problems } =
    wrong === undefined ? readLimits(own ?? [], { ofOperation: ofOperation ?? [] }) : readLimits(wrong)
  for (const what of problems) draft.problemOf(name, what)
  return limits
}

/** Returns the parts of limits that may contain references. */
export function templatesOf(limits: readonly PlanLimit[] = []): readonly PlanLimit['key'][] {
  return limits.flatMap(({ key, fairBy = null }) => [key, fairBy])
}

/** A limit of jobs: how many of them may run at once. The key may refer to the input of the job. */
export type JobLimit = Pick<Limit, 'key' | 'fairBy' | 'perPartition'> & Required<Pick<Limit, 'atOnce'>>

/** Returns the limits of the jobs of a workflow as they are stored, and notes what is wrong with them. */
export function limitsOfJobs(
  draft: { problem(what: string): void },
  given: readonly JobLimit[],
): readonly PlanLimit[] {
  const { limits, problems } = readLimits(given, { isOfJobs: true })
  for (const what of problems) draft.problem(`job.limits: ${what}`)
  if (limits.some(({ perSecond }) => perSecond !== undefined))
    draft.problem('job.limits: a limit of jobs has atOnce and no perSecond; give perSecond to the first step')
  if (templatesOf(limits).some((each) => stepsReferredTo(each).size > 0))
    draft.problem('job.limits: the job comes to its limits before its steps, so refer to job.input only')
  return limits
}

/** A list whose items are jobs, and the limits of their workflow and of the items of their own lists. */
export interface LimitedItems {
  readonly stepId: string
  readonly limits: readonly PlanLimit[]
}

/**
 * Notes the lists whose items need a place that their own job holds. The job keeps its place until all items have ended,
 * so the job and its items could wait for each other without end.
 */
export function noteSharedLimits(
  draft: LimitsDraft,
  ofJob: readonly PlanLimit[] | undefined,
  items: readonly LimitedItems[],
): void {
  for (const { stepId, limits } of items) {
    const shared = limits.flatMap(({ key, perPartition }) => {
      // Each item has a partition of its own, and so has a limit of each partition.
      const isShared = ofJob?.some((limit) => limit.key === key && limit.perPartition !== true) === true
      return isShared && perPartition !== true && typeof key === 'string' ? [key] : []
    })
    const [name] = shared
    if (name === undefined) continue
    const key = JSON.stringify(name)
    const rule = `give the items another key, such as ${JSON.stringify(`${name} items`)}`
    draft.problemOf(
      stepId,
      `its items share the limit of jobs ${key} with the job, so the job and its items would wait for each other; ${rule}`,
    )
  }
}
