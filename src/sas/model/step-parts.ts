import { z } from 'zod'
import { json } from './plain-json.js'

/** How an attempt ended: done, failed for now (counted when the deadline passes), or failed for good. */
export const outcome = z.object({
  kind: z.enum(['success', 'failed', 'permanent']),
  attempt: z.number(),
  at: z.string(),
  by: z.string(),
  /** Whether the attempt certainly had no effect: the service refused its only call, or there was no call. */
  didNothing: z.boolean().default(false),
})

/** The process that makes an attempt. An instance may have the same name after a crash, but never the same token. */
export const claim = z.object({ by: z.string(), token: z.string(), fence: z.number(), at: z.string() })

/** How a step that is done is undone. */
export const undo = z.object({
  actor: z.string(),
  action: z.string(),
  /** What the undo is given, with references; those to the step's own output are filled in when it succeeds. */
  inputTemplate: json,
  /** Recorded in the same write as the step's success (R41). On the way back: the input for the current generation. */
  input: json,
  /** Attempts to undo that ended without success, counted separately from attempts to do (R111). */
  failureCount: z.number().int(),
  /** Whether to undo the step even if it is unknown whether an attempt took effect (F-K2). */
  whenUncertain: z.boolean(),
})

/** What a step records about calls under its keys. A document without these fields counts as one that may have acted. */
export const effectHistory = {
  /** Whether a call under the key of this generation may have had an effect. Only a completed undo clears it. */
  mayHaveActed: z.boolean().default(true),
  /** Generations to undo before the step is Compensated, the newest last, each with the input of its undo. */
  owed: z.array(z.object({ generation: z.number().int(), input: json })).default([]),
  /** `undo.inputTemplate` as submitted, if outputs of other steps were filled into it; else null. */
  undoTemplate: json.default(null),
  /** The agents, in the scheduler's process, that got this attempt. Other agents set `mayHaveActed` before they act. */
  firstBy: z.string().nullable().default(null),
}

/** A generation that may have acted, and the input of its undo. */
export type Owed = z.infer<(typeof effectHistory)['owed']>[number]
