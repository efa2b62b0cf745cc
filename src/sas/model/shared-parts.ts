import { z } from 'zod'
import type { Attention, AuditEntry, Diagnostic, NoticeKind, ProcessState } from './readable-parts.js'
import { inputEdit } from './step-parts.js'

export const processStates = [
  'Pending',
  'Processing',
  'Processed',
  'Error',
  'Compensating',
  'Compensated',
] as const satisfies readonly ProcessState[]

export const attentionKinds = [
  'error',
  'corrupt',
  'compensationFailed',
  'parked',
  'extendedWait',
  'unclaimed',
  'unanswered',
  'escalated',
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

/** The events of a job that notices report. */
export const noticeKinds = [
  'received',
  'started',
  'attention',
  'finished',
] as const satisfies readonly NoticeKind[]

/** The fields that jobs and steps share. Their names are those of the pattern. */
export const envelope = {
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
  /** The instance that works on the job or step. Null if any instance may take it. */
  lockedBy: z.string().nullable(),
  /** A number that grows with every claim, dispatch and recovery. A write with an older number is refused. */
  fence: z.number().int(),
  /** The deadline, ISO-8601 UTC, or null. Work that is not done at this time counts as failed. */
  completeBy: z.string().nullable(),
  /** The same deadline in milliseconds since the epoch, for range queries. */
  completeByMs: z.number().nullable(),
  failureCount: z.number().int(),
  maxFailures: z.number().int(),
  /**
   * For a job: a number that grows each time the job begins again. For a step: the number in its current
   * idempotency key. Each step counts its own generations.
   */
  generation: z.number().int(),
  diagnostics: z.array(diagnostic),
  attention: attention.nullable(),
  ttl: z.number().int(),
}

/** The policy for a step that failed permanently or has no attempts left. */
export const exhaustionPolicy = z.union([
  z.enum(['error', 'compensate', 'compensateThenRetry', 'park']),
  /** Wait for this time and try again, as often as necessary. */
  z.object({ extendedWaitMs: z.number() }),
])

export const auditEntry = z.object({
  command: z.enum(['resubmit', 'release', 'cancel', 'pause', 'resume', 'restart', 'migrate']),
  stepId: z.string().nullable(),
  at: z.string(),
  by: z.string(),
  why: z.string(),
  edit: inputEdit.optional(),
  as: z.string().optional(),
}) satisfies z.ZodType<AuditEntry>

/** The field of jobs and steps some of whose values people must not see. */
export const secretHolder = {
  /**
   * The paths of the secret values: those of a job begin with `input` or `result`, and those of a step with
   * `input`, `output` or `undo`. `*` stands for every name. The submission writes them, and only readers that
   * show values to people use them. Missing if there is no secret.
   */
  secrets: z.array(z.array(z.string())).optional(),
}

/** The field of jobs and steps some of whose values are in the payload store. */
export const ticketHolder = {
  /**
   * Whether a value of this document contains tickets in place of large parts. Written together with the
   * first ticket, and with a schema that older instances leave alone. Missing means false.
   */
  hasTickets: z.boolean().optional(),
}
