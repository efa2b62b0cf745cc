import type { z } from 'zod'
import { isStoredJob } from './checks/stored-job.js'
import { isStoredStep } from './checks/stored-step.js'
import {
  type JobDocument,
  type NoticeDocument,
  type ProcessState,
  type StepDocument,
  jobSchema,
  schemaVersion,
  stepSchema,
} from './documents.js'
import { type GateDocument, type GateWaiterDocument, gateSchema, gateWaiterSchema } from './gate-documents.js'
import { noticeSchema } from './notice-document.js'
import {
  type FleetDecisionsDocument,
  type PausesDocument,
  fleetDecisionsSchema,
  pausesSchema,
} from './operator-documents.js'
import {
  type ScheduleDocument,
  type ScheduledJobDocument,
  scheduleSchema,
  scheduledJobSchema,
} from './schedule-documents.js'
import { type StateFields, deriveProcessState } from './process-state.js'

/** The result of reading a document of the state container. */
export type Decoded =
  | { readonly kind: 'job'; readonly job: JobDocument }
  | { readonly kind: 'step'; readonly step: StepDocument }
  | { readonly kind: 'notice'; readonly notice: NoticeDocument }
  | { readonly kind: 'schedule'; readonly schedule: ScheduleDocument }
  | { readonly kind: 'scheduledJob'; readonly scheduledJob: ScheduledJobDocument }
  | { readonly kind: 'gate'; readonly gate: GateDocument }
  | { readonly kind: 'waiter'; readonly waiter: GateWaiterDocument }
  | { readonly kind: 'pauses'; readonly pauses: PausesDocument }
  | { readonly kind: 'fleetDecisions'; readonly decisions: FleetDecisionsDocument }
  /** A document of the user, which is never changed. */
  | { readonly kind: 'foreign' }
  /** A document that a newer version of our code wrote. It is left for an instance of that version. */
  | { readonly kind: 'newerSchema'; readonly schema: number }
  /** A document with one of our types that cannot be read, because a person edited it or a bug wrote it. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** Created only once, because a schema's first use costs more than reading a hundred documents. */
const readers = {
  job: jobSchema.loose(),
  step: stepSchema.loose(),
  notice: noticeSchema.loose(),
  schedule: scheduleSchema.loose(),
  scheduledJob: scheduledJobSchema.loose(),
  gate: gateSchema.loose(),
  waiter: gateWaiterSchema.loose(),
  pauses: pausesSchema.loose(),
  fleetDecisions: fleetDecisionsSchema.loose(),
}

/** Reads a document of the state container. Its unknown fields are kept when it is written back. */
export function decodeDocument(document: Readonly<Record<string, unknown>>): Decoded {
  const { type, schema } = document
  if (typeof type !== 'string' || !type.startsWith('sas.')) return { kind: 'foreign' }
  if (typeof schema === 'number' && schema > schemaVersion) return { kind: 'newerSchema', schema }
  if (type === 'sas.job') {
    // Nearly every document was written by this code, so it passes this check and need not be parsed.
    if (isStoredJob(document)) return checked({ kind: 'job', job: document }, document)
    const read = readers.job.safeParse(document)
    return read.success ? checked({ kind: 'job', job: read.data }, read.data) : invalid(read.error)
  }
  if (type === 'sas.step') {
    if (isStoredStep(document)) return checked({ kind: 'step', step: document }, document)
    const read = readers.step.safeParse(document)
    return read.success ? checked({ kind: 'step', step: read.data }, read.data) : invalid(read.error)
  }
  if (type === 'sas.notify') {
    const read = readers.notice.safeParse(document)
    return read.success ? { kind: 'notice', notice: read.data } : invalid(read.error)
  }
  if (type === 'sas.schedule') {
    const read = readers.schedule.safeParse(document)
    return read.success ? { kind: 'schedule', schedule: read.data } : invalid(read.error)
  }
  if (type === 'sas.scheduledJob') {
    const read = readers.scheduledJob.safeParse(document)
    return read.success ? { kind: 'scheduledJob', scheduledJob: read.data } : invalid(read.error)
  }
  if (type === 'sas.gate') {
    const read = readers.gate.safeParse(document)
    return read.success ? { kind: 'gate', gate: read.data } : invalid(read.error)
  }
  if (type === 'sas.waiter') {
    const read = readers.waiter.safeParse(document)
    return read.success ? { kind: 'waiter', waiter: read.data } : invalid(read.error)
  }
  if (type === 'sas.pauses') {
    const read = readers.pauses.safeParse(document)
    return read.success ? { kind: 'pauses', pauses: read.data } : invalid(read.error)
  }
  if (type === 'sas.fleetDecisions') {
    const read = readers.fleetDecisions.safeParse(document)
    return read.success ? { kind: 'fleetDecisions', decisions: read.data } : invalid(read.error)
  }
  return { kind: 'foreign' }
}

function invalid(error: z.ZodError): Decoded {
  const first = error.issues.slice(0, 1).map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { kind: 'invalid', reason: first.join() }
}

/** Refuses a document whose `processState` contradicts its other fields. Our code never writes one (I20). */
function checked(decoded: Decoded, fields: StateFields & { readonly processState: ProcessState }): Decoded {
  const derived = deriveProcessState(fields)
  if (derived === fields.processState) return decoded
  const reason = `processState is ${fields.processState}, but its other fields imply ${derived}`
  return { kind: 'invalid', reason }
}
