import type { JsonObject } from './json.js'
import { etagLength } from './etag.js'
import { databaseRidOf, documentRid } from './resource-id.js'
import { rangeIdOf, type VersionHead } from './version-fields.js'

/** What the service's properties of a document are derived from. */
export interface DocumentOrigin {
  readonly number: number
  readonly etag: string
  readonly ts: number
}

/** The properties that the service adds to a document, in the order of its JSON. */
export interface SystemFields {
  _rid: string
  _self: string
  _etag: string
  _attachments: string
  _ts: number
}

/** Adds the service's properties to an object, and returns the same object. */
export function addSystemFields<T extends object>(
  containerRid: string,
  document: T,
  { number, etag, ts }: DocumentOrigin,
): T & SystemFields {
  const rid = documentRid(containerRid, number)
  const added = document as T & SystemFields
  // In Node 20, `Object.assign` would make objects of many properties slow.
  added._rid = rid
  added._self = `dbs/${databaseRidOf(containerRid)}/colls/${containerRid}/docs/${rid}/`
  added._etag = etag
  added._attachments = 'attachments/'
  added._ts = ts
  return added
}

/** Returns the end of a document's JSON text: the properties that the service adds. */
export function systemText(containerRid: string, origin: DocumentOrigin): string {
  const { _rid, _self, _etag, _attachments, _ts } = addSystemFields(containerRid, {}, origin)
  // Only the etag has characters that JSON escapes.
  const etag = JSON.stringify(_etag)
  return `,"_rid":"${_rid}","_self":"${_self}","_etag":${etag},"_attachments":"${_attachments}","_ts":${_ts}}`
}

/** The length of a system text without its etag and its time. It is the same for all documents of a container. */
const latest = { containerRid: '', length: 0 }

/** Returns the length of the `systemText` of a version, without making this text. */
export function systemLength(containerRid: string, { lsn, origin, ts }: Omit<VersionHead, 'bytes'>): number {
  if (latest.containerRid !== containerRid) {
    const rest = systemText(containerRid, { number: 1, etag: '', ts: 0 })
    Object.assign(latest, { containerRid, length: rest.length - 1 })
  }
  const escapes = 2
  return latest.length + etagLength({ rangeId: rangeIdOf(origin), lsn }) + escapes + String(ts).length
}

/**
 * Returns the JSON text of the client's properties of a document. Leaves out properties with the service's names, which
 * clients send when they write back a document that they have read.
 *
 * @param body the client's document, which must have an id
 */
export function ownText(body: JsonObject): string {
  const own = systemNames.some((name) => Object.hasOwn(body, name)) ? withoutSystemNames(body) : body
  return JSON.stringify(own)
}

/** The names of the properties that the service adds. */
const systemNames: readonly string[] = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

function withoutSystemNames(body: JsonObject): JsonObject {
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = body
  return own
}
