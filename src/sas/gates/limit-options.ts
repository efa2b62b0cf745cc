import { isObject, kind, optional, readOptions, shown } from '../../platform/options.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { ValueOrReference } from '../model/values/reference.js'
import { NotPlainDataError, toTemplate } from '../model/values/to-template.js'
import { rulesProblems, rulesShape } from './rules.js'

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

/** Limits as they are stored, and everything that is wrong with them. */
export interface ReadLimits {
  readonly limits: readonly PlanLimit[]
  readonly problems: readonly string[]
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

/** Reads a list of limits. Callers in JavaScript may pass anything. */
export function readLimits(given: unknown): ReadLimits {
  if (!Array.isArray(given) || given.length === 0 || given.length > maxLimits) {
    const rule = `limits must be a list of 1 to ${maxLimits} limits, as in [{ key: 'bank', atOnce: 5 }]`
    return { limits: [], problems: [rule] }
  }
  const read = given.map(readLimit)
  return {
    limits: read.flatMap(({ limits }) => limits),
    problems: read.flatMap(({ problems }) => problems),
  }
}

function readLimit(limit: unknown): ReadLimits {
  if (!isObject(limit)) {
    return { limits: [], problems: [`limits: a limit is ${shown(limit)}; write { key: 'bank', atOnce: 5 }`] }
  }
  const { values, problems } = readOptions(shape, limit, meant)
  if (problems.length > 0) return { limits: [], problems: problems.map((what) => `limits: ${what}`) }
  const { key, fairBy, atOnce, perSecond, burst } = values
  const wrong = rulesProblems({ atOnce, perSecond, burst }).map((what) => `limits: ${what}`)
  try {
    const stored = toTemplate({ key, fairBy }, 'limit') as Pick<PlanLimit, 'key' | 'fairBy'>
    const rules = { ...(atOnce && { atOnce }), ...(perSecond && { perSecond }), ...(burst && { burst }) }
    return { limits: [{ ...stored, ...rules }], problems: wrong }
  } catch (error) {
    if (!(error instanceof NotPlainDataError)) throw error
    return { limits: [], problems: [...wrong, `its limit: ${error.message}`] }
  }
}
