import { z } from 'zod'
import { noticeKinds } from './shared-parts.js'
import { json } from './values/plain-json.js'

/** The policies for a tick that comes before the previous run has ended. */
export const overlapPolicies = ['skip', 'queue', 'allow', 'cancelPrevious'] as const

export type OverlapPolicy = (typeof overlapPolicies)[number]

/** The reasons why a tick is passed over, so that no job is submitted for it. */
export const passReasons = ['late', 'overlap', 'paused', 'refused'] as const

/** The times of the ticks: a cron pattern in a time zone, or an interval that is counted from 1970. */
const calendar = z.union([
  z.object({ cron: z.string(), timeZone: z.string() }),
  z.object({ everyMs: z.number().int().positive() }),
])

/** Ticks in a row that were passed over for the same reason. */
const passed = z.object({
  reason: z.enum(passReasons),
  /** The due times of the first and of the last of these ticks, ISO-8601 UTC. */
  from: z.string(),
  to: z.string(),
  count: z.number().int(),
  message: z.string(),
})

const decision = z.object({
  command: z.enum(['pause', 'resume', 'trigger', 'backfill', 'delete']),
  at: z.string(),
  by: z.string(),
  why: z.string(),
})

/**
 * A schedule. Each tick replaces this document, so the plan of the jobs is in another document of the same
 * partition, {@link scheduledJobSchema}.
 */
export const scheduleSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.schedule'),
  schema: z.number().int(),
  scheduleId: z.string(),
  workflow: z.string(),
  calendar,
  overlap: z.enum(overlapPolicies),
  /** A tick is made up for this time after it was due. A later tick is counted as missed. */
  catchUpMs: z.number(),
  jitterMs: z.number(),
  /** Distinguishes definitions. The document of the plan has the same hash. */
  definitionHash: z.string(),
  /** The due time of the next tick, in milliseconds since the epoch. Null if there is no next tick. */
  nextDueMs: z.number().nullable(),
  /** The time when a supervisor submits the next tick: its due time and its jitter. Null while paused. */
  completeByMs: z.number().nullable(),
  /** Ticks that were due before this time are passed over, because the schedule was paused. */
  resumedMs: z.number().nullable(),
  /** The newest tick whose job was submitted. */
  last: z.object({ dueMs: z.number(), jobId: z.string() }).nullable(),
  /** The number of ticks whose job was submitted. */
  submitted: z.number().int(),
  /** The number of ticks that no instance submitted in time, or whose job was refused. */
  missed: z.number().int(),
  /** The number of ticks that were passed over on purpose: by `overlap`, or during a pause. */
  skipped: z.number().int(),
  /** The newest ticks that were passed over, the newest last. */
  passed: z.array(passed),
  paused: z.object({ since: z.string(), by: z.string(), why: z.string() }).nullable(),
  /** The newest decisions of operators. */
  audit: z.array(decision),
  /**
   * The newest changes of the definition by operators. They are not in `audit`, because an older version reads only
   * the commands that it knows. Absent if no operator has changed the definition.
   */
  changes: z.array(decision.omit({ command: true })).optional(),
  /** The time of the newest decision of an operator, in milliseconds since the epoch. Absent without one. */
  operatedAtMs: z.number().optional(),
  createdAt: z.string(),
  /** The value is -1, unless the schedule was deleted. */
  ttl: z.number().int(),
})

/** The job that each tick of a schedule submits. */
export const scheduledJobSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.scheduledJob'),
  schema: z.number().int(),
  scheduleId: z.string(),
  definitionHash: z.string(),
  /** The plan of the workflow. A supervisor needs no code of the user to submit the job. */
  plan: json,
  /** The input with references to the tick, which are resolved when the tick is submitted. */
  inputTemplate: json,
  priority: z.number(),
  replyTo: z.string().nullable(),
  /** The events that notices of the jobs report. Missing if they report all. */
  notify: z.array(z.enum(noticeKinds)).optional(),
  completeWithinMs: z.number().nullable(),
  retainForMs: z.number().nullable(),
  /** The tags of each job, each as `name=value`. Missing if the jobs have none. */
  tags: z.array(z.string()).optional(),
  ttl: z.number().int(),
})

export type Calendar = z.infer<typeof calendar>

export type ScheduleDocument = z.infer<typeof scheduleSchema>

export type ScheduledJobDocument = z.infer<typeof scheduledJobSchema>

export type PassedTicks = z.infer<typeof passed>

export type PassReason = (typeof passReasons)[number]

export type ScheduleDecision = z.infer<typeof decision>
