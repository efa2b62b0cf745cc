import { ofOne } from '../values/query-function.js'
import { isObject } from '../values/values.js'

/** The rid of a document begins with the 8 bytes of its container's rid and ends with 8 bytes of its own. */
const ridForm = /^[A-Za-z0-9+-]{22}==$/

/** Returns the number in the rid of a stored document, or undefined for any other value. */
function documentId(document: unknown): number | undefined {
  const rid = isObject(document) ? document['_rid'] : undefined
  if (typeof rid !== 'string' || !ridForm.test(rid)) return undefined
  return Number(Buffer.from(rid.replaceAll('-', '/'), 'base64').readBigUInt64LE(8))
}

/** Functions of stored documents. */
export const documentFunctions = { DOCUMENTID: ofOne(documentId) }
