import { isObject, kind, optional, readOptions, shown } from '../../platform/options.js'
import { rulesProblems, rulesShape } from '../gates/limits.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { ValueOrReference } from '../model/values/reference.js'
import { toTemplate } from '../model/values/to-template.js'

/**
 * A limit of a step. All steps with the same `key` share one limit, in all jobs and workflows of the state
 * container.
 */
export interface Limit {
  /** The name of the limit, such as `'bank'`, or a value that is different for each tenant, `job.input.tenant`. */
  readonly key: ValueOrReference<string>
  /**
   * The largest number of steps at work at once. A step counts from its first attempt until it is over, including
   * its pauses between attempts. It does not count while it waits for an operator.
   */
  readonly atOnce?: number
  /** The largest number of attempts that begin in a second, on average. It may be less than 1. */
  readonly perSecond?: number
  /** The largest number of attempts that may begin at once after a quiet time. Default: those of a second. */
  readonly burst?: number
  /**
   * The group of the job, such as `job.input.tenant`. Groups whose steps wait take turns, so that a group with
   * many steps does not hold up the others. Within a group, the step that came first begins first.
   */
  readonly fairBy?: ValueOrReference<string>
}

/** The parts of a draft that the limits of a step need. */
interface LimitsDraft {
  problemOf(stepId: string, what: string): void
  template<T>(name: string, what: string, make: () => T): T | null
}

/** The most limits of a step. */
const maxLimits = 5

const shape = {
  key: kind<unknown>('a text or a reference', (value) => value !== undefined && value !== ''),
  ...rulesShape,
  fairBy: optional(kind<unknown>('a text or a reference', (value) => value !== '')),
}

/** Advice on names that other libraries use. */
const meant: Readonly<Record<string, string>> = {
  concurrency: 'atOnce: 5',
  max: 'atOnce: 5',
  limit: 'atOnce: 5',
  rate: 'perSecond: 20',
  period: 'perSecond: 20',
  group: 'fairBy: job.input.tenant',
}

/** Returns the limits of a step as they are stored, and notes what is wrong with them. */
export function readLimits(
  draft: LimitsDraft,
  name: string,
  limits: readonly Limit[] | undefined,
): readonly PlanLimit[] | undefined {
  if (limits === undefined) return undefined
  if (!Array.isArray(limits) || limits.length === 0 || limits.length > maxLimits) {
    draft.problemOf(
      name,
      `limits must be a list of 1 to ${maxLimits} limits, as in [{ key: 'bank', atOnce: 5 }]`,
    )
    return undefined
  }
  return limits.flatMap((limit: Limit) => {
    if (!isObject(limit)) {
      draft.problemOf(name, `limits: a limit is ${shown(limit)}; write { key: 'bank', atOnce: 5 }`)
      return []
    }
    const { values, problems } = readOptions(shape, limit, meant)
    for (const what of problems) draft.problemOf(name, `limits: ${what}`)
    if (problems.length > 0) return []
    const { key, fairBy, atOnce, perSecond, burst } = values
    for (const what of rulesProblems({ atOnce, perSecond, burst })) draft.problemOf(name, `limits: ${what}`)
    const stored = draft.template(name, 'its limit: ', () => toTemplate({ key, fairBy }, 'limit'))
    const { key: keyTemplate = null, fairBy: groupTemplate } = (stored ?? {}) as Partial<PlanLimit>
    const rules = { ...(atOnce && { atOnce }), ...(perSecond && { perSecond }), ...(burst && { burst }) }
    return [{ key: keyTemplate, ...rules, ...(groupTemplate !== undefined && { fairBy: groupTemplate }) }]
  })
}

/** Returns the parts of limits that may contain references. */
export function templatesOf(limits: readonly PlanLimit[] = []): readonly PlanLimit['key'][] {
  return limits.flatMap(({ key, fairBy = null }) => [key, fairBy])
}
