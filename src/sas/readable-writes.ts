import { decodeDocument } from './documents.js'
import { DocumentInvalid } from './errors.js'
import type { StateWrite } from './state-store.js'

/**
 * Refuses a transaction of which a document could not be read back. Every implementation of the state store calls it
 * before it writes, so every writer passes here: a document that no reader takes would stand still unseen (I1, I20).
 *
 * @throws DocumentInvalid naming the document and the field
 */
export function refuseUnreadable(writes: readonly StateWrite[]): void {
  for (const { document } of writes) {
    const decoded = decodeDocument(document)
    if (decoded.kind === 'invalid') throw new DocumentInvalid(document.id, decoded.reason)
  }
}
