import { decodeDocument } from '../model/decode.js'
import { gateDocumentId, stepDocumentId, waiterDocumentId } from '../model/document-ids.js'
import type { GateDocument, GateWaiterDocument, Visitor } from '../model/gate-documents.js'
import type { Turn } from '../model/gate-parts.js'
import type { DocumentAddress, StateStore, Stored } from '../store/state-store.js'

export function gateAddress(key: string): DocumentAddress {
  const id = gateDocumentId(key)
  return { pk: id, id }
}

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
  gate: string,
  { group, number }: Turn,
): Promise<Stored<GateWaiterDocument> | null> {
  const document = await store.read({ pk: gate, id: waiterDocumentId(group, number) })
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'waiter') return null
  return { ...decoded.waiter, _etag: document._etag, _ts: document._ts }
}

export function stepAddressOf({ pk, jobId, stepId }: Visitor): DocumentAddress {
  return { pk, id: stepDocumentId(jobId, stepId) }
}
