import { flag, isObject, kind, optional, readOptions, shown } from '../../platform/options.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { ValueOrReference } from '../model/values/reference.js'
import { isReference } from '../model/values/reference.js'
import { NotPlainDataError, toTemplate } from '../model/values/to-template.js'
import { jobKeyPrefix, partitionKeyPrefix } from './home.js'
import { maxKeyLength } from './pass.js'
import { maxAtOnceInPartition, rulesProblems, rulesShape } from './rules.js'

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
  /**
   * True if each partition key has a limit of its own with this key, with at most 100 steps at once. The transactions of
   * its jobs then write the limit, so a step with room costs no further request. Default: all partitions share the limit.
   */
  readonly perPartition?: boolean
}

/** Limits as they are stored, and everything that is wrong with them. */
export interface ReadLimits {
  readonly limits: readonly PlanLimit[]
  readonly problems: readonly string[]
}

/** The most limits of a step. */
const maxLimits = 5

const textRule = `a text of 1 to ${maxKeyLength} characters, or a reference`

const shape = {
  key: kind<unknown>(textRule, mayBeText),
  ...rulesShape,
  fairBy: optional(kind<unknown>(textRule, mayBeText)),
  perPartition: optional(flag()),
}

/** The numbers of a limit. An operator sees and changes them for all jobs, so they are no values of one job. */
const numbers = Object.keys(rulesShape)

/** Advice on names that other libraries use. */
const meant: Readonly<Record<string, string>> = {
  concurrency: 'atOnce: 5',
  max: 'atOnce: 5',
  limit: 'atOnce: 5',
  rate: 'perSecond: 20',
  period: 'perSecond: 20',
  group: 'fairBy: job.input.tenant',
}

/** What a list of limits is for. Only limits of steps share their keys with the limits of jobs. */
interface LimitsUse {
  /** Default false: the limits are those of a step or an operation. */
  readonly isOfJobs?: boolean
  /** The limits of the operation, which come after those of the step. Both may have the same key. */
  readonly ofOperation?: readonly unknown[]
}

/** Reads a list of limits. Callers in JavaScript may pass anything. */
export function readLimits(given: unknown, use: LimitsUse = {}): ReadLimits {
  const { isOfJobs = false, ofOperation = [] } = use
  const all: readonly unknown[] | null = Array.isArray(given)
    ? [...(given as unknown[]), ...ofOperation]
    : null
  if (all === null || all.length === 0 || all.length > maxLimits) {
    const rule = `limits must be a list of 1 to ${maxLimits} limits, as in [{ key: 'bank', atOnce: 5 }]`
    return { limits: [], problems: [rule] }
  }
  const read = all.map((limit) => readLimit(limit, isOfJobs))
  const own = all.slice(0, all.length - ofOperation.length)
  return {
    limits: read.flatMap(({ limits }) => limits),
    problems: [...read.flatMap(({ problems }) => problems), ...repeated(own), ...repeated(ofOperation)],
  }
}

/** Names each literal key that a list has twice. Only the first limit of a key would count. */
function repeated(list: readonly unknown[]): readonly string[] {
  const keys = list.map((limit) => (isObject(limit) ? (Reflect.get(limit, 'key') as unknown) : undefined))
  const twice = keys.filter((key, index) => typeof key === 'string' && keys.indexOf(key) !== index)
  return [...new Set(twice)].map(
    (key) => `limits: key ${shown(key)} is used twice; give its atOnce and perSecond in one limit`,
  )
}

function readLimit(limit: unknown, isOfJobs: boolean): ReadLimits {
  if (!isObject(limit)) {
    return { limits: [], problems: [`limits: a limit is ${shown(limit)}; write { key: 'bank', atOnce: 5 }`] }
  }
  const referred = numbers.filter((name) => isReference(Reflect.get(limit, name)))
  const rest = Object.entries(limit).filter(([name]) => !referred.includes(name))
  const { values, problems } = readOptions(shape, Object.fromEntries(rest), meant)
  const { key, fairBy, atOnce, perSecond, burst, perPartition = false } = values
  const bad = [
    ...referred.map((name) => `${name} is a reference; a limit needs a number, the same for all jobs`),
    ...problems,
    ...keyProblems(key, isOfJobs),
    ...(perPartition && (atOnce ?? 0) > maxAtOnceInPartition
      ? [`atOnce is ${String(atOnce)}; with perPartition, at most ${maxAtOnceInPartition} are allowed`]
      : []),
  ]
  if (bad.length > 0) return { limits: [], problems: bad.map((what) => `limits: ${what}`) }
  const wrong = rulesProblems({ atOnce, perSecond, burst }).map((what) => `limits: ${what}`)
  try {
    const stored = toTemplate({ key, fairBy }, 'limit') as Pick<PlanLimit, 'key' | 'fairBy'>
    const rules = {
      ...(atOnce && { atOnce }),
      ...(perSecond && { perSecond }),
      ...(burst && { burst }),
      ...(perPartition && { perPartition }),
    }
    return { limits: [{ ...stored, ...rules }], problems: [...wrong, ...literalProblems(stored)] }
  } catch (error) {
    if (!(error instanceof NotPlainDataError)) throw error
    return { limits: [], problems: [...wrong, `its limit: ${error.message}`] }
  }
}

/** Checks whether a value is a text, or an object or a function, as a reference is. */
function mayBeText(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && value.length <= maxKeyLength
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}

/** Returns what is wrong with a literal key besides its length. A job checks the other keys when it runs. */
function keyProblems(key: unknown, isOfJobs: boolean): readonly string[] {
  if (typeof key !== 'string') return []
  const isForJobs = !isOfJobs && key.startsWith(jobKeyPrefix)
  return [
    ...(key.startsWith(partitionKeyPrefix)
      ? [`key is ${shown(key)}; it must not begin with ${partitionKeyPrefix}; use perPartition: true instead`]
      : []),
    ...(key === key.trim() ? [] : [`key is ${shown(key)}; it must not begin or end with a space`]),
    ...(isForJobs
      ? [`key is ${shown(key)}; it must not begin with ${jobKeyPrefix}, as the keys of job.limits do`]
      : []),
  ]
}

/** Refuses an object or a list of the definition, which never becomes a text. */
function literalProblems(stored: Pick<PlanLimit, 'key' | 'fairBy'>): readonly string[] {
  return Object.entries(stored).flatMap(([name, template]) => {
    const isKnownLater = isObject(template) && '$from' in template
    if (typeof template === 'string' || isKnownLater) return []
    return [`limits: ${name} is ${shown(template)}; it must be ${textRule}`]
  })
}
