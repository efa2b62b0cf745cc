import { z } from 'zod'
import { gateRules } from './gate-parts.js'

/** A step that has a place at a gate, or that waits for one. */
const visitor = z.object({
  pk: z.string(),
  jobId: z.string(),
  stepId: z.string(),
  /** Tells the runs of a step apart (`place.entry` of the step). */
  entry: z.number().int(),
})

/** A step inside a gate. */
const holder = visitor.extend({
  /** The time at which a supervisor checks that the step is still at work, in milliseconds since the epoch. */
  untilMs: z.number(),
  /** True if the step came from the queue and may not know yet that it has entered. Otherwise missing. */
  isCalled: z.boolean().optional(),
  /** True if a supervisor has found that the step had not begun yet. Otherwise missing. */
  isAwaited: z.boolean().optional(),
})

/** The queue of one group and priority. Its waiters have the numbers from `first` to before `next`. */
const lane = z.object({
  group: z.string(),
  /** The priority of the jobs. Missing if it is 0. */
  priority: z.number().optional(),
  first: z.number().int(),
  next: z.number().int(),
  /** The number of turns of the group since the last turn of this queue. Missing if it is 0. */
  passed: z.number().int().optional(),
})

/** The rules that an operator has set in place of those of the workflows. */
const operated = gateRules.extend({ at: z.string(), by: z.string(), why: z.string() })

/** The gate of one key. Its waiters are documents of the same partition, {@link gateWaiterSchema}. */
export const gateSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.gate'),
  schema: z.number().int(),
  key: z.string(),
  /** The rules of the workflow whose job is the newest of all that came to the gate. */
  rules: gateRules,
  /** The submission of that job, in milliseconds since the epoch. */
  rulesOfMs: z.number(),
  /** The rules that an operator has set in their place, or null. */
  operated: operated
    .extend({
      /** While the key is paused: the rules of an operator before the pause, or null. Otherwise missing. */
      before: operated.nullable().optional(),
    })
    .nullable(),
  holders: z.array(holder),
  /** The queues with waiters. The first queue is served next, and then moves to the end. */
  lanes: z.array(lane),
  /** A number that is larger than the numbers of all waiters so far. */
  nextNumber: z.number().int(),
  /** The time until which the attempts so far use up the rate, in milliseconds since the epoch. */
  busyUntilMs: z.number(),
  /** The next check by a supervisor, in milliseconds since the epoch. Null if no check is needed. */
  completeByMs: z.number().nullable(),
  /** The value is -1, unless no step is at the gate. */
  ttl: z.number().int(),
})

/** A step that waits at a gate. */
export const gateWaiterSchema = z.object({
  id: z.string(),
  /** The document id of the gate. */
  pk: z.string(),
  type: z.literal('sas.waiter'),
  schema: z.number().int(),
  visitor,
  group: z.string(),
  number: z.number().int(),
  priority: z.number().optional(),
  sinceMs: z.number(),
  /** The value is -1 while the step waits. */
  ttl: z.number().int(),
})

/** A decision of an operator about a limit, with the numbers that it set. */
const limitDecision = gateRules.extend({
  command: z.enum(['set', 'clear', 'pause', 'resume']),
  at: z.string(),
  by: z.string(),
  why: z.string(),
})

/**
 * The decisions of operators about the limit of one key. They are not in the gate, because the gate is written for
 * each step, and each write costs by its size.
 */
export const limitDecisionsSchema = z.object({
  id: z.string(),
  /** The document id of the gate. */
  pk: z.string(),
  type: z.literal('sas.limitDecisions'),
  schema: z.number().int(),
  key: z.string(),
  /** The newest decisions, the last one last. */
  audit: z.array(limitDecision),
  /** The time of the newest decision, in milliseconds since the epoch. */
  operatedAtMs: z.number(),
  ttl: z.number().int(),
})

export type LimitDecision = z.infer<typeof limitDecision>
export type GateDocument = z.infer<typeof gateSchema>
export type GateWaiterDocument = z.infer<typeof gateWaiterSchema>
export type Visitor = z.infer<typeof visitor>
export type Holder = z.infer<typeof holder>
export type Lane = z.infer<typeof lane>
