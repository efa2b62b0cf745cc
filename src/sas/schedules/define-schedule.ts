import type { Duration } from '../../platform/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import {
  duration,
  isObject,
  isText,
  kind,
  oneOf,
  optional,
  readOptions,
  shown,
  text,
  textThat,
} from '../../platform/options.js'
import { reference } from '../model/values/reference.js'
import type { Reference, ValueOrReference } from '../model/values/reference.js'
import type { Json } from '../model/values/json.js'
import { readTags, type Tags } from '../model/tags.js'
import { NotPlainDataError, toTemplate } from '../model/values/to-template.js'
import type { NoticeKind } from '../model/readable-parts.js'
import { notify } from '../submission/submit-problems.js'
import { overlapPolicies, type Calendar, type OverlapPolicy } from '../model/schedule-documents.js'
import { hashOf, planHash } from '../plan/payload.js'
import type { Plan } from '../plan/plan.js'
import { shownSecrets } from '../plan/secret-texts.js'
import { exceeds } from '../store/transaction.js'
import { isWorkflow, type Workflow } from '../workflow/workflow.js'
import { tickInput } from './tick-input.js'
import { cronProblem, timeZoneProblem } from './calendar.js'

/** The tick of a schedule, as the input of its job may refer to it. */
export interface ScheduleTick {
  /** The time when the tick was due, ISO-8601 UTC. */
  readonly due: string
  readonly scheduleId: string
}

/** The options of a schedule. It has either a `cron` pattern or an interval, `every`. */
export interface ScheduleOptions<I> {
  /** Five fields: minute, hour, day of the month, month, weekday. A sixth field in front is the second. */
  readonly cron?: string
  /** The time zone of `cron`, such as `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string
  /** The interval between two ticks, counted from 1970-01-01T00:00Z: `'1h'` comes at each full hour. */
  readonly every?: Duration
  /** The workflow whose job each tick submits. */
  readonly workflow: Workflow<I>
  /** The input of each job, or a function that makes the input from references to the tick. */
  readonly input?: ValueOrReference<I> | ((tick: Reference<ScheduleTick>) => ValueOrReference<I>)
  /**
   * What happens to a tick that comes before the previous run has ended. `skip` submits nothing. `queue` waits
   * for the end of the run. `allow` submits the job all the same. `cancelPrevious` cancels the run first.
   * Default `skip`.
   */
  readonly overlap?: 'skip' | 'queue' | 'allow' | 'cancelPrevious'
  /** A tick is made up for this time after it was due. Later, it is counted as missed. Default 1 h. */
  readonly catchUp?: Duration
  /** Each tick is delayed by its own part of this time, so that schedules do not start together. Default 0. */
  readonly jitter?: Duration
  /** The priority of the jobs. Default: that of the workflow, or 0. */
  readonly priority?: number
  /** The receiver of notices about the jobs. Default: none. */
  readonly replyTo?: string
  /** The events that are reported to `replyTo`. Default: all. */
  readonly notify?: readonly NoticeKind[]
  /** The time within which each job must be done. Default: that of the workflow. */
  readonly completeWithin?: Duration
  /** The time for which an ended job is kept, at least 1 h. Default: that of the workflow. */
  readonly retainFor?: Duration
  /** The tags of each job, at most 10. The `tags` function of the workflow is not called. Default: none. */
  readonly tags?: Tags
}

/** A definition of a schedule, as it is stored. */
export interface ScheduleDefinition {
  readonly workflow: string
  readonly calendar: Calendar
  readonly overlap: OverlapPolicy
  readonly catchUpMs: number
  readonly jitterMs: number
  readonly job: ScheduledJob
}

/** The parts of each job, apart from its id. */
export interface ScheduledJob {
  readonly plan: Plan
  readonly inputTemplate: Json
  readonly priority: number
  readonly replyTo: string | null
  readonly notify?: NoticeKind[]
  readonly completeWithinMs: number | null
  readonly retainForMs: number | null
  readonly tags?: string[]
}

const isSchedule_ = Symbol('stepward.schedule')

/** A schedule that was defined and checked. `client.schedules.set` stores it. */
export interface Schedule {
  readonly id: string
  /** @internal */
  readonly definition: ScheduleDefinition
  /** @internal Distinguishes definitions. */
  readonly hash: string
  readonly [isSchedule_]: true
}

/** The error for an invalid schedule, with every problem. */
export class ScheduleInvalid extends Error {
  override readonly name = 'ScheduleInvalid'
  readonly code = 'SCHEDULE_INVALID'
  readonly retriable = false
  constructor(
    schedule: string,
    readonly problems: readonly string[],
  ) {
    super(`schedule ${JSON.stringify(schedule)}: ${problems.join('; ')}`)
  }
}

/** The ids of schedules leave room for the due time in the ids of jobs. */
const idPattern = /^[a-z][a-z0-9-]{0,99}$/

/** A supervisor that lost its connection must find the job of its tick when it comes back. */
const leastRetainMs = 3_600_000
const leastIntervalMs = 1_000
/** A shorter time would count ticks as missed while another instance takes the leases of a dead one. */
const leastCatchUpMs = 120_000
/** The plan and the input are one document, which is written together with the schedule. */
const maxJobBytes = 1_000_000

const shape = {
  cron: optional(textThat('a cron pattern such as "30 2 * * 1-5"', isText)),
  timeZone: optional(text()),
  every: optional(duration(leastIntervalMs)),
  workflow: kind<Workflow<unknown>>('a workflow made by defineWorkflow', isWorkflow),
  input: kind<unknown>('JSON, or a function of the tick', () => true),
  overlap: optional(oneOf(...overlapPolicies), 'skip' as const),
  catchUp: optional(duration(leastCatchUpMs), 3_600_000),
  jitter: optional(duration(0), 0),
  priority: optional(kind<number>('a number', Number.isFinite)),
  replyTo: optional(text(), null),
  notify: optional(notify),
  completeWithin: optional(duration()),
  retainFor: optional(duration(leastRetainMs)),
  tags: kind<unknown>('tags', () => true),
}

/**
 * Defines a schedule. The definition is plain JSON with the plan of the workflow, so a supervisor submits the
 * jobs without your code.
 *
 * @throws ScheduleInvalid with a list of all problems
 */
export function defineSchedule<I>(id: string, options: ScheduleOptions<I>): Schedule {
  return defineOver(id, options, null)
}

/**
 * Defines a schedule. If the options name no input, the input is that of the stored template.
 *
 * @throws ScheduleInvalid with a list of all problems
 */
export function defineOver<I>(id: string, options: ScheduleOptions<I>, template: Json): Schedule {
  if (!isObject(options)) {
    const example = 'it must be an object such as { every: "1h", workflow }'
    throw new ScheduleInvalid(id, [`the argument is ${shown(options)}; ${example}`])
  }
  const { values, problems: wrong } = readOptions(shape, withDefaults(options))
  const tags = readTags(options.tags ?? {})
  const problems = [...wrong, ...tags.problems]
  if (!idPattern.test(id)) problems.push(`its id must match ${String(idPattern)}`)
  const calendar = calendarOf(values, options, problems)
  if ('everyMs' in calendar && values.jitter > calendar.everyMs) {
    problems.push(`jitter is ${values.jitter} ms; it must not exceed every, ${calendar.everyMs} ms`)
  }
  const inputTemplate = options.input === undefined ? template : inputOf(values.input, problems)
  if (problems.length > 0) throw new ScheduleInvalid(id, problems)
  const anyTick = { due: new Date(0).toISOString(), scheduleId: id }
  const input = tickInput({ plan: values.workflow.plan, inputTemplate }, anyTick)
  if (input.problems.length > 0)
    throw new ScheduleInvalid(
      id,
      input.problems.map((what) => `its input: ${what}`),
    )
  const secrets = shownSecrets(values.workflow.plan, input.input, { tags: tags.stored.join(' ') })
  if (secrets.length > 0) throw new ScheduleInvalid(id, secrets)
  const { workflow, overlap, catchUp: catchUpMs, jitter: jitterMs, priority = 0, replyTo } = values
  const { completeWithin: completeWithinMs = null, retainFor: retainForMs = null } = values
  const tagged = tags.stored.length === 0 ? {} : { tags: [...tags.stored] }
  const job = {
    plan: workflow.plan,
    inputTemplate,
    priority,
    replyTo,
    completeWithinMs,
    retainForMs,
    ...(values.notify === undefined ? {} : { notify: [...values.notify] }),
    ...tagged,
  }
  if (exceeds(job, maxJobBytes)) {
    throw new ScheduleInvalid(id, [
      `its plan and input exceed ${maxJobBytes} bytes: pass large inputs by reference`,
    ])
  }
  const definition = { workflow: workflow.name, calendar, overlap, catchUpMs, jitterMs, job }
  return Object.freeze({ id, definition, hash: hashOfDefinition(definition), [isSchedule_]: true as const })
}

/** Returns the options with the defaults of the workflow. */
function withDefaults<I>(options: ScheduleOptions<I>): ScheduleOptions<I> {
  if (!isWorkflow(options.workflow)) return options
  const { priority, completeWithin, retainFor } = options.workflow.submission
  return { ...withoutUndefined({ priority, completeWithin, retainFor }), ...options }
}

/** Checks whether a value, such as an export of a user's module, is a schedule. */
export function isSchedule(value: unknown): value is Schedule {
  return typeof value === 'object' && value !== null && isSchedule_ in value
}

function hashOfDefinition({ job, ...timing }: ScheduleDefinition): string {
  const { plan, ...others } = job
  return hashOf(`${planHash(plan)}\n${JSON.stringify([timing, others])}`)
}

interface Times {
  readonly cron?: string | undefined
  readonly timeZone?: string | undefined
  readonly every?: number | undefined
}

function calendarOf({ cron, timeZone, every }: Times, given: object, problems: string[]): Calendar {
  // A wrong value has no entry in the values, but was given.
  const isGiven = (name: 'cron' | 'every'): boolean => (Reflect.get(given, name) ?? undefined) !== undefined
  if (isGiven('cron') === isGiven('every')) {
    problems.push("it needs either cron, such as '30 2 * * *', or every, such as '1h'")
  }
  if (every !== undefined) {
    if (timeZone !== undefined) problems.push('timeZone belongs to cron; with every, omit it')
    if (!Number.isInteger(every)) problems.push(`every is ${every} ms; it must be whole milliseconds`)
    return { everyMs: every }
  }
  const zone = timeZone ?? 'UTC'
  const found = [timeZoneProblem(zone), cron === undefined ? null : cronProblem(cron, 0)]
  problems.push(...found.filter((problem) => problem !== null))
  return { cron: cron ?? '', timeZone: zone }
}

function isFunction(value: unknown): value is (tick: Reference<ScheduleTick>) => unknown {
  return typeof value === 'function'
}

function inputOf(input: unknown, problems: string[]): Json {
  try {
    const made = isFunction(input) ? input(reference<ScheduleTick>(['input'])) : input
    return made === undefined ? null : toTemplate(made, 'input')
  } catch (error) {
    if (!(error instanceof NotPlainDataError)) throw error
    problems.push(error.message)
    return null
  }
}
