import { z } from 'zod'
import { json } from './plain-json.js'

/** How an attempt ended: done, failed for now (counted when the deadline passes), or failed for good. */
export const outcome = z.object({
  kind: z.enum(['success', 'failed', 'permanent']),
  attempt: z.number(),
  at: z.string(),
  by: z.string(),
  /** Whether it is certain that the attempt had no effect: the service refused its only call, or there was none. */
  didNothing: z.boolean().default(false),
})

/** Which process makes an attempt: an instance's name may return after a crash, its token does not. */
export const claim = z.object({ by: z.string(), token: z.string(), fence: z.number(), at: z.string() })

/** How a step that is done is undone. */
export const undo = z.object({
  actor: z.string(),
  action: z.string(),
  /** What the undo is given, with references; those to the step's own output are filled in when it succeeds. */
  inputTemplate: json,
  /** Recorded in the same write as the step's success (R41); while it is undone, that of the generation at hand. */
  input: json,
  /** Attempts at undoing that ended without success: not counted with those at doing (R111). */
  failureCount: z.number().int(),
  /** Whether it is also undone when it is unknown whether an attempt took effect (F-K2). */
  whenUncertain: z.boolean(),
})

/** What a step knows of calls under its keys. A document stored without it counts as one that may have acted. */
export const effectHistory = {
  /** Whether a call under the key of this generation may have had an effect. Only a completed undo clears it. */
  mayHaveActed: z.boolean().default(true),
  /** Generations to undo before the step is Compensated, the newest last, each with the input of its undo. */
  owed: z.array(z.object({ generation: z.number().int(), input: json })).default([]),
  /** `undo.inputTemplate` as submitted, where binding it to the outputs of other steps has changed it; else null. */
  undoTemplate: json.default(null),
  /** The agents that got this attempt in the dispatch's own process: others say that they act before they do. */
  firstBy: z.string().nullable().default(null),
}

/** A generation that may have acted, and what its undo is given. */
export type Owed = z.infer<(typeof effectHistory)['owed']>[number]
