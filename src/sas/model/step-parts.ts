import { z } from 'zod'
import { json } from './values/plain-json.js'
import type { InputEdit } from './readable-parts.js'

/** How an operator changed inputs. */
export const inputEdit = z.object({
  changes: z.array(
    z.object({
      stepId: z.string().nullable(),
      path: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
  others: z.number().int(),
}) satisfies z.ZodType<InputEdit>

/** The result of an attempt. A failure that is not permanent is counted only when the deadline passes. */
export const outcome = z.object({
  kind: z.enum(['success', 'failed', 'permanent']),
  attempt: z.number(),
  at: z.string(),
  by: z.string(),
  /** Whether the attempt certainly had no effect, because it made no call or its only call was refused. */
  didNothing: z.boolean().default(false),
  /**
   * Whether the ledger of the job has this success, because one transaction wrote both. No scheduler must read the
   * step because of it. Missing if an agent has recorded the outcome alone.
   */
  accepted: z.boolean().optional(),
})

/**
 * The process that makes an attempt. After a crash, another process may have the same name, but never the
 * same token.
 */
export const claim = z.object({
  by: z.string(),
  token: z.string(),
  fence: z.number(),
  at: z.string(),
  /** The identity of the process on its machine. A successor uses it to notice that the process has ended. */
  process: z.string().optional(),
})

/** The newest report of progress of an attempt that was written. */
export const progress = z.object({
  done: z.number().optional(),
  of: z.number().optional(),
  note: z.string().optional(),
  /** The time of the report, ISO-8601 UTC. */
  at: z.string(),
})

/** The stops of hosts that took the same attempt from the step, one after the other. */
export const returned = z.object({
  /** The idempotency key and the number of the attempt. */
  key: z.string(),
  attempt: z.number().int(),
  count: z.number().int(),
})

export const undo = z.object({
  actor: z.string(),
  action: z.string(),
  /** The input of the undo. References to the step's own output are resolved when the step succeeds. */
  inputTemplate: json,
  /**
   * The resolved input, recorded in the same write as the step's success (R41). While the step is undone,
   * this is the input for the generation that is being undone.
   */
  input: json,
  /** The number of failed undo attempts, counted separately from the step's own attempts (R111). */
  failureCount: z.number().int(),
  /** If true, the step is undone even if it is not known whether an attempt took effect (F-K2). */
  whenUncertain: z.boolean(),
})

/** The deadline that a waiting step had when its job was paused. */
export const held = z.object({ atMs: z.number(), completeByMs: z.number() })

/** Records whether calls with a step's keys may have had an effect. By default, a step may have acted. */
export const effectHistory = {
  /** Whether a call with this generation's key may have had an effect. Only a completed undo clears this. */
  mayHaveActed: z.boolean().default(true),
  /** The generations that must be undone, the newest last, each with the input of its undo. */
  owed: z.array(z.object({ generation: z.number().int(), input: json })).default([]),
  /** The submitted `undo.inputTemplate`. Null if the current one contains no outputs of other steps. */
  undoTemplate: json.default(null),
  /**
   * The token of the agents to which the scheduler gave this attempt directly. Other agents set
   * `mayHaveActed` before they act.
   */
  firstBy: z.string().nullable().default(null),
}

/** The field of a step whose plan was replaced before the step began. */
export const migratable = {
  /** The number of times that operators have replaced the plan of the step. Missing means 0. */
  planNumber: z.number().int().optional(),
}

/** The field of a step that acted in a job that was restarted since. */
export const keyHolder = {
  /**
   * The id of the job under which the step acted, and which its keys contain. Written by a restart, and removed
   * when the step begins after its undo. Missing means the step's own job.
   */
  keyJobId: z.string().optional(),
}

export type Owed = z.infer<(typeof effectHistory)['owed']>[number]

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
