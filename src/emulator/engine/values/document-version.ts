import type { JsonObject } from './json.js'

/** The largest number of documents with one LSN. Merges can give many full batches the same LSN. */
const placesPerLsn = 2 ** 20

/** The properties of a version without the parsed document. The journal also keeps them. */
export interface VersionFields {
  readonly id: string
  /** The partition key as `partitionKeyText` writes it. */
  readonly keyText: string
  readonly epk: string
  /** The document's number in its container, in the order of creation. An update does not change it. */
  readonly number: number
  readonly lsn: number
  /** The position of the version within its transaction. */
  readonly place: number
  readonly etag: string
  /** Seconds since the epoch. */
  readonly ts: number
  /** The document's own `ttl` in seconds, -1 for never, or null if the document has no `ttl`. */
  readonly ttl: number | null
  /** The document as JSON, including system properties. */
  readonly text: string
}

/** One immutable version of a document. The object is parsed from the authoritative JSON text on demand. */
export class DocumentVersion {
  readonly bytes: number
  private parsed: JsonObject | undefined

  constructor(readonly fields: VersionFields) {
    this.bytes = Buffer.byteLength(fields.text)
  }

  get id(): string {
    return this.fields.id
  }

  get etag(): string {
    return this.fields.etag
  }

  get lsn(): number {
    return this.fields.lsn
  }

  /** The position in the partition's log. */
  get sequence(): number {
    return this.fields.lsn * placesPerLsn + this.fields.place
  }

  /** The document as one shared object for filters. Callers must not change it or give it to users. */
  get document(): Readonly<JsonObject> {
    this.parsed ??= this.copy()
    return this.parsed
  }

  /** Parses the document, so that `document` costs nothing later. */
  keepParsed(): void {
    this.parsed ??= this.copy()
  }

  /** The same as `document`, but the result of parsing is not kept. */
  get seen(): Readonly<JsonObject> {
    return this.parsed ?? this.copy()
  }

  /**
   * Returns false only if the document's JSON does not contain all these texts. The result true may be wrong.
   * Searching unparsed text is faster than parsing.
   */
  mayHold(texts: readonly string[]): boolean {
    return this.parsed !== undefined || texts.every((text) => this.fields.text.includes(text))
  }

  /** Returns a new copy of the document, which the caller may change. */
  copy(): JsonObject {
    return JSON.parse(this.fields.text) as JsonObject
  }

  /** The document as JSON text, in the form of the change feed. */
  get feedText(): string {
    return `${this.fields.text.slice(0, -1)},"_lsn":${this.fields.lsn}}`
  }

  /** The text in the change feed for clients that ask for the metadata in a separate object. */
  get wrappedText(): string {
    const { text, lsn, ts } = this.fields
    return `{"current":${text},"metadata":{"lsn":${lsn},"crts":${ts}}}`
  }
}

/** Returns the last position in the log that the transaction with this LSN can use. */
export function lastSequenceOf(lsn: number): number {
  return lsn * placesPerLsn + placesPerLsn - 1
}

/**
 * Returns the JSON text of a document to store: the client's properties, and then the service's. Leaves out
 * client properties with the service's names, which clients send when they write back a document that they
 * have read.
 *
 * @param body the client's document, which must have an id
 */
export function storedText(body: JsonObject, system: JsonObject): string {
  const own = serviceNames.some((name) => Object.hasOwn(body, name)) ? withoutServiceNames(body) : body
  // Joins two JSON texts. Copying all properties into one object would cost as much as writing the text.
  return `${JSON.stringify(own).slice(0, -1)},${JSON.stringify(system).slice(1)}`
}

const serviceNames = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

function withoutServiceNames(body: JsonObject): JsonObject {
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = body
  return own
}
