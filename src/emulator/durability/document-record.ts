import {
  originOf,
  partsOfEtag,
  systemProperties,
  systemText,
  type KeptDocument,
  type VersionFields,
  type VersionHead,
} from '../engine/index.js'

/**
 * A record of a document has a line with what memory needs, and then the document's JSON. The line is an array,
 * behind a letter that says how the JSON is kept.
 */
const kinds = {
  /** The JSON ends before the service's properties, which follow from the line and the key. */
  own: 'o',
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
export function encodedDocument(
  containerRid: string,
  version: VersionFields & Pick<VersionHead, 'origin' | 'bytes'>,
): string {
  const { id, keyText, epk, lsn, place, origin, ts, ttl, bytes, text } = version
  const line: Line = [lsn, place, id, keyText, epk, origin, ts, ttl, bytes]
  const end = systemText(systemProperties(containerRid, version))
  const isOwn = text.endsWith(end)
  const kept = isOwn ? text.slice(0, -end.length) : text
  return `${isOwn ? kinds.own : kinds.whole}${JSON.stringify(line)}\n${kept}`
}

/**
 * Returns what memory keeps of a document.
 *
 * @param before another document; if it has the same partition key, its texts are used again
 */
export function decodedHead(number: number, value: Buffer, before?: KeptDocument): KeptDocument {
  const end = lineEnd(value)
  if (value.toString('latin1', 0, 1) === kinds.fields)
    return oldHead(value.subarray(0, end), value.length - end - 1)
  const [lsn, place, id, keyText, epk, origin, ts, ttl, bytes] = JSON.parse(
    value.toString('utf8', 1, end),
  ) as Line
  const key = before?.keyText === keyText && before.epk === epk ? before : { keyText, epk }
  return { id, keyText: key.keyText, epk: key.epk, number, lsn, place, origin, ts, ttl, bytes }
}

/**
 * Returns a document's text, or undefined if the record has another version.
 *
 * @param etag of the version
 */
export function decodedText(
  containerRid: string,
  { number, lsn, place, ts, etag }: VersionHead & Pick<VersionFields, 'etag'>,
  value: Buffer,
): string | undefined {
  const kind = value.toString('latin1', 0, 1)
  if (kind === kinds.fields) {
    const head = decodedHead(number, value)
    if (head.lsn !== lsn || head.place !== place) return undefined
  } else {
    const begin = `${kind}[${lsn},${place},`
    if (value.toString('latin1', 0, begin.length) !== begin) return undefined
  }
  const text = value.toString('utf8', lineEnd(value) + 1)
  if (kind !== kinds.own) return text
  return `${text}${systemText(systemProperties(containerRid, { number, etag, ts }))}`
}

function lineEnd(value: Buffer): number {
  return value.indexOf(10)
}

function oldHead(line: Buffer, bytes: number): KeptDocument {
  const { etag, ...fields } = JSON.parse(line.toString()) as Omit<VersionFields, 'text'>
  const { rangeId, place } = partsOfEtag(etag)
  return { ...fields, origin: originOf(rangeId, place), bytes }
}
