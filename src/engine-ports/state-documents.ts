import {
  schemaVersion,
  type JobDocument,
  type NoticeDocument,
  type StepDocument,
} from '../sas/model/documents.js'
import { decodeDocument } from '../sas/model/decode.js'
import { StoreRefused } from '../sas/model/errors.js'
import type { ApplyResult, StateDocument, StateWrite, Stored } from '../sas/store/state-store.js'
import type { JobFilter } from '../sas/store/job-filter.js'
import {
  type Refusal,
  type DocumentVersion,
  type ItemOperation,
  type JsonObject,
} from '../emulator/engine/index.js'

/** When a step or job is due, or a job must have been taken up; never for anything else. */
export function dueAt(
  { type, schema, completeByMs, processState, submittedAtMs }: Readonly<JsonObject>,
  pickUpWithinMs: number,
): number {
  if ((type !== 'sas.step' && type !== 'sas.job') || Number(schema) > schemaVersion) return Infinity
  if (typeof completeByMs === 'number') return completeByMs
  const isUntaken = type === 'sas.job' && processState === 'Pending' && completeByMs === null
  return isUntaken ? Number(submittedAtMs) + pickUpWithinMs : Infinity
}

/** The engine keeps the document's text, never the document itself: what the caller does with it later stays its own. */
export function toOperation(write: StateWrite): ItemOperation {
  const document = write.document as JsonObject
  if (write.kind === 'create') return { kind: 'create', document }
  return { kind: 'replace', id: write.document.id, document, ifMatch: write.ifMatch }
}

export function refused(refusal: Refusal, id: string): ApplyResult {
  switch (refusal.status) {
    case 404:
      return { kind: 'conflict', id, reason: 'missing' }
    case 409:
      return { kind: 'conflict', id, reason: 'exists' }
    case 412:
      return { kind: 'conflict', id, reason: 'changed' }
    default:
      throw new StoreRefused(`the store answered ${refusal.status} to the write of ${JSON.stringify(id)}`, {
        cause: refusal,
      })
  }
}

export function stored(version: DocumentVersion): Stored<StateDocument> {
  return version.copy() as Stored<StateDocument>
}

export function asJob(version: DocumentVersion): Stored<JobDocument>[] {
  const document = stored(version)
  const decoded = decodeDocument(document)
  return decoded.kind === 'job' ? [{ ...decoded.job, _etag: document._etag, _ts: document._ts }] : []
}

export function asStep(version: DocumentVersion): Stored<StepDocument>[] {
  const document = stored(version)
  const decoded = decodeDocument(document)
  return decoded.kind === 'step' ? [{ ...decoded.step, _etag: document._etag, _ts: document._ts }] : []
}

export function asNotice(version: DocumentVersion): Stored<NoticeDocument>[] {
  const document = stored(version)
  const decoded = decodeDocument(document)
  return decoded.kind === 'notice' ? [{ ...decoded.notice, _etag: document._etag, _ts: document._ts }] : []
}

export function isMatch(document: Readonly<JsonObject>, filter: JobFilter): boolean {
  const { state, workflow, since, before, isFlagged, attention: kind, step } = filter
  const { type, processState, submittedAtMs, attention } = document
  return (
    type === 'sas.job' &&
    (state === undefined || processState === state) &&
    (workflow === undefined || document['workflow'] === workflow) &&
    (since === undefined || Number(submittedAtMs) >= since.getTime()) &&
    (before === undefined || Number(submittedAtMs) < before.getTime()) &&
    (isFlagged === undefined || isFlag(attention)) &&
    (kind === undefined || (isFlag(attention) && attention['kind'] === kind)) &&
    (step === undefined || (isFlag(attention) && attention['stepId'] === step))
  )
}

export function isFlag(attention: unknown): attention is Readonly<JsonObject> {
  return typeof attention === 'object' && attention !== null && 'kind' in attention
}

/** The first of these by their moment, at least `limit` and not cut within one. */
export function wholeMoments<T>(
  found: readonly T[],
  limit: number,
  order: (a: T, b: T) => number,
): readonly T[] {
  const sorted = [...found].sort(order)
  const last = sorted[limit - 1]
  return last === undefined ? sorted : sorted.filter((one) => order(one, last) <= 0)
}
