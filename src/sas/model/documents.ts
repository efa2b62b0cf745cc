import { z } from 'zod'
import { json } from './plain-json.js'
import type { Attention, AuditEntry, Compensation, Diagnostic, ProcessState } from './readable-parts.js'
import { claim, effectHistory, outcome, undo } from './step-parts.js'

export type { Json } from './json.js'
export type { Attention, AuditEntry, Compensation, Diagnostic, ProcessState } from './readable-parts.js'

/** The version of the documents' shape that this code writes. A document with a larger one is left alone. */
export const schemaVersion = 1

/** Every state of a job or a step, in the pattern's words. */
export const processStates = [
  'Pending',
  'Processing',
  'Processed',
  'Error',
  'Compensating',
  'Compensated',
] as const satisfies readonly ProcessState[]

/** What may be the matter with a job or a step. */
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

/** What jobs and steps have in common: the pattern's fields in both vocabularies. */
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
  /** The instance that drives it, or null when any instance may take it. */
  lockedBy: z.string().nullable(),
  /** Grows with every claim, dispatch and recovery; a write that carries an older one is refused. */
  fence: z.number().int(),
  /** ISO-8601 UTC: done by then, or treated as failed. Null while there is nothing to wait for. */
  completeBy: z.string().nullable(),
  /** The same instant in milliseconds, for range queries. */
  completeByMs: z.number().nullable(),
  /** Attempts that ended without success. */
  failureCount: z.number().int(),
  maxFailures: z.number().int(),
  /**
   * For a job: how often it began again. For a step: the number in its current key, which each step counts
   * itself.
   */
  generation: z.number().int(),
  diagnostics: z.array(diagnostic),
  attention: attention.nullable(),
  ttl: z.number().int(),
}

/**
 * A step's entry in its job's ledger: what the scheduler has accepted, and how often it has written the step.
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
  /** Wait that long, then try again, as often as it takes. */
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
  /** Generations, at most, of `compensateThenRetry` (F-K10). */
  maxGenerations: z.number().int(),
  /** Set from the moment on at which the job goes backwards. */
  compensation: compensation.nullable(),
  /** How long the whole job may take from when it is first taken up; null for as long as it takes. */
  completeWithinMs: z.number().nullable(),
  /** When that is over: set by the scheduler, whose clock counts (R18); milliseconds since the epoch. */
  endByMs: z.number().nullable(),
  /** How long the job is kept after it ended Processed or Compensated; null for no limit. */
  retainForMs: z.number().nullable(),
  /** The newest decisions of operators. */
  audit: z.array(auditEntry),
  input: json,
  /** Tells a repeated submission from a different one under the same id. */
  payloadHash: z.string(),
  /**
   * Of the plan whose steps a submission in stages writes one after another; null where they came at once.
   */
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
   * Run by an agent, or ended by the scheduler: when its time has come, its event was raised, it begins
   * (`gather`).
   */
  kind: z.enum(['operation', 'sleep', 'waitFor', 'gather']),
  /** Whether the step is done at all, once what it refers to is known; null for always. */
  when: json,
  /** What was raised for a step that waits for it, even before the step began. */
  event: z.object({ payload: json, at: z.string() }).nullable(),
  /** Whether it is being done or undone: which of the two operations below an open attempt is to run. */
  direction: z.enum(['do', 'undo']),
  /** The job's: the larger, the sooner it gets a slot where there is a choice. */
  priority: z.number().default(0),
  actor: z.string(),
  action: z.string(),
  dependsOn: z.array(z.string()),
  /** The step's input with references; `plan.ts` resolves it when the step is dispatched. */
  inputTemplate: json,
  /** The resolved input; null until the step is dispatched. */
  input: json,
  undo: undo.nullable(),
  onExhausted: exhaustionPolicy,
  completeWithinMs: z.number(),
  retryBackoff: z.object({ minMs: z.number(), maxMs: z.number() }),
  /** Not dispatched before; milliseconds since the epoch. The supervisor clears it when that has come. */
  notBeforeMs: z.number().nullable(),
  /**
   * Raised only by the scheduler, on step and ledger in the same batch: a step is never ahead of its ledger.
   */
  dispatch: z.number().int(),
  /** `failureCount + 1` while an attempt is under way. */
  attempt: z.number().int(),
  /**
   * The same for every attempt of one generation and direction, so that a remote service can recognise a
   * repetition.
   */
  idempotencyKey: z.string(),
  /** Whether an attempt may only be made by the one process that has claimed it. */
  isClaimRequired: z.boolean().default(false),
  /**
   * The newest claim of this generation. While it stands, no other process begins the attempt with its fence.
   */
  claim: claim.nullable().default(null),
  /**
   * How many dispatches in a row were already over when they were written (clocks disagree). The supervisor
   * counts them.
   */
  lateDispatches: z.number().int().default(0),
  outcome: outcome.nullable(),
  output: json,
  ...effectHistory,
})

/** A notice to the submitter, written in the transaction that it reports and sent by a notifier. */
export const noticeSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.notify'),
  schema: z.number().int(),
  jobId: z.string(),
  orderId: z.string(),
  workflow: z.string(),
  replyTo: z.string(),
  /** 1, 2, 3… within its job: the order in which notices are sent. */
  seq: z.number().int(),
  kind: z.enum(['received', 'started', 'attention', 'finished']),
  /** The job's, as of this notice. */
  state: z.enum(processStates),
  reason: z.string().nullable(),
  stepId: z.string().nullable(),
  /** ISO-8601 UTC. */
  at: z.string(),
  sentAt: z.string().nullable(),
  /** When it is to be sent, milliseconds since the epoch; null once it was sent, or given up. */
  completeByMs: z.number().nullable().default(null),
  /** Tries at sending it that failed. */
  failureCount: z.number().int().default(0),
  /** Why it was given up; an operator looks. */
  attention: z
    .object({ kind: z.literal('notify'), since: z.string(), by: z.string(), message: z.string() })
    .nullable()
    .default(null),
  /** The decisions to send it again after it was given up, oldest first. */
  resends: z.array(auditEntry.pick({ at: true, by: true, why: true })).default([]),
  /** -1 until it is sent: a notice outlives its job rather than staying untold (F-X9). */
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
