import { etagOf } from './etag.js'
import type { JsonObject } from './json.js'
import { documentRid } from './resource-id.js'
import { addSystemFields, systemLength, systemText } from './stored-text.js'
import type { TextMemory } from './text-memory.js'
import { placeOf, rangeIdOf, type VersionFields, type VersionHead } from './version-fields.js'

/** The largest number of documents with one LSN. Merges can give many full batches the same LSN. */
const placesPerLsn = 2 ** 20

/** The estimated size of a parsed document, as a multiple of its text. */
const parsedFactor = 3

/** The estimated size of the objects that keep and find a version in memory. */
const headBytes = 400

/** The container of a version. */
export interface DocumentOwner {
  readonly rid: string
  /** Null if all versions stay in memory. */
  readonly memory: TextMemory | null
  /** Lets go of a version that is on disk, so that it is found there from now on. */
  evict(version: DocumentVersion): void
}

/** What the documents of one partition key share. */
export interface DocumentHome {
  readonly keyText: string
  readonly epk: string
  readonly owner: DocumentOwner
}

/**
 * One immutable version of a document. The object is parsed from the authoritative JSON text on demand.
 *
 * In an account with a data directory, a version that the container stores is first `pending`. When it is on
 * disk (`stored`), the memory keeps it, and may later make the container let go of it (`forget`). A version
 * always has its text, so a reader that still has the version is not affected.
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
  private parsed: JsonObject | undefined = undefined
  private knownEtag: string | undefined = undefined
  /** The client's object, until its transaction has ended. So followers need not parse the text. They must not keep it. */
  given: Readonly<JsonObject> | null = null
  /** `free` means that the memory does not count the version. */
  private state: 'pending' | 'kept' | 'free' = 'pending'
  /** Whether the text was used since the memory last asked. */
  private isUsed = false

  constructor(
    readonly home: DocumentHome,
    head: VersionHead,
    /** See `KeptText`. */
    private readonly json: string,
    private readonly isWhole = false,
  ) {
    this.id = head.id
    this.number = head.number
    this.lsn = head.lsn
    this.place = head.place
    this.origin = head.origin
    this.ts = head.ts
    this.ttl = head.ttl
    this.bytes = head.bytes
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
    if (this.knownEtag === undefined) {
      const { origin, lsn, ts } = this
      this.knownEtag = etagOf({ rangeId: rangeIdOf(origin), lsn, place: placeOf(origin), ts })
    }
    return this.knownEtag
  }

  get text(): string {
    this.isUsed = true
    return this.seenText
  }

  /** The same as `text`, but it does not count as a use of the version. */
  get seenText(): string {
    return this.isWhole ? this.json : `${this.json.slice(0, -1)}${this.systemText}`
  }

  /** The JSON of the client's properties, or of all properties if `isWhole`. Does not count as a use of the version. */
  get ownText(): string {
    return this.json
  }

  /** The JSON of the client's properties without its last brace, as in records on disk. Null if it is unknown. */
  get textOnDisk(): string | null {
    if (!this.isWhole) return this.json.slice(0, -1)
    const { json, systemText: system } = this
    return json.endsWith(system) ? json.slice(0, -system.length) : null
  }

  private get systemText(): string {
    return systemText(this.home.owner.rid, this)
  }

  /** The position in the partition's log. */
  get sequence(): number {
    return sequenceAt(this.lsn, this.place)
  }

  /** The document as one shared object for filters. Callers must not change it or give it to users. */
  get document(): Readonly<JsonObject> {
    return this.parse()
  }

  private parse(): Readonly<JsonObject> {
    this.isUsed = true
    if (this.parsed !== undefined) return this.parsed
    const parsed = this.parsedNow()
    this.parsed = parsed
    if (this.state === 'kept') this.home.owner.memory?.grow(this.bytes * parsedFactor)
    return parsed
  }

  /** Parses the document, so that `document` costs nothing later. */
  keepParsed(): void {
    this.parse()
  }

  /** The same as `document`, but the result of parsing is not kept, and does not count as a use. */
  get seen(): Readonly<JsonObject> {
    return this.parsed ?? this.parsedNow()
  }

  /**
   * Returns false only if the JSON of the client's properties does not contain all these texts. The result true may be
   * wrong. Searching unparsed text is faster than parsing.
   */
  mayHold(texts: readonly string[]): boolean {
    if (texts.length === 0 || this.parsed !== undefined) return true
    return texts.every((text) => this.json.includes(text))
  }

  /** Returns a new copy of the document, which the caller may change. */
  copy(): JsonObject {
    this.isUsed = true
    return this.parsedNow()
  }

  /** Returns a new copy of the document, in the form of the change feed. */
  feedCopy(): JsonObject {
    const copy = this.copy()
    copy['_lsn'] = this.lsn
    return copy
  }

  private parsedNow(): JsonObject {
    const parsed = JSON.parse(this.json) as JsonObject
    return this.isWhole ? parsed : addSystemFields(this.home.owner.rid, parsed, this)
  }

  /** What the service adds to the version in the change feed, apart from addresses. */
  get feedMarks(): { _rid: string; _etag: string; _ts: number; _lsn: number } {
    return {
      _rid: documentRid(this.home.owner.rid, this.number),
      _etag: this.etag,
      _ts: this.ts,
      _lsn: this.lsn,
    }
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

  /** Says that the version is on disk, so that it need not stay in memory. */
  stored(): void {
    const { memory } = this.home.owner
    if (this.state !== 'pending' || memory === null) return
    this.keep()
    memory.trim()
  }

  /** Says that a version that was read from disk is in memory now. */
  keep(): void {
    this.state = 'kept'
    this.home.owner.memory?.keep(this, this.ownBytes)
  }

  /** Says that the version is not the newest one, or is needed only by its reader. */
  release(): void {
    if (this.state === 'kept') this.home.owner.memory?.release(this, this.ownBytes)
    this.state = 'free'
  }

  /** Makes the container let go of the version, and returns the bytes that this frees. Returns null if it is in use. */
  forget(): number | null {
    if (this.isUsed) {
      this.isUsed = false
      return null
    }
    this.state = 'free'
    this.home.owner.evict(this)
    return this.ownBytes
  }

  /** Returns the fields as a plain object, as they are kept in a history on disk. */
  toJSON(): VersionFields {
    const { id, keyText, epk, number, lsn, place, etag, ts, ttl, seenText: text } = this
    return { id, keyText, epk, number, lsn, place, etag, ts, ttl, text }
  }

  /** Returns the same version at another place of its transaction's LSN, which is not on disk yet. */
  movedTo(place: number): DocumentVersion {
    this.release()
    const { home, id, number, lsn, origin, ts, ttl, bytes, json, isWhole } = this
    return new DocumentVersion(home, { id, number, lsn, place, origin, ts, ttl, bytes }, json, isWhole)
  }

  private get ownBytes(): number {
    const { json, bytes, parsed } = this
    const systemBytes = this.isWhole ? 0 : systemLength(this.home.owner.rid, this)
    // A text with characters beyond Latin-1 uses two bytes for each character.
    const own = json.length === bytes - systemBytes ? json.length : json.length * 2
    return headBytes + own + (parsed === undefined ? 0 : bytes * parsedFactor)
  }
}

/** Returns the position of a change in a partition's log. */
export function sequenceAt(lsn: number, place: number): number {
  return lsn * placesPerLsn + place
}

/** Returns the last position in the log that the transaction with this LSN can use. */
export function lastSequenceOf(lsn: number): number {
  return sequenceAt(lsn, placesPerLsn - 1)
}

/** Returns the LSN of a position in the log. */
export function lsnOf(sequence: number): number {
  return Math.floor(sequence / placesPerLsn)
}
