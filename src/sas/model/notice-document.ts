import { z } from 'zod'
import { auditEntry, noticeKinds, processStates } from './shared-parts.js'

/**
 * A notice to the submitter. The transaction that makes the reported change also writes the notice. A
 * notifier sends it.
 */
export const noticeSchema = z.object({
  id: z.string(),
  pk: z.string(),
  type: z.literal('sas.notify'),
  schema: z.number().int(),
  jobId: z.string(),
  orderId: z.string(),
  workflow: z.string(),
  replyTo: z.string(),
  /** The number of the notice within its job, from 1. Notices are sent in this order. */
  seq: z.number().int(),
  kind: z.enum(noticeKinds),
  /** The state of the job at the time of this notice. */
  state: z.enum(processStates),
  reason: z.string().nullable(),
  stepId: z.string().nullable(),
  /** ISO-8601 UTC. */
  at: z.string(),
  sentAt: z.string().nullable(),
  /**
   * The due time of the notice, in milliseconds since the epoch. Null after the notice was sent or given up.
   */
  completeByMs: z.number().nullable().default(null),
  failureCount: z.number().int().default(0),
  /** The reason, for an operator, why the notice was given up. Null if it was not given up. */
  attention: z
    .object({ kind: z.literal('notify'), since: z.string(), by: z.string(), message: z.string() })
    .nullable()
    .default(null),
  /** The decisions of operators to send the notice again after it was given up, oldest first. */
  resends: z.array(auditEntry.pick({ at: true, by: true, why: true })).default([]),
  /** The time of the newest decision of an operator, in milliseconds since the epoch. Absent without one. */
  operatedAtMs: z.number().optional(),
  /** The value is -1 until the notice is sent, so that a notice may outlive its job (F-X9). */
  ttl: z.number().int(),
})
