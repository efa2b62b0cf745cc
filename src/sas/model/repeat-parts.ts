import { z } from 'zod'
import { json } from './values/plain-json.js'

/** How a step repeats, as the submission stored it. */
export const repeat = z.object({
  /** The condition on the output of a round that ends the repetition, with references. */
  until: json,
  /** The pause between two rounds. */
  everyMs: z.number(),
  /** The largest number of rounds. */
  atMost: z.number().int(),
})

/** The round that a repeated step has reached. */
export const round = z.object({
  /** The number of the round, from 1. Each round has its own idempotency key. */
  number: z.number().int(),
  /** The round from which `atMost` counts. It changes when an operator lets the step go on. */
  first: z.number().int(),
  /** The condition with all values except the output of the round. */
  until: json,
  /** The output of the round before. Null in the first round. */
  previous: json,
})

export type PlanRepeat = z.infer<typeof repeat>
