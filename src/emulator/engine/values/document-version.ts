import { etagOf } from './etag.js'
import type { JsonObject } from './json.js'
import type { TextMemory } from './text-memory.js'
import { placeOf, rangeIdOf, type VersionFields, type VersionHead } from './version-fields.js'

/** The largest number of documents with one LSN. Merges can give many full batches the same LSN. */
const placesPerLsn = 2 ** 20

/** The estimated size of a parsed document, as a multiple of its text. */
const parsedFactor = 3

/** The estimated size of the objects that keep a text in memory. */
const contentBytes = 160

/** What the documents of one partition key share. */
export interface DocumentHome {
  readonly keyText: string
  readonly epk: string
  readonly containerRid: string
  /** Null if the texts of all versions are in memory. */
  readonly memory: TextMemory | null
}

/** The text of a version in memory. */
interface Content {
  readonly text: string
  parsed: JsonObject | undefined
  /** Whether the text was used since the memory last asked. */
  isUsed: boolean
  /**
   * Whose the text is. A `pending` text is not on disk yet. A `kept` text belongs to the memory, which may
   * forget it. A `held` text stays as long as the version.
   */
  state: 'pending' | 'kept' | 'held'
}

/**
 * One immutable version of a document. The object is parsed from the authoritative JSON text on demand.
 *
 * In an account with a data directory, a version first holds its text. When the text is on disk (`stored`),
 * the version may forget it (`forget`) and read it again. A version that is no longer the newest holds its
 * text for good (`hold`), because the disk then has a newer text.
 */
export class DocumentVersion implements VersionFields, VersionHead {
  readonly id: string
  readonly number: number
  readonly lsn: number
  readonly place: number
  readonly origin: number
  readonly ts: number
  readonly ttl: number | null
  readonly bytes: number
  private content: Content | null

  /** @param text null if the text is on disk */
  constructor(
    readonly home: DocumentHome,
    head: VersionHead,
    text: string | null,
  ) {
    this.id = head.id
    this.number = head.number
    this.lsn = head.lsn
    this.place = head.place
    this.origin = head.origin
    this.ts = head.ts
    this.ttl = head.ttl
    this.bytes = head.bytes
    this.content = text === null ? null : { text, parsed: undefined, isUsed: false, state: 'pending' }
  }

  get fields(): VersionFields {
    return this
  }

  get keyText(): string {
    return this.home.keyText
  }

  get epk(): string {
    return this.home.epk
  }

  get etag(): string {
    const { origin, lsn, ts } = this
    return etagOf({ rangeId: rangeIdOf(origin), lsn, place: placeOf(origin), ts })
  }

  get text(): string {
    return this.used().text
  }

  /** The position in the partition's log. */
  get sequence(): number {
    return this.lsn * placesPerLsn + this.place
  }

  /** The document as one shared object for filters. Callers must not change it or give it to users. */
  get document(): Readonly<JsonObject> {
    return this.parsedIn(this.used())
  }

  private parsedIn(content: Content): Readonly<JsonObject> {
    if (content.parsed !== undefined) return content.parsed
    const parsed = JSON.parse(content.text) as JsonObject
    content.parsed = parsed
    if (content.state === 'kept' && this.content === content) {
      this.home.memory?.grow(this.bytes * parsedFactor)
    }
    return parsed
  }

  /** Parses the document, so that `document` costs nothing later. */
  keepParsed(): void {
    this.parsedIn(this.used())
  }

  /** The same as `document`, but neither the text nor the result of parsing is kept. */
  get seen(): Readonly<JsonObject> {
    return this.content?.parsed ?? (JSON.parse(this.seenText) as JsonObject)
  }

  /**
   * Returns false only if the document's JSON does not contain all these texts. The result true may be wrong.
   * Searching unparsed text is faster than parsing.
   */
  mayHold(texts: readonly string[]): boolean {
    if (texts.length === 0 || this.content?.parsed !== undefined) return true
    const own = this.seenText
    return texts.every((text) => own.includes(text))
  }

  /** Returns a new copy of the document, which the caller may change. */
  copy(): JsonObject {
    return JSON.parse(this.text) as JsonObject
  }

  /** The document as JSON text, in the form of the change feed. */
  get feedText(): string {
    return `${this.text.slice(0, -1)},"_lsn":${this.lsn}}`
  }

  /** The text in the change feed for clients that ask for the metadata in a separate object. */
  get wrappedText(): string {
    const { text, lsn, ts } = this
    return `{"current":${text},"metadata":{"lsn":${lsn},"crts":${ts}}}`
  }

  /** Says that the text is on disk, so that it need not stay in memory. */
  stored(): void {
    const { content, home } = this
    if (content?.state !== 'pending' || home.memory === null) return
    content.state = 'kept'
    home.memory.keep(this, this.contentBytes(content))
  }

  /** Keeps the text as long as this version exists. Must be called before a newer text is stored on disk. */
  hold(): void {
    const { memory } = this.home
    if (memory === null) return
    const content = this.content
    if (content === null) {
      this.content = { text: this.seenText, parsed: undefined, isUsed: true, state: 'held' }
      return
    }
    if (content.state === 'kept') memory.release(this, this.contentBytes(content))
    content.state = 'held'
  }

  /** Returns the fields as a plain object, as they are kept in a history on disk. */
  toJSON(): VersionFields {
    const { id, keyText, epk, number, lsn, place, etag, ts, ttl, text } = this
    return { id, keyText, epk, number, lsn, place, etag, ts, ttl, text }
  }

  /** Returns the same version at another place of its transaction's LSN, which is not on disk yet. */
  movedTo(place: number): DocumentVersion {
    this.hold()
    const { id, number, lsn, origin, ts, ttl, bytes } = this
    return new DocumentVersion(this.home, { id, number, lsn, place, origin, ts, ttl, bytes }, this.text)
  }

  /** Forgets the text, and returns the bytes that this frees. Returns null if the text is in use. */
  forget(): number | null {
    const { content } = this
    if (content === null) return 0
    if (content.isUsed) {
      content.isUsed = false
      return null
    }
    this.content = null
    return this.contentBytes(content)
  }

  /** The same as `text`, but it does not count as a use of the text. */
  get seenText(): string {
    const { content, home } = this
    if (content !== null) return content.text
    if (home.memory === null) throw new RangeError(`the document '${this.id}' has no text`)
    return home.memory.source.read(home.containerRid, this)
  }

  private used(): Content {
    const { content } = this
    if (content !== null) {
      content.isUsed = true
      return content
    }
    const read: Content = { text: this.seenText, parsed: undefined, isUsed: false, state: 'kept' }
    this.content = read
    this.home.memory?.keep(this, this.contentBytes(read))
    return read
  }

  private contentBytes({ text, parsed }: Content): number {
    // A text with characters beyond Latin-1 uses two bytes for each character.
    const own = text.length === this.bytes ? this.bytes : text.length * 2
    return contentBytes + own + (parsed === undefined ? 0 : this.bytes * parsedFactor)
  }
}

/** Returns the last position in the log that the transaction with this LSN can use. */
export function lastSequenceOf(lsn: number): number {
  return lsn * placesPerLsn + placesPerLsn - 1
}
