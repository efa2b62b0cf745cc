import { schemaVersion } from '../sas/model/documents.js'
import { StoreRefused } from '../sas/model/errors.js'
import type {
  ApplyResult,
  PauseQuestion,
  StateDocument,
  StateWrite,
  Stored,
} from '../sas/store/state-store.js'
import type { Refusal, DocumentVersion, ItemOperation, JsonObject } from '../emulator/engine/index.js'

/** The types of the documents that supervisors check at a time. */
const datedTypes: ReadonlySet<string> = new Set([
  'sas.step',
  'sas.job',
  'sas.schedule',
  'sas.gate',
  'sas.pauses',
])

/**
 * Returns the time by which a step or job must be done, by which a new job must be started, or at which the next
 * tick of a schedule is submitted. Returns Infinity for other documents.
 */
export function dueAt(
  { type, schema, completeByMs, processState, submittedAtMs }: Readonly<JsonObject>,
  pickUpWithinMs: number,
): number {
  const isDated = typeof type === 'string' && datedTypes.has(type)
  if (!isDated || Number(schema) > schemaVersion) return Infinity
  if (typeof completeByMs === 'number') return completeByMs
  const isUntaken = type === 'sas.job' && processState === 'Pending' && completeByMs === null
  return isUntaken ? Number(submittedAtMs) + pickUpWithinMs : Infinity
}

/** Returns an operation for the engine, which keeps the document's text and not the object. */
export function toOperation(write: StateWrite): ItemOperation {
  const document = write.document as JsonObject
  if (write.kind === 'create') return { kind: 'create', document }
  return { kind: 'replace', id: write.document.id, document, ifMatch: write.ifMatch }
}

/**
 * Returns the conflict for a refusal with status 404, 409 or 412. Throws `StoreRefused` for any other status.
 */
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

export function isFlag(attention: unknown): attention is Readonly<JsonObject> {
  return typeof attention === 'object' && attention !== null && 'kind' in attention
}

export function isPause(paused: unknown): boolean {
  return typeof paused === 'object' && paused !== null && 'since' in paused
}

const openStates: ReadonlySet<unknown> = new Set(['Pending', 'Processing', 'Compensating'])

/** Checks whether a pause of a workflow or an agent concerns a document. */
export function isConcerned(document: Readonly<JsonObject>, question: PauseQuestion): boolean {
  const { type, workflow, processState, paused } = document
  if (type !== 'sas.job') return false
  if (question.kind === 'toPause') {
    return workflow === question.workflow && openStates.has(processState) && !isPause(paused)
  }
  const own = (document['pausedWith'] ?? {}) as Readonly<JsonObject>
  const { kind, name } = question.with
  return isPause(paused) && own['kind'] === kind && own['name'] === name
}

/**
 * Returns the earliest items: at least `limit` if that many exist, and always all items of the last moment.
 */
export function wholeMoments<T>(
  found: readonly T[],
  limit: number,
  order: (a: T, b: T) => number,
): readonly T[] {
  const sorted = [...found].sort(order)
  const last = sorted[limit - 1]
  return last === undefined ? sorted : sorted.filter((one) => order(one, last) <= 0)
}
