import { z } from 'zod'

/** The version of the documents' shape that this code writes. A document with a larger one is left alone. */
export const schemaVersion = 1

/** The state of a job or a step in the pattern's words; always derived ({@link deriveProcessState}), never decided. */
export type ProcessState = 'Pending' | 'Processing' | 'Processed' | 'Error'

/** JSON as it is stored. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
)

const processState = z.enum(['Pending', 'Processing', 'Processed', 'Error'])

/** Why a person should look. Stored state, not an event: while it stands, an alert can be derived from it. */
const attention = z.object({
  kind: z.enum(['error', 'corrupt']),
  /** ISO-8601 UTC. */
  since: z.string(),
  /** The instance that raised it. */
  by: z.string(),
  message: z.string(),
  stepId: z.string().nullable(),
})

const diagnostic = z.object({ at: z.string(), by: z.string(), attempt: z.number(), message: z.string() })

/** How an attempt ended: done, failed for now (counted when the deadline passes), or failed for good. */
const outcome = z.object({
  kind: z.enum(['success', 'failed', 'permanent']),
  attempt: z.number(),
  at: z.string(),
  by: z.string(),
})

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
  processState,
  /** The instance that drives it, or null when it is up for anybody. */
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
  generation: z.number().int(),
  diagnostics: z.array(diagnostic),
  attention: attention.nullable(),
  ttl: z.number().int(),
}

/** A step's entry in its job's ledger: what the scheduler has accepted, and how often it has dispatched the step. */
const ledgerEntry = z.object({
  state: z.enum(['NotStarted', 'Processing', 'Processed', 'Error']),
  dispatch: z.number().int(),
})

const jobSchema = z.object({
  ...envelope,
  type: z.literal('sas.job'),
  priority: z.number(),
  replyTo: z.string().nullable(),
  notifySeq: z.number().int(),
  stepIds: z.array(z.string()),
  steps: z.record(z.string(), ledgerEntry),
  onExhausted: z.enum(['error']),
  input: json,
  /** Tells a repeated submission from a different one under the same id. */
  payloadHash: z.string(),
  /** ISO-8601 UTC, by the submitter's clock. */
  submittedAt: z.string(),
  submittedAtMs: z.number(),
  endedAt: z.string().nullable(),
  endedAtMs: z.number().nullable(),
})

const stepSchema = z.object({
  ...envelope,
  type: z.literal('sas.step'),
  stepId: z.string(),
  actor: z.string(),
  action: z.string(),
  dependsOn: z.array(z.string()),
  /** The step's input with references; `plan.ts` resolves it when the step is dispatched. */
  inputTemplate: json,
  /** The resolved input; null until the step is dispatched. */
  input: json,
  completeWithinMs: z.number(),
  retryBackoff: z.object({ minMs: z.number(), maxMs: z.number() }),
  /** Raised only by the scheduler, on step and ledger in the same batch: a step is never ahead of its ledger. */
  dispatch: z.number().int(),
  /** `failureCount + 1` while an attempt is under way. */
  attempt: z.number().int(),
  /** The same for every attempt of one generation, so that a remote service can recognise a repetition. */
  idempotencyKey: z.string(),
  outcome: outcome.nullable(),
  output: json,
})

/** A job as stored. */
export type JobDocument = z.infer<typeof jobSchema>
/** A step as stored. */
export type StepDocument = z.infer<typeof stepSchema>
/** A step's entry in the ledger. */
export type LedgerEntry = z.infer<typeof ledgerEntry>
/** Why a person should look. */
export type Attention = z.infer<typeof attention>
/** What an agent reported about an attempt that did not succeed. */
export type Diagnostic = z.infer<typeof diagnostic>

/** What a document of the state container is to us. */
export type Decoded =
  | { readonly kind: 'job'; readonly job: JobDocument }
  | { readonly kind: 'step'; readonly step: StepDocument }
  /** The user's own document: never touched. */
  | { readonly kind: 'foreign' }
  /** Ours, but written by newer code: left for an instance that knows it. */
  | { readonly kind: 'newerSchema'; readonly schema: number }
  /** Ours by its type, and not readable: somebody edited it, or a bug wrote it. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** Reads a document of the state container. Unknown fields are kept by whoever writes the document back. */
export function decodeDocument(document: Readonly<Record<string, unknown>>): Decoded {
  const { type, schema } = document
  if (typeof type !== 'string' || !type.startsWith('sas.')) return { kind: 'foreign' }
  if (typeof schema === 'number' && schema > schemaVersion) return { kind: 'newerSchema', schema }
  if (type === 'sas.job') {
    const read = jobSchema.loose().safeParse(document)
    return read.success ? checked({ kind: 'job', job: read.data }, read.data) : invalid(read.error)
  }
  if (type === 'sas.step') {
    const read = stepSchema.loose().safeParse(document)
    return read.success ? checked({ kind: 'step', step: read.data }, read.data) : invalid(read.error)
  }
  return { kind: 'foreign' }
}

function invalid(error: z.ZodError): Decoded {
  const first = error.issues.slice(0, 1).map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { kind: 'invalid', reason: first.join() }
}

/** A document whose `processState` contradicts its other fields was not written by us (I20). */
function checked(decoded: Decoded, fields: StateFields & { readonly processState: ProcessState }): Decoded {
  const derived = deriveProcessState(fields)
  if (derived === fields.processState) return decoded
  return {
    kind: 'invalid',
    reason: `processState is ${fields.processState}, its other fields say ${derived}`,
  }
}

type StateFields = Pick<
  JobDocument,
  'initialState' | 'targetState' | 'currentState' | 'desiredState' | 'lockedBy' | 'attention'
>

/**
 * The pattern's word for a document's stored fields (requirements §18):
 * consistent at the target → Processed; flagged for a person → Error; held by somebody → Processing; else Pending.
 */
export function deriveProcessState(fields: StateFields): ProcessState {
  if (fields.currentState === fields.desiredState && fields.currentState === fields.targetState)
    return 'Processed'
  if (fields.attention !== null) return 'Error'
  if (fields.desiredState !== fields.currentState && fields.lockedBy !== null) return 'Processing'
  return 'Pending'
}

/** The document with `processState` set to what its other fields say: the only way a state is ever written (I20). */
export function withDerivedState<T extends StateFields>(document: T): T & { processState: ProcessState } {
  return { ...document, processState: deriveProcessState(document) }
}

/** `completeBy` in both its forms. */
export function deadline(atMs: number | null): Pick<JobDocument, 'completeBy' | 'completeByMs'> {
  return { completeBy: atMs === null ? null : new Date(atMs).toISOString(), completeByMs: atMs }
}

/** Whether a job has ended: only an operator's request changes it any more (I7). */
export function isTerminal(job: Pick<JobDocument, 'processState'>): boolean {
  return job.processState === 'Processed' || job.processState === 'Error'
}

/** The most entries of diagnostics kept on a document, and the most characters of any message. */
const maxDiagnostics = 10
const maxMessageLength = 2_000

/** What is kept of a message: a handler's may be of any length, a document not (I16). */
export function boundedMessage(message: string): string {
  return message.slice(0, maxMessageLength)
}

/** The newest diagnostics, bounded. */
export function withDiagnostic(diagnostics: readonly Diagnostic[], added: Diagnostic): Diagnostic[] {
  return [...diagnostics, { ...added, message: boundedMessage(added.message) }].slice(-maxDiagnostics)
}

/** Characters that Cosmos DB or its clients do not take in an id, and our own escape character. */
const unsafeInId = /[/\\?#~%\p{Cc}]/gu

function safeId(text: string): string {
  return text.replace(unsafeInId, (character) => `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** The document id of a job. */
export function jobDocumentId(jobId: string): string {
  return `sas.job:${safeId(jobId)}`
}

/** The document id of a step. */
export function stepDocumentId(jobId: string, stepId: string): string {
  return `sas.step:${safeId(jobId)}:${stepId}`
}
