import { z } from 'zod'
import { json } from './values/plain-json.js'

/** The question of a step, as the submission stored it. */
export const question = z.object({
  /** The JSON Schema of the answer. */
  form: json,
  /** The time after which the people are reminded. Missing: no reminder. */
  remindAfterMs: z.number().optional(),
  /** The time after which more people are asked. Missing: no escalation. */
  escalateAfterMs: z.number().optional(),
})

/**
 * A question that waits for its answer. Only steps whose question is open have this object, so an index finds
 * them among all stored steps. The scheduler writes it. The answer, the deadline and the end of the job
 * remove it.
 */
export const asked = z.object({
  title: z.string(),
  /** The people who are asked. Empty: anyone may answer. */
  assignees: z.array(z.string()),
  /** The time at which the question was put, ISO-8601 UTC. */
  since: z.string(),
  /** The end of the time for the answer, in milliseconds since the epoch. */
  expiresAtMs: z.number(),
  /** The time of the reminder, in milliseconds since the epoch. Missing if there is none any more. */
  remindAtMs: z.number().optional(),
  /** The time of the escalation, in milliseconds since the epoch. Missing if there is none any more. */
  escalateAtMs: z.number().optional(),
  /** The people who are asked too from the escalation on. */
  escalateTo: z.array(z.string()).optional(),
})

/** The event of a `waitFor` step, or the answer to its question, with the person who gave it. */
export const event = z.object({
  payload: json,
  at: z.string(),
  by: z.string().optional(),
  note: z.string().optional(),
  /** When the question was put. Missing if the event answers no question. */
  askedAt: z.string().optional(),
})

/**
 * How many events a `waitFor` step collects, and those that have arrived, in their order. Clients append events,
 * and no write removes or changes one (I38).
 */
export const collected = z.object({
  count: z.number().int(),
  events: z.array(
    z.object({
      /** The sender's name of the event. Events with the same key are one event. */
      key: z.string(),
      payload: json,
      at: z.string(),
    }),
  ),
})

/** The most events that one step collects. */
export const maxCollected = 1_000

/** The most bytes of all payloads of one step, as JSON. The step keeps them twice, and shares a transaction. */
export const maxCollectedBytes = 500_000

export type PlanQuestion = z.infer<typeof question>

export type AskedQuestion = z.infer<typeof asked>

export type Collected = z.infer<typeof collected>
