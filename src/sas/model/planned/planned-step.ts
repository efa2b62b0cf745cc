import { z } from 'zod'
import { limit } from '../gate-parts.js'
import { exhaustionPolicy } from '../shared-parts.js'
import { repeat } from '../step-parts.js'
import { json } from '../values/plain-json.js'

/** The kinds of steps that may have no document before they begin. Clients send no events or answers to them. */
const plannedKinds = z.enum(['operation', 'sleep', 'gather'])

/**
 * The first attempt of a step, as its job has it until the step has a document (I46). Together with the plan, it gives the
 * document of the step in the middle of this attempt.
 */
export const begunAttempt = z.object({
  input: json,
  lockedBy: z.string(),
  firstBy: z.string(),
  completeByMs: z.number(),
  /** The undo, if outputs of other steps were put into it. */
  undoInput: json.optional(),
})

export type BegunAttempt = z.infer<typeof begunAttempt>

/**
 * The success of the first attempt of a step that has no document, beside this attempt (I47). Together with the plan and the
 * attempt, it gives the document of the step that is done.
 */
export const doneAttempt = z.object({
  at: z.string(),
  by: z.string(),
  output: json,
  /** The input of the undo, if the step has one. */
  undo: json.optional(),
})

export type DoneAttempt = z.infer<typeof doneAttempt>

/** The plan of a step that has no document yet. A missing field has its default: see `unbegunStep`. */
export const plannedStep = z.object({
  id: z.string(),
  /** Missing means `operation`. */
  kind: plannedKinds.optional(),
  /** Missing means that the step always runs. */
  when: json.optional(),
  actor: z.string(),
  action: z.string(),
  input: json,
  dependsOn: z.array(z.string()),
  completeWithinMs: z.number(),
  maxFailures: z.number().int(),
  retryBackoff: z.object({ minMs: z.number(), maxMs: z.number() }),
  initialState: z.string(),
  targetState: z.string(),
  /** Missing means that the step has no undo. */
  undo: z
    .object({ actor: z.string(), action: z.string(), input: json, whenUncertain: z.boolean() })
    .optional(),
  onExhausted: exhaustionPolicy,
  jobGoesOn: z.boolean().optional(),
  isClaimRequired: z.boolean().optional(),
  repeat: repeat.optional(),
  limits: z.array(limit).optional(),
  secrets: z.array(z.array(z.string())).optional(),
  /** The first attempt of the step. Missing if the step has not begun. */
  attempt: begunAttempt.optional(),
  /** The success of this attempt. Missing if the attempt has no outcome yet. */
  done: doneAttempt.optional(),
})

export type PlannedStep = z.infer<typeof plannedStep>
