import { z } from 'zod'
import { json } from './plain-json.js'

/** How an attempt ended: done, failed for now (counted when the deadline passes), or failed permanently. */
export const outcome = z.object({
  kind: z.enum(['success', 'failed', 'permanent']),
  attempt: z.number(),
  at: z.string(),
  by: z.string(),
  /** Whether the attempt certainly had no effect, because its only call was refused or no call was made. */
  didNothing: z.boolean().default(false),
})

/**
 * The process that makes an attempt. An instance may have the same name after a crash, but never the same
 * token.
 */
export const claim = z.object({ by: z.string(), token: z.string(), fence: z.number(), at: z.string() })

/** The undo of a step. */
export const undo = z.object({
  actor: z.string(),
  action: z.string(),
  /**
   * The input of the undo, with references. Those to the step's own output are resolved when the step
   * succeeds.
   */
  inputTemplate: json,
  /**
   * Recorded in the same write as the step's success (R41). While undoing: the input for the current
   * generation.
   */
  input: json,
  /** How many attempts to undo ended without success. Attempts to do are counted separately (R111). */
  failureCount: z.number().int(),
  /** Whether to undo the step even if it is unknown whether an attempt took effect (F-K2). */
  whenUncertain: z.boolean(),
})

/**
 * What a step records about calls with its idempotency keys. A step without these fields counts as may have
 * acted.
 */
export const effectHistory = {
  /**
   * Whether a call with the key of this generation may have had an effect. Only a completed undo clears it.
   */
  mayHaveActed: z.boolean().default(true),
  /**
   * The generations to undo before the step is Compensated, the newest last, each with the input of its undo.
   */
  owed: z.array(z.object({ generation: z.number().int(), input: json })).default([]),
  /** `undo.inputTemplate` as submitted, if outputs of other steps were filled into it; otherwise null. */
  undoTemplate: json.default(null),
  /**
   * The token of the agents in the scheduler's process that got this attempt. Others set `mayHaveActed`
   * before acting.
   */
  firstBy: z.string().nullable().default(null),
}

/** A generation that may have acted, and the input of its undo. */
export type Owed = z.infer<(typeof effectHistory)['owed']>[number]
