import { z } from 'zod'
import { compensation, ledgerEntry, optionalJobParts } from './job-parts.js'
import { gateSchema, gateWaiterSchema, limitDecisionsSchema } from './gate-documents.js'
import { limit, place } from './gate-parts.js'
import { fleetDecisionsSchema, pausesSchema } from './operator-documents.js'
import { json } from './values/plain-json.js'
import { noticeSchema } from './notice-document.js'
import { asked, collected, event, question } from './question-parts.js'
import { scheduledJobSchema, scheduleSchema } from './schedule-documents.js'
import { auditEntry, envelope, exhaustionPolicy, secretHolder, ticketHolder } from './shared-parts.js'
import {
  claim,
  effectHistory,
  held,
  keyHolder,
  migratable,
  outcome,
  progress,
  repeat,
  returned,
  round,
  undo,
} from './step-parts.js'

export { attentionKinds, noticeKinds, processStates } from './shared-parts.js'
export type { PlannedStep } from './planned/planned-step.js'
export type { Json } from './values/json.js'
export type {
  Attention,
  AuditEntry,
  Compensation,
  Diagnostic,
  NoticeKind,
  JobPause,
  ProcessState,
} from './readable-parts.js'

/** The newest version of the document schema that this code knows. Newer documents are left alone. */
export const schemaVersion = 8

/** The version of the documents on which code that knows only version 1 also acts correctly. */
export const basicSchema = 1

/**
 * The version of a job whose plan has parts that code of version 1 would read wrongly, such as
 * `onExhausted: 'continue'`. Only the job has this version, because only schedulers read these parts. Agents,
 * supervisors and agents in other languages of version 1 do the work of its steps correctly.
 */
export const continuingSchema = 2

/**
 * The version of a job that was restarted, of the job that it was restarted as, and of steps that were carried
 * over. Code of version 2 would undo a carried step for the wrong job, or tell its undo a wrong key.
 */
export const restartSchema = 3

/**
 * The version of a job whose plan was replaced. Code of version 2 could skip a step by the condition of its old
 * plan.
 */
export const migratedSchema = 3

/**
 * The version of a job with limits of its own, and of such a limit. Code of version 3 would run the job without a
 * place, and its supervisors would free the places of others.
 */
export const limitedJobSchema = 4

/** The version of a limit at which steps of other priorities than 0 wait. Code of version 3 would mix up their queues. */
export const priorityGateSchema = 4

/**
 * The version of a job with a limit for each partition, and of such a limit. Code of version 4 would look for the limit
 * in another partition.
 */
export const partitionLimitSchema = 5

/**
 * The version of a job that was submitted with planned steps. Code of version 5 would miss these steps, and set the
 * job aside.
 */
export const plannedSchema = 6

/**
 * The version of a job with attempts of steps that have no document. Code of version 6 would take these steps for steps that have
 * not begun.
 */
export const begunSchema = 7

/**
 * The version of a job with steps that are done and have no document. Code of version 7 would take them for steps in the middle of
 * their first attempts.
 */
export const doneSchema = 8

export const jobSchema = z.object({
  ...envelope,
  type: z.literal('sas.job'),
  priority: z.number(),
  replyTo: z.string().nullable(),
  notifySeq: z.number().int(),
  stepIds: z.array(z.string()),
  steps: z.record(z.string(), ledgerEntry),
  onExhausted: exhaustionPolicy,
  /** The largest number of generations with `compensateThenRetry` (F-K10). */
  maxGenerations: z.number().int(),
  /** Set when the job begins to undo its steps. Null before. */
  compensation: compensation.nullable(),
  /** The time within which the job must be done after a scheduler first took it. Null means no limit. */
  completeWithinMs: z.number().nullable(),
  /** The end of that time, in milliseconds since the epoch. The scheduler sets it by its own clock (R18). */
  endByMs: z.number().nullable(),
  /** The time for which the job is kept after it ended as Processed or Compensated. Null means no limit. */
  retainForMs: z.number().nullable(),
  audit: z.array(auditEntry),
  /** The time of the newest decision of an operator, in milliseconds since the epoch. Absent without one. */
  operatedAtMs: z.number().optional(),
  input: json,
  /** Shows whether a later submission with the same id repeats this submission or differs from it. */
  payloadHash: z.string(),
  /** The hash of the plan if the submission is written in stages. Null if one transaction wrote all steps. */
  planHash: z.string().nullable().default(null),
  /** ISO-8601 UTC, by the submitter's clock. */
  submittedAt: z.string(),
  submittedAtMs: z.number(),
  endedAt: z.string().nullable(),
  endedAtMs: z.number().nullable(),
  /**
   * The outputs by step id of a job that has ended as Processed. A client that waits for the job then need
   * not read the steps. Missing if the outputs are large, or if the scheduler that ended the job did not
   * remember all steps.
   */
  outputs: z.record(z.string(), json).optional(),
  ...optionalJobParts,
})

export const stepSchema = z.object({
  ...envelope,
  type: z.literal('sas.step'),
  stepId: z.string(),
  /**
   * The kind of the step. An agent runs an `operation`. The scheduler ends the other kinds: `sleep` when its
   * time has come, `waitFor` when its event was raised, and `gather` as soon as it begins.
   */
  kind: z.enum(['operation', 'sleep', 'waitFor', 'gather']),
  /** The condition under which the step runs. It is checked when its values are known. Null means always. */
  when: json,
  /** The event of a `waitFor` step, possibly raised before the step began. Null if there is none. */
  event: event.nullable(),
  /** What a `waitFor` step with `count` collects. Missing if the step waits for one event. */
  collect: collected.optional(),
  /** The question of the step. A `waitFor` step without a question waits for an event. */
  question: question.optional(),
  /** The limits of the step. Missing if it has none. */
  limits: z.array(limit).optional(),
  /** The step's place at the gates of its limits. Missing before the step has come to a gate. */
  place: place.optional(),
  /** How the step repeats. Missing if it runs once. */
  repeat: repeat.optional(),
  /** The round of a repeated step that has begun. */
  round: round.optional(),
  /** The open question. Null or missing if the step waits for no answer. */
  asked: asked.nullable().optional(),
  /** The direction `undo` means that attempts run the step's `undo` instead of its operation. */
  direction: z.enum(['do', 'undo']),
  /** The priority of the job. A step with a larger priority gets a slot first. */
  priority: z.number().default(0),
  actor: z.string(),
  action: z.string(),
  dependsOn: z.array(z.string()),
  /** The step's input with references, which are resolved when the step is dispatched. */
  inputTemplate: json,
  /** The resolved input. Null until the step is dispatched. */
  input: json,
  undo: undo.nullable(),
  onExhausted: exhaustionPolicy,
  /**
   * Whether the job goes on without the step if the step is given up (`onExhausted: 'continue'`). Only
   * schedulers read it. Missing means false.
   */
  jobGoesOn: z.boolean().optional(),
  completeWithinMs: z.number(),
  retryBackoff: z.object({ minMs: z.number(), maxMs: z.number() }),
  /** The earliest next dispatch, in milliseconds since the epoch. The supervisor clears it at this time. */
  notBeforeMs: z.number().nullable(),
  /**
   * The number of times that the scheduler has written the step. Only the scheduler increases it, in the step
   * and in the ledger in one batch, so a step is never ahead of its ledger.
   */
  dispatch: z.number().int(),
  /** `failureCount + 1` while an attempt is under way. */
  attempt: z.number().int(),
  /**
   * The key that all attempts of one generation and direction share. It lets services recognise repeated
   * calls.
   */
  idempotencyKey: z.string(),
  /** Whether a process must claim an attempt before it makes the attempt. */
  isClaimRequired: z.boolean().default(false),
  /** The newest claim of this generation. No other process starts the attempt that has the claim's fence. */
  claim: claim.nullable().default(null),
  /**
   * The number of dispatches in a row that no agent could begin: their deadline had already passed when they were written,
   * because clocks disagree, or no agents came to them. The supervisor counts them.
   */
  lateDispatches: z.number().int().default(0),
  /**
   * The fence of an attempt that several processes may be making. None of them gives it back when it stops. Missing if
   * there was no such attempt.
   */
  joinedFence: z.number().int().optional(),
  /**
   * The fence of an attempt that a process left when it stopped, while another process may be making it. If the attempt has
   * no outcome in time, it counts no failure. Missing if there was no such attempt.
   */
  leftFence: z.number().int().optional(),
  /**
   * The time until which handlers of attempts that were given back may still run, in milliseconds since the epoch. An undo
   * waits for it (F-K2). Missing if no attempt was given back after its handler was called.
   */
  mayRunUntilMs: z.number().optional(),
  /** How many stops in a row took or left the same attempt of the step. Missing if there were none. */
  returned: returned.optional(),
  /** How far the present attempt is. Null or missing if its handler has not said so. */
  progress: progress.nullable().optional(),
  outcome: outcome.nullable(),
  /**
   * The deadline of a step that waits while its job is paused. The scheduler writes it in place of
   * `completeBy`, and moves the deadline when the job is resumed. Missing if the job is not paused.
   */
  held: held.optional(),
  output: json,
  ...secretHolder,
  ...ticketHolder,
  ...migratable,
  ...effectHistory,
  ...keyHolder,
})

export const documentSchemas = {
  'sas.job': jobSchema,
  'sas.step': stepSchema,
  'sas.notify': noticeSchema,
  'sas.schedule': scheduleSchema,
  'sas.scheduledJob': scheduledJobSchema,
  'sas.gate': gateSchema,
  'sas.waiter': gateWaiterSchema,
  'sas.limitDecisions': limitDecisionsSchema,
  'sas.pauses': pausesSchema,
  'sas.fleetDecisions': fleetDecisionsSchema,
}

export type NoticeDocument = z.infer<typeof noticeSchema>

export type JobDocument = z.infer<typeof jobSchema>

export type StepDocument = z.infer<typeof stepSchema>

export type LedgerEntry = z.infer<typeof ledgerEntry>

export type ExhaustionPolicy = z.infer<typeof exhaustionPolicy>
