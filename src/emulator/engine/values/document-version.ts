import type { JsonObject } from './json.js'

/** At most this many documents share an LSN: a batch's, and as many again for each partition that was merged into one. */
const placesPerLsn = 2 ** 20

/** What is known of a version beside its text; also what the journal keeps of it. */
export interface VersionFields {
  readonly id: string
  /** The partition key as `partitionKeyText` writes it. */
  readonly keyText: string
  readonly epk: string
  /** Numbers the container's documents in the order of their creation; an update keeps it. */
  readonly number: number
  readonly lsn: number
  /** The place within its transaction. */
  readonly place: number
  readonly etag: string
  /** Seconds since the epoch. */
  readonly ts: number
  /** The document's own `ttl` in seconds, -1 for never; null when it has none. */
  readonly ttl: number | null
  /** The document as JSON, system properties included. */
  readonly text: string
}

/** One version of a document. Immutable: an update makes another. The text is the truth; the object is made on demand. */
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

  /** The place in the partition's log. */
  get sequence(): number {
    return this.fields.lsn * placesPerLsn + this.fields.place
  }

  /** The document, shared by everybody who looks: for filters, never to be changed or handed to users. */
  get document(): Readonly<JsonObject> {
    this.parsed ??= this.copy()
    return this.parsed
  }

  /** Whether all these stand in the document's JSON, as far as that is told sooner than by parsing it. */
  mayHold(texts: readonly string[]): boolean {
    return this.parsed !== undefined || texts.every((text) => this.fields.text.includes(text))
  }

  /** A copy of its own for whoever asks. */
  copy(): JsonObject {
    return JSON.parse(this.fields.text) as JsonObject
  }

  /** The text as the change feed shows it. */
  get feedText(): string {
    return `${this.fields.text.slice(0, -1)},"_lsn":${this.fields.lsn}}`
  }

  /** The text in a change feed for clients that ask for metadata beside the document. */
  get wrappedText(): string {
    const { text, lsn, ts } = this.fields
    return `{"current":${text},"metadata":{"lsn":${lsn},"crts":${ts}}}`
  }
}

/** The last place in the log that a reader who has seen `lsn` has seen. */
export function lastSequenceOf(lsn: number): number {
  return lsn * placesPerLsn + placesPerLsn - 1
}

/**
 * The document as it is stored: the client's properties, then the service's. What a client sends under the service's
 * names (it writes back what it has read) is left out.
 *
 * @param body has an id at least
 */
export function storedText(body: JsonObject, system: JsonObject): string {
  const own = serviceNames.some((name) => Object.hasOwn(body, name)) ? withoutServiceNames(body) : body
  // Joined as texts: to copy the body into one object with the service's properties costs as much as writing it.
  return `${JSON.stringify(own).slice(0, -1)},${JSON.stringify(system).slice(1)}`
}

const serviceNames = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

function withoutServiceNames(body: JsonObject): JsonObject {
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = body
  return own
}
