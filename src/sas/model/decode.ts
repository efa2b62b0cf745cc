import type { z } from 'zod'
import {
  type JobDocument,
  type NoticeDocument,
  type ProcessState,
  type StepDocument,
  jobSchema,
  noticeSchema,
  schemaVersion,
  stepSchema,
} from './documents.js'
import { type StateFields, deriveProcessState } from './process-state.js'

/** What a document of the state container is to us. */
export type Decoded =
  | { readonly kind: 'job'; readonly job: JobDocument }
  | { readonly kind: 'step'; readonly step: StepDocument }
  | { readonly kind: 'notice'; readonly notice: NoticeDocument }
  /** The user's own document: never touched. */
  | { readonly kind: 'foreign' }
  /** Ours, but written by newer code: left for an instance that knows it. */
  | { readonly kind: 'newerSchema'; readonly schema: number }
  /** Ours by its type, but unreadable: a person edited it, or a bug wrote it. */
  | { readonly kind: 'invalid'; readonly reason: string }

/**
 * Made once: a schema is compiled at its first use, which costs more than a hundred documents read with it.
 */
const readers = { job: jobSchema.loose(), step: stepSchema.loose(), notice: noticeSchema.loose() }

/** Reads a document of the state container. Unknown fields are kept when the document is written back. */
export function decodeDocument(document: Readonly<Record<string, unknown>>): Decoded {
  const { type, schema } = document
  if (typeof type !== 'string' || !type.startsWith('sas.')) return { kind: 'foreign' }
  if (typeof schema === 'number' && schema > schemaVersion) return { kind: 'newerSchema', schema }
  if (type === 'sas.job') {
    const read = readers.job.safeParse(document)
    return read.success ? checked({ kind: 'job', job: read.data }, read.data) : invalid(read.error)
  }
  if (type === 'sas.step') {
    const read = readers.step.safeParse(document)
    return read.success ? checked({ kind: 'step', step: read.data }, read.data) : invalid(read.error)
  }
  if (type === 'sas.notify') {
    const read = readers.notice.safeParse(document)
    return read.success ? { kind: 'notice', notice: read.data } : invalid(read.error)
  }
  return { kind: 'foreign' }
}

function invalid(error: z.ZodError): Decoded {
  const first = error.issues.slice(0, 1).map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { kind: 'invalid', reason: first.join() }
}

/** A `processState` that contradicts the other fields was not written by us (I20). */
function checked(decoded: Decoded, fields: StateFields & { readonly processState: ProcessState }): Decoded {
  const derived = deriveProcessState(fields)
  if (derived === fields.processState) return decoded
  const reason = `processState is ${fields.processState}, its other fields say ${derived}`
  return { kind: 'invalid', reason }
}
