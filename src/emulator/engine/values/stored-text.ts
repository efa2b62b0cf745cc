import type { JsonObject } from './json.js'
import { databaseRidOf, documentRid } from './resource-id.js'

/** What the service's properties of a document are derived from. */
export interface DocumentOrigin {
  readonly number: number
  readonly etag: string
  readonly ts: number
}

/**
 * Returns the end of a stored text: the properties that the service adds to a document. Only the etag has characters
 * that JSON escapes.
 */
export function systemText(containerRid: string, { number, etag, ts }: DocumentOrigin): string {
  const rid = documentRid(containerRid, number)
  const self = `dbs/${databaseRidOf(containerRid)}/colls/${containerRid}/docs/${rid}/`
  const quoted = JSON.stringify(etag)
  return `,"_rid":"${rid}","_self":"${self}","_etag":${quoted},"_attachments":"attachments/","_ts":${ts}}`
}

/**
 * Returns the JSON text of a document to store: the client's properties, and then the service's (`systemText`). Leaves out
 * client properties with the service's names, which clients send when they write back a document that they
 * have read.
 *
 * @param body the client's document, which must have an id
 */
export function storedText(body: JsonObject, system: string): string {
  const own = serviceNames.some((name) => Object.hasOwn(body, name)) ? withoutServiceNames(body) : body
  // Joins two JSON texts. Copying all properties into one object would cost as much as writing the text.
  return `${JSON.stringify(own).slice(0, -1)}${system}`
}

const serviceNames = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

function withoutServiceNames(body: JsonObject): JsonObject {
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = body
  return own
}
