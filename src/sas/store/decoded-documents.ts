import { decodeDocument } from '../model/decode.js'
import type { JobDocument, NoticeDocument, StepDocument } from '../model/documents.js'
import type { GateDocument } from '../model/gate-documents.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import type { StateDocument, Stored } from './state-store.js'

/** Returns a list with the job, or an empty list if the document is not a readable job. */
export function asJob(document: Stored<StateDocument>): Stored<JobDocument>[] {
  const decoded = decodeDocument(document)
  return decoded.kind === 'job' ? [{ ...decoded.job, _etag: document._etag, _ts: document._ts }] : []
}

/** Returns a list with the step, or an empty list if the document is not a readable step. */
export function asStep(document: Stored<StateDocument>): Stored<StepDocument>[] {
  const decoded = decodeDocument(document)
  return decoded.kind === 'step' ? [{ ...decoded.step, _etag: document._etag, _ts: document._ts }] : []
}

/** Returns a list with the notice, or an empty list if the document is not a readable notice. */
export function asNotice(document: Stored<StateDocument>): Stored<NoticeDocument>[] {
  const decoded = decodeDocument(document)
  return decoded.kind === 'notice' ? [{ ...decoded.notice, _etag: document._etag, _ts: document._ts }] : []
}

/** Returns a list with the schedule, or an empty list if the document is not a readable schedule. */
export function asSchedule(document: Stored<StateDocument>): Stored<ScheduleDocument>[] {
  const decoded = decodeDocument(document)
  if (decoded.kind !== 'schedule') return []
  return [{ ...decoded.schedule, _etag: document._etag, _ts: document._ts }]
}

/** Returns a list with the gate, or an empty list if the document is not a readable gate. */
export function asGate(document: Stored<StateDocument>): Stored<GateDocument>[] {
  const decoded = decodeDocument(document)
  if (decoded.kind !== 'gate') return []
  return [{ ...decoded.gate, _etag: document._etag, _ts: document._ts }]
}
