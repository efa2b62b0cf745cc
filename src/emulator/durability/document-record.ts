import {
  originOf,
  partsOfEtag,
  type DocumentVersion,
  type KeptDocument,
  type KeptText,
  type VersionFields,
} from '../engine/index.js'
import type { ShortText } from './document-templates.js'

/** Returns a text in short, or null if no template fits. */
type Shorten = (text: string, keyText: string) => ShortText | null

/** Returns the text that was shortened, or undefined if its template is missing. */
type Restore = (short: ShortText, keyText: string) => string | undefined

/**
 * A record of a document has a line with what finds and orders it, and then the document's JSON. The line is an array,
 * behind a letter that says how the JSON is kept.
 */
const kinds = {
  /** The JSON ends before the service's properties, which follow from the line and the key. */
  own: 'o',
  /** As `own`, but the number of a template and a line break stand before the JSON, which is short (see `TextTemplate`). */
  short: 's',
  /** The JSON is complete. */
  whole: 'w',
  /** An object of all fields but the text, as format 2 wrote it. The JSON is complete. */
  fields: '{',
} as const

/** The LSN and the place come first, because they tell the versions of a document apart. */
type Line = readonly [
  lsn: number,
  place: number,
  id: string,
  keyText: string,
  epk: string,
  origin: number,
  ts: number,
  ttl: number | null,
  bytes: number,
]

/** Returns a version as written to disk. */
export function encodedDocument(version: DocumentVersion, shortened: Shorten): string {
  const { id, keyText, epk, lsn, place, origin, ts, ttl, bytes, textOnDisk: own } = version
  const line: Line = [lsn, place, id, keyText, epk, origin, ts, ttl, bytes]
  const head = `${JSON.stringify(line)}\n`
  if (own === null) return `${kinds.whole}${head}${version.seenText}`
  const found = shortened(own, keyText)
  return found === null
    ? `${kinds.own}${head}${own}`
    : `${kinds.short}${head}${found.template}\n${found.short}`
}

/** What is known of a document without its text. */
export type DocumentHead = Omit<KeptDocument, keyof KeptText>

export function decodedHead(number: number, value: Buffer): DocumentHead {
  const end = lineEnd(value)
  if (value.toString('latin1', 0, 1) === kinds.fields)
    return oldHead(value.subarray(0, end), value.length - end - 1)
  const [lsn, place, id, keyText, epk, origin, ts, ttl, bytes] = JSON.parse(
    value.toString('utf8', 1, end),
  ) as Line
  return { id, keyText, epk, number, lsn, place, origin, ts, ttl, bytes }
}

/** Returns a document as it was written, or undefined if its template is missing. */
export function decodedDocument(
  { number, value }: { readonly number: number; readonly value: Buffer },
  restored: Restore,
): KeptDocument | undefined {
  const head = decodedHead(number, value)
  const text = value.toString('utf8', lineEnd(value) + 1)
  const kind = value.toString('latin1', 0, 1)
  if (kind !== kinds.own && kind !== kinds.short) return { ...head, json: text, isWhole: true }
  const own = kind === kinds.own ? text : restored(shortIn(text), head.keyText)
  return own === undefined ? undefined : { ...head, json: `${own}}`, isWhole: false }
}

function shortIn(text: string): ShortText {
  const end = text.indexOf('\n')
  return { template: Number(text.slice(0, end)), short: text.slice(end + 1) }
}

function lineEnd(value: Buffer): number {
  return value.indexOf(10)
}

function oldHead(line: Buffer, bytes: number): DocumentHead {
  const { etag, ...fields } = JSON.parse(line.toString()) as Omit<VersionFields, 'text'>
  const { rangeId, place } = partsOfEtag(etag)
  return { ...fields, origin: originOf(rangeId, place), bytes }
}
