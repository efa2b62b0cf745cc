import type { JsonObject } from './json.js'

/** The most documents that share an LSN: those of a batch, times the number of partitions merged into one. */
const placesPerLsn = 2 ** 20

/** The properties of a version beside its object; the journal keeps them, too. */
export interface VersionFields {
  readonly id: string
  /** The partition key as `partitionKeyText` writes it. */
  readonly keyText: string
  readonly epk: string
  /** Numbers the container's documents in the order of creation. An update keeps the number. */
  readonly number: number
  readonly lsn: number
  /** The position within its transaction. */
  readonly place: number
  readonly etag: string
  /** Seconds since the epoch. */
  readonly ts: number
  /** The document's own `ttl` in seconds, -1 for never, or null when it has none. */
  readonly ttl: number | null
  /** The document as JSON, including system properties. */
  readonly text: string
}

/**
 * One version of a document. It is immutable: an update creates another. The text is authoritative; the
 * object is parsed on demand.
 */
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

  /** The document as one shared object, for filters. Callers must not change it or hand it to users. */
  get document(): Readonly<JsonObject> {
    this.parsed ??= this.copy()
    return this.parsed
  }

  /**
   * Checks whether the document's JSON may contain all these texts. Returns false only when a search of the
   * text rules it out, which is faster than parsing.
   */
  mayHold(texts: readonly string[]): boolean {
    return this.parsed !== undefined || texts.every((text) => this.fields.text.includes(text))
  }

  /** Returns a new copy that the caller may change. */
  copy(): JsonObject {
    return JSON.parse(this.fields.text) as JsonObject
  }

  /** The text as the change feed shows it. */
  get feedText(): string {
    return `${this.fields.text.slice(0, -1)},"_lsn":${this.fields.lsn}}`
  }

  /** The text in the change feed for clients that ask for metadata beside the document. */
  get wrappedText(): string {
    const { text, lsn, ts } = this.fields
    return `{"current":${text},"metadata":{"lsn":${lsn},"crts":${ts}}}`
  }
}

/** Returns the last position in the log that a reader who has seen `lsn` has seen. */
export function lastSequenceOf(lsn: number): number {
  return lsn * placesPerLsn + placesPerLsn - 1
}

/**
 * Returns the document as it is stored: the client's properties, then the service's. Leaves out properties
 * that the client sends under the service's names, as it does when it writes back a document it read.
 *
 * @param body must have an id
 */
export function storedText(body: JsonObject, system: JsonObject): string {
  const own = serviceNames.some((name) => Object.hasOwn(body, name)) ? withoutServiceNames(body) : body
  // Joins texts, because copying the body into one object with the service's properties costs as much as
  // writing it.
  return `${JSON.stringify(own).slice(0, -1)},${JSON.stringify(system).slice(1)}`
}

const serviceNames = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

function withoutServiceNames(body: JsonObject): JsonObject {
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = body
  return own
}
