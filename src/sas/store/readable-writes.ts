import { decodeDocument } from '../model/decode.js'
import { DocumentInvalid } from '../model/errors.js'
import type { StateWrite } from './state-store.js'

/**
 * Refuses a transaction with a document that could not be read back. Otherwise a job with such a document
 * would stop unnoticed (I1, I20). Every implementation of the state store calls this function before a write.
 *
 * @throws DocumentInvalid with the id of the document, the field and its problem
 */
export function refuseUnreadable(writes: readonly StateWrite[]): void {
  for (const { document } of writes) {
    const decoded = decodeDocument(document)
    if (decoded.kind === 'invalid') throw new DocumentInvalid(document.id, decoded.reason)
  }
}
