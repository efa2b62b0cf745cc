import { decodeDocument } from '../model/decode.js'
import { wholeJob } from './job-place.js'
import { waiterAddress } from './home.js'
import { jobDocumentId, stepDocumentId } from '../model/document-ids.js'
import type { GateDocument, GateWaiterDocument, Visitor } from '../model/gate-documents.js'
import type { Turn } from '../model/gate-parts.js'
import type { DocumentAddress, StateStore, Stored } from '../store/state-store.js'

/** Reads the gate at this address. Returns null if it is missing or unreadable. */
export async function readGate(
  store: Pick<StateStore, 'read'>,
  address: DocumentAddress,
): Promise<Stored<GateDocument> | null> {
  const document = await store.read(address)
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'gate') return null
  return { ...decoded.gate, _etag: document._etag, _ts: document._ts }
}

/** Reads the document of a waiter. Returns null if it is missing or unreadable. */
export async function readWaiter(
  store: StateStore,
  key: string,
  turn: Turn,
): Promise<Stored<GateWaiterDocument> | null> {
  const document = await store.read(waiterAddress(key, turn))
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'waiter') return null
  return { ...decoded.waiter, _etag: document._etag, _ts: document._ts }
}

export function addressOf({ pk, jobId, stepId }: Visitor): DocumentAddress {
  return { pk, id: stepId === wholeJob ? jobDocumentId(jobId) : stepDocumentId(jobId, stepId) }
}
