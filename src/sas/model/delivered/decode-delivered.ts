import { decodeDocument, type Decoded } from '../decode.js'
import type { JobDocument, StepDocument } from '../documents.js'
import type { StateChange } from './state-change.js'
import { WrittenChange } from './written-change.js'

type Fields = Readonly<Record<string, unknown>>

/** The results for documents of the feed, which the roles of a process share and do not change. */
const decodedChanges = new WeakMap<object, Decoded>()

/** Returns the document that this process has checked before it wrote it. */
function written({ document, type }: WrittenChange): Decoded {
  return type === 'sas.job'
    ? { kind: 'job', job: document as unknown as JobDocument }
    : { kind: 'step', step: document as unknown as StepDocument }
}

/**
 * Reads a document that the feed delivered. The roles of a process read each such document only once. The document of a
 * change that this process has written has no fields of the store.
 */
export function decodeDelivered(change: StateChange | Fields): Decoded {
  const known = decodedChanges.get(change)
  if (known !== undefined) return known
  const decoded = change instanceof WrittenChange ? written(change) : decodeDocument(change as Fields)
  decodedChanges.set(change, decoded)
  return decoded
}
