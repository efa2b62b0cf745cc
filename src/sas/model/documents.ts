import { z } from 'zod'
import { json } from './plain-json.js'
import type { Attention, AuditEntry, Compensation, Diagnostic, ProcessState } from './readable-parts.js'
import { claim, effectHistory, outcome, undo } from './step-parts.js'

export type { Json } from './json.js'
export type { Attention, AuditEntry, Compensation, Diagnostic, ProcessState } from './readable-parts.js'

/**
 * The version of the document schema that this code writes. A document with a larger version is left alone.
 */
export const schemaVersion = 1

/** Every state of a job or a step, with the names that the pattern uses. */
export const processStates = [
  'Pending',
  'Processing',
  'Processed',
  'Error',
  'Compensating',
  'Compensated',
] as const satisfies readonly ProcessState[]

/** The kinds of reasons why an operator should look at a job or a step. */
export const attentionKinds = [
  'error',
  'corrupt',
  'compensationFailed',
  'parked',
  'extendedWait',
  'unclaimed',
] as const satisfies readonly Attention['kind'][]

const attention = z.object({
  kind: z.enum(attentionKinds),
  since: z.string(),
  by: z.string(),
  message: z.string(),
  stepId: z.string().nullable(),
}) satisfies z.ZodType<Attention>

const diagnostic = z.object({
  at: z.string(),
  by: z.string(),
  attempt: z.number(),
  message: z.string(),
}) satisfies z.ZodType<Diagnostic>

/**
 * The fields that jobs and steps share. They are the pattern's fields, and both documents use the same names.
 */
const envelope = {
  id: z.string(),
  pk: z.string(),
  schema: z.number().int(),
  jobId: z.string(),
  orderId: z.string(),
  workflow: z.string(),
  workflowVersion: z.number().int(),
  initialState: z.string(),
  targetState: z.string(),
  currentState: z.string(),
  desiredState: z.string(),
  processState: z.enum(processStates),
  /** The instance that works on the job or step; null if any instance may take it. */
  lockedBy: z.string().nullable(),
  /** A number that grows with every claim, dispatch and recovery. A write with an older number is refused. */
  fence: z.number().int(),
  /**
   * The deadline, ISO-8601 UTC. Work that is not done by then counts as failed. Null if there is no deadline.
   */
  completeBy: z.string().nullable(),
  /** The same deadline in milliseconds since the epoch, for range queries. */
  completeByMs: z.number().nullable(),
  /** The number of attempts that ended without success. */
  failureCount: z.number().int(),
  maxFailures: z.number().int(),
  /**
   * For a job, this number grows each time the job begins again. For a step, it is the number in the step's
   * current key. Each step counts its own generations.
   */
  generation: z.number().int(),
  diagnostics: z.array(diagnostic),
  attention: attention.nullable(),
  ttl: z.number().int(),
}

/**
 * The entry of a step in the ledger of its job: the state that the scheduler has accepted, and the number of
 * times that the scheduler has written the step.
 */
const ledgerEntry = z.object({
  state: z.enum([
    'NotStarted',
    'Processing',
    'Processed',
    'Skipped',
    'Error',
    'Compensating',
    'Compensated',
    'CompensationFailed',
  ]),
  dispatch: z.number().int(),
})

/** What happens when a step has failed for good, or its attempts are used up. */
const exhaustionPolicy = z.union([
  z.enum(['error', 'compensate', 'compensateThenRetry', 'park']),
  /** Wait for that time and try again, as often as necessary. */
  z.object({ extendedWaitMs: z.number() }),
])

const compensation = z.object({
  since: z.string(),
  by: z.string(),
  reason: z.string(),
  thenRetry: z.boolean(),
}) satisfies z.ZodType<Compensation>

const auditEntry = z.object({
  command: z.enum(['resubmit', 'release', 'cancel']),
  stepId: z.string().nullable(),
  at: z.string(),
  by: z.string(),
  why: z.string(),
}) satisfies z.ZodType<AuditEntry>

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
  /** Set as soon as the job begins to undo its steps; null before. */
  compensation: compensation.nullable(),
  /**
   * The longest time of the whole job, from the moment when a scheduler first takes it up; null for no limit.
   */
  completeWithinMs: z.number().nullable(),
  /** The end of that time, in milliseconds since the epoch. The scheduler sets it by its own clock (R18). */
  endByMs: z.number().nullable(),
  /** The time for which the job is kept after it ended Processed or Compensated; null for no limit. */
  retainForMs: z.number().nullable(),
  /** The newest decisions of operators. */
  audit: z.array(auditEntry),
  input: json,
  /** Shows whether a submission with the same id is a repetition or a different submission. */
  payloadHash: z.string(),
  /** The hash of the plan if the submission is written in stages; null if one transaction wrote all steps. */
  planHash: z.string().nullable().default(null),
  /** ISO-8601 UTC, by the submitter's clock. */
  submittedAt: z.string(),
  submittedAtMs: z.number(),
  endedAt: z.string().nullable(),
  endedAtMs: z.number().nullable(),
})

export const stepSchema = z.object({
  ...envelope,
  type: z.literal('sas.step'),
  stepId: z.string(),
  /**
   * An agent runs an `operation`. The scheduler ends the other kinds: `sleep` when its time has come,
   * `waitFor` when its event was raised, and `gather` as soon as it begins.
   */
  kind: z.enum(['operation', 'sleep', 'waitFor', 'gather']),
  /**
   * The condition on which the step runs, checked when the values in the condition are known; null for
   * always.
   */
  when: json,
  /**
   * The event that was raised for a `waitFor` step, possibly before the step began; null if there is none.
   */
  event: z.object({ payload: json, at: z.string() }).nullable(),
  /**
   * Whether the step is done or undone. An open attempt runs the step's own operation or its `undo`
   * accordingly.
   */
  direction: z.enum(['do', 'undo']),
  /** The priority of the job. If there is a choice, a step with a larger priority gets a slot sooner. */
  priority: z.number().default(0),
  actor: z.string(),
  action: z.string(),
  dependsOn: z.array(z.string()),
  /** The step's input with references, which are resolved when the step is dispatched. */
  inputTemplate: json,
  /** The resolved input; null until the step is dispatched. */
  input: json,
  undo: undo.nullable(),
  onExhausted: exhaustionPolicy,
  completeWithinMs: z.number(),
  retryBackoff: z.object({ minMs: z.number(), maxMs: z.number() }),
  /**
   * The earliest time of the next dispatch, in milliseconds since the epoch. The supervisor clears the field
   * when this time has come.
   */
  notBeforeMs: z.number().nullable(),
  /**
   * Only the scheduler increases this number. It does so on the step and on the ledger in the same batch, so
   * a step is never ahead of its ledger.
   */
  dispatch: z.number().int(),
  /** `failureCount + 1` while an attempt is under way. */
  attempt: z.number().int(),
  /**
   * The key is the same for every attempt of one generation and direction. So a remote service can recognise
   * a repeated call.
   */
  idempotencyKey: z.string(),
  /** Whether only the process that has claimed an attempt may make it. */
  isClaimRequired: z.boolean().default(false),
  /**
   * The newest claim of this generation. While the claim is valid, no other process begins the attempt with
   * the fence of the claim.
   */
  claim: claim.nullable().default(null),
  /**
   * The number of dispatches in a row whose deadline had already passed when they were written, because
   * clocks disagree. The supervisor counts these dispatches.
   */
  lateDispatches: z.number().int().default(0),
  outcome: outcome.nullable(),
  output: json,
  ...effectHistory,
})

/** A notice to the submitter. It is written in the transaction that it reports, and a notifier sends it. */
export const noticeSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.notify'),
  schema: z.number().int(),
  jobId: z.string(),
  orderId: z.string(),
  workflow: z.string(),
  replyTo: z.string(),
  /** The number of the notice within its job: 1, 2, 3… Notices are sent in this order. */
  seq: z.number().int(),
  kind: z.enum(['received', 'started', 'attention', 'finished']),
  /** The state of the job at the time of this notice. */
  state: z.enum(processStates),
  reason: z.string().nullable(),
  stepId: z.string().nullable(),
  /** ISO-8601 UTC. */
  at: z.string(),
  sentAt: z.string().nullable(),
  /**
   * The time at which the notice is due, in milliseconds since the epoch; null after it was sent or given up.
   */
  completeByMs: z.number().nullable().default(null),
  /** The number of failed tries to send the notice. */
  failureCount: z.number().int().default(0),
  /** The reason why the notice was given up, for an operator; null if it was not given up. */
  attention: z
    .object({ kind: z.literal('notify'), since: z.string(), by: z.string(), message: z.string() })
    .nullable()
    .default(null),
  /** The decisions to send the notice again after it was given up, oldest first. */
  resends: z.array(auditEntry.pick({ at: true, by: true, why: true })).default([]),
  /** This is -1 until the notice is sent, so a notice outlives its job if it is not sent yet (F-X9). */
  ttl: z.number().int(),
})

/** The shapes of our documents, by type. */
export const documentSchemas = { 'sas.job': jobSchema, 'sas.step': stepSchema, 'sas.notify': noticeSchema }

/** A notice as stored. */
export type NoticeDocument = z.infer<typeof noticeSchema>

/** A job as stored. */
export type JobDocument = z.infer<typeof jobSchema>

/** A step as stored. */
export type StepDocument = z.infer<typeof stepSchema>

/** A step's entry in the ledger. */
export type LedgerEntry = z.infer<typeof ledgerEntry>

/** What happens when a step has failed for good, or its attempts are used up. */
export type ExhaustionPolicy = z.infer<typeof exhaustionPolicy>
