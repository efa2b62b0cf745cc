import type { KeptDocument } from '../values/version-fields.js'
import type { DocumentSource } from './document-source.js'
import { DocumentVersion, type DocumentOwner } from '../values/document-version.js'

/** The container of cold documents. */
export interface ColdOwner extends DocumentOwner {
  /** Notes that a version that was read from disk is now in memory. */
  admitted(version: DocumentVersion): void
}

/**
 * The documents of a container that are not in memory, because their newest versions are on disk. Memory always
 * has the versions and the removals that are not on disk yet. So a document is cold only if memory has neither a
 * version of it (`hot`) nor its removal (`gone`). The record on disk of a cold document is the newest version.
 *
 * A version that is read here belongs to its reader, unless its partition admits it to memory.
 */
export class ColdDocuments {
  /** The versions in memory, by the numbers of their documents. */
  readonly hot = new Map<number, DocumentVersion>()
  private readonly gone = new Set<number>()
  private owner: ColdOwner | null = null

  constructor(
    private readonly containerRid: string,
    private readonly source: DocumentSource,
  ) {}

  belongTo(owner: ColdOwner): void {
    this.owner = owner
  }

  /** Notes the removal of a document until it is on disk. */
  remove(number: number): void {
    this.hot.delete(number)
    this.gone.add(number)
  }

  /** Returns a version that the source does not have yet. It stays in memory, like the version of a new document. */
  recovered({ keyText, epk, json, isWhole, ...head }: KeptDocument): DocumentVersion {
    return new DocumentVersion({ keyText, epk, owner: this.known }, head, json, isWhole)
  }

  removalStored(number: number): void {
    this.gone.delete(number)
  }

  admitted(version: DocumentVersion): void {
    this.owner?.admitted(version)
  }

  find(keyText: string, id: string): DocumentVersion | undefined {
    for (const number of this.source.numbersOf(this.containerRid, keyText, id)) {
      const version = this.listed(number)
      if (version?.id === id && version.keyText === keyText) return version
    }
    return undefined
  }

  /** Returns the cold documents of one partition key, in any order. */
  documentsOf(keyText: string): readonly DocumentVersion[] {
    return this.source
      .numbersOfKey(this.containerRid, keyText)
      .flatMap((number) => this.listed(number) ?? [])
      .filter((version) => version.keyText === keyText)
  }

  /** Returns about how many cold documents one partition key has. */
  countOf(keyText: string): number {
    const numbers = this.source.numbersOfKey(this.containerRid, keyText)
    return numbers.reduce((count, number) => count + Number(this.isCold(number)), 0)
  }

  /** Returns the document with this number, or undefined if it is not cold or does not exist. */
  read(number: number): DocumentVersion | undefined {
    if (!this.isCold(number)) return undefined
    const kept = this.source.read(this.containerRid, number)
    return kept && this.versionOf(kept)
  }

  /** Yields the cold documents after a number, in the order of their numbers. */
  *after(number: number): Generator<DocumentVersion, void, undefined> {
    for (const next of this.source.numbersAfter(this.containerRid, number)) {
      const version = this.read(next)
      if (version !== undefined) yield version
    }
  }

  /** Yields the cold documents that these ranges wrote after a position in the log, in the order of the log. */
  *changedAfter(
    rangeIds: readonly string[],
    { lsn, sequence }: { readonly lsn: number; readonly sequence: number },
  ): Generator<DocumentVersion, void, undefined> {
    for (const change of this.source.changesFrom(this.containerRid, rangeIds, lsn)) {
      const version = change.sequence > sequence ? this.listed(change.number) : undefined
      if (version === undefined) continue
      if (version.sequence !== change.sequence) throw this.source.missing(this.containerRid, change.number)
      yield version
    }
  }

  /** Yields the cold documents that expire up to a second, the earliest first. */
  *expired(second: number): Generator<DocumentVersion, void, undefined> {
    for (const number of this.source.expired(this.containerRid, second)) {
      const version = this.read(number)
      if (version !== undefined) yield version
    }
  }

  /** Returns the number of the first document on disk after a number, or null if there is none. */
  firstAfter(number: number): number | null {
    for (const next of this.source.numbersAfter(this.containerRid, number)) return next
    return null
  }

  /**
   * Yields the summaries of the blocks from `from` on and before `to`. They do not contain changes that are not on disk
   * yet.
   */
  summaries(from: number, to: number): Iterable<readonly [block: number, text: string]> {
    return this.source.summaries(this.containerRid, from, to)
  }

  /** Yields the summaries of chapters. They do not contain changes that are not on disk yet. */
  chapters(): Iterable<readonly [chapter: number, text: string]> {
    return this.source.chapters(this.containerRid)
  }

  /** Returns the document with this number, or undefined if it is not cold. Throws if the document does not exist. */
  private listed(number: number): DocumentVersion | undefined {
    const version = this.read(number)
    if (version !== undefined || !this.isCold(number)) return version
    throw this.source.missing(this.containerRid, number)
  }

  private isCold(number: number): boolean {
    return !this.hot.has(number) && !this.gone.has(number)
  }

  private versionOf(kept: KeptDocument): DocumentVersion {
    const version = this.recovered(kept)
    version.release()
    return version
  }

  private get known(): ColdOwner {
    if (this.owner === null) throw new RangeError('cold documents need a container')
    return this.owner
  }
}
