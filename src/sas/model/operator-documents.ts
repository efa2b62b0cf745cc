import { z } from 'zod'

/** What an operator can pause as a whole. */
const pausedKinds = ['workflow', 'agent'] as const

/** The workflow or agent that a pause is about. */
export const pausedWith = z.object({ kind: z.enum(pausedKinds), name: z.string() })

/** The pause of a workflow or an agent, and its end until every job knows about it. */
const pauseEntry = pausedWith.extend({
  /** ISO-8601 UTC. */
  since: z.string(),
  by: z.string(),
  why: z.string(),
  /** `on` lets no attempt begin. `ending` means that an operator has resumed it, and its jobs are resumed. */
  phase: z.enum(['on', 'ending']),
  /** Who has resumed it, and why. Null while it is on. */
  resumed: z.object({ at: z.string(), by: z.string(), why: z.string() }).nullable(),
  /** The value of `stampMs` when an operator last changed this entry. */
  stampMs: z.number(),
  /** The number of times that a supervisor has told the jobs since then. */
  sweeps: z.number().int(),
  /** The time of the next one, in milliseconds since the epoch. Null if every job knows. */
  sweepAtMs: z.number().nullable(),
})

const decision = pausedWith.extend({
  command: z.enum(['pause', 'resume']),
  at: z.string(),
  by: z.string(),
  why: z.string(),
})

/** The pauses of workflows and agents. A container has one such document, once an operator has paused one. */
export const pausesSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.pauses'),
  schema: z.number().int(),
  /** A time that grows with every change, so that the newest of two versions is known. */
  stampMs: z.number(),
  entries: z.array(pauseEntry),
  /** The newest decisions of operators, the last one last. */
  audit: z.array(decision),
  /** The time of the newest decision of an operator, in milliseconds since the epoch. */
  operatedAtMs: z.number(),
  /** The earliest `sweepAtMs`, at which a supervisor tells the jobs. Null if every job knows. */
  completeByMs: z.number().nullable(),
  ttl: z.number().int(),
})

const fleetDecision = z.object({
  command: z.enum(['scale', 'rebalance']),
  /** A role, or `all`. */
  role: z.string(),
  /** The numbers of instances before and after. Null if the command does not change the number. */
  from: z.number().int().nullable(),
  to: z.number().int().nullable(),
  /** Where the instances run, such as `app shop-agents`. */
  target: z.string(),
  at: z.string(),
  by: z.string(),
  why: z.string(),
})

/** The decisions of operators about instances. A container has one such document, once an operator has made such a decision. */
export const fleetDecisionsSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.fleetDecisions'),
  schema: z.number().int(),
  /** The newest decisions, the last one last. */
  audit: z.array(fleetDecision),
  /** The time of the newest decision, in milliseconds since the epoch. */
  operatedAtMs: z.number(),
  ttl: z.number().int(),
})

export type PausedWith = z.infer<typeof pausedWith>
export type PauseEntry = z.infer<typeof pauseEntry>
export type PausesDocument = z.infer<typeof pausesSchema>
export type FleetDecision = z.infer<typeof fleetDecision>
export type FleetDecisionsDocument = z.infer<typeof fleetDecisionsSchema>
