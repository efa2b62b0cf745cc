import { lastSequenceOf, lsnOf, type DocumentHome, type DocumentVersion } from '../values/document-version.js'
import type { ColdDocuments } from '../cold/cold-documents.js'
import {
  countIn,
  documentIn,
  documentsIn,
  withDocument,
  withoutDocument,
  type KeyDocuments,
} from './key-documents.js'
import { contains, type KeyRange } from './key-ranges.js'
import { mergedInOrder } from './merged-in-order.js'
import { OrderedEntries } from './ordered-entries.js'

/** The range id of a physical partition, its part of the key space, and its ancestors. */
export interface PartitionIdentity {
  readonly id: string
  readonly range: KeyRange
  /** The ids of all ranges from which splits and merges made this partition, oldest first. */
  readonly parents: readonly string[]
}

/** The documents of a partition in one order, in memory and on disk. */
export interface OrderedDocuments {
  /** The number of documents. */
  readonly size: number
  /** Yields the documents after a key of this order. Documents must not change during the iteration. */
  after(key: number): Iterable<DocumentVersion>
}

/** The number of documents of a partition, and the size of all of them as JSON. */
export interface Held {
  readonly count: number
  readonly bytes: number
}

const nothing: Held = { count: 0, bytes: 0 }

/**
 * The documents of one range of the key space, and the log of their latest versions. A document has one entry
 * in the log. A change moves the entry to the end, and a delete removes it.
 *
 * Without a data directory, memory has all documents. With one, the documents that were not used for long are
 * `cold`: they are only on disk, where the same orders are kept.
 */
export class PhysicalPartition {
  /** Versions by position in the log. */
  readonly changes: OrderedDocuments
  /** Versions by document number. The numbers grow in the order of creation. */
  readonly documents: OrderedDocuments
  private readonly hotChanges = new OrderedEntries<DocumentVersion>(sequenceOf)
  private readonly hotDocuments = new OrderedEntries<DocumentVersion>(numberOf)
  private readonly logical = new Map<string, KeyDocuments>()
  /** The LSN after which every document is in memory. */
  private coldLsn: number
  private count: number
  private bytes: number

  /**
   * @param lsn the LSN of the last transaction; the children of a split start with their parent's LSN
   * @param held counts the documents that are on disk already
   */
  constructor(
    readonly identity: PartitionIdentity,
    public lsn: number,
    private readonly cold: ColdDocuments | null = null,
    held: Held = nothing,
  ) {
    this.coldLsn = lsn
    this.count = held.count
    this.bytes = held.bytes
    const count = (): number => this.count
    this.changes = {
      get size() {
        return count()
      },
      after: (sequence) => this.changesAfter(sequence),
    }
    this.documents = {
      get size() {
        return count()
      },
      after: (number) => this.documentsAfter(number),
    }
  }

  /** Returns an empty partition of the same container. */
  successor(identity: PartitionIdentity, lsn: number): PhysicalPartition {
    return new PhysicalPartition(identity, lsn, this.cold)
  }

  get id(): string {
    return this.identity.id
  }

  get range(): KeyRange {
    return this.identity.range
  }

  get held(): Held {
    return { count: this.count, bytes: this.bytes }
  }

  /** Returns a document, and admits it to memory. Must not run while documents are being read. */
  find(keyText: string, id: string): DocumentVersion | undefined {
    const hot = documentIn(this.logical.get(keyText), id)
    if (hot !== undefined || this.cold === null) return hot
    const found = this.cold.find(keyText, id)
    if (found === undefined) return undefined
    found.keep()
    this.admit(found)
    this.cold.admitted(found)
    return found
  }

  /** Takes into memory versions that are counted already. */
  recover(versions: readonly DocumentVersion[]): void {
    for (const version of sortedBy(versions, numberOf)) this.admit(version)
  }

  /** Returns the documents of one partition key, in the order of creation. */
  documentsOf(keyText: string): Iterable<DocumentVersion> {
    const hot = documentsIn(this.logical.get(keyText))
    return this.cold === null ? hot : sortedBy([...hot, ...this.cold.documentsOf(keyText)], numberOf)
  }

  /** Returns about how many documents one partition key has. */
  countOf(keyText: string): number {
    return countIn(this.logical.get(keyText)) + (this.cold?.countOf(keyText) ?? 0)
  }

  /** Returns what the documents of one partition key share, or undefined if none is in memory. */
  homeOf(keyText: string): DocumentHome | undefined {
    for (const { home } of documentsIn(this.logical.get(keyText))) return home
    return undefined
  }

  /** Returns the version of a document that is in memory. */
  hotNumbered(number: number): DocumentVersion | undefined {
    return this.hotDocuments.get(number)
  }

  /** Yields the documents in memory after a number, in the order of creation. */
  hotAfter(number: number): Generator<DocumentVersion, void, undefined> {
    return this.hotDocuments.after(number)
  }

  /**
   * Stores versions, which may be in any order. They replace earlier versions with the same document number.
   */
  store(versions: readonly DocumentVersion[]): void {
    for (const version of sortedBy(versions, numberOf)) this.storeDocument(version)
    for (const version of sortedBy(versions, sequenceOf)) this.hotChanges.append(version)
  }

  remove(version: DocumentVersion): void {
    this.takeOut(version)
    this.cold?.remove(version.number)
    this.count -= 1
    this.bytes -= version.bytes
    version.release()
  }

  /** Lets go of a version that is on disk. */
  evict(version: DocumentVersion): void {
    this.takeOut(version)
    this.cold?.hot.delete(version.number)
    this.coldLsn = Math.max(this.coldLsn, version.lsn)
  }

  /** Takes over documents in memory from the partitions that this one replaces. Does not count them. */
  takeOver(versions: Iterable<DocumentVersion>, parents: readonly PhysicalPartition[], held: Held): void {
    this.recover([...versions])
    this.coldLsn = Math.max(...parents.map(({ coldLsn }) => coldLsn))
    this.count = held.count
    this.bytes = held.bytes
  }

  private admit(version: DocumentVersion): void {
    this.hotDocuments.insert(version)
    this.hotChanges.insert(version)
    const documents = this.logical.get(version.keyText)
    this.logical.set(version.keyText, withDocument(documents, version))
    this.cold?.hot.set(version.number, version)
  }

  private takeOut(version: DocumentVersion): void {
    const { keyText } = version
    this.hotChanges.delete(version.sequence)
    this.hotDocuments.delete(version.number)
    const others = withoutDocument(this.logical.get(keyText), version.id)
    if (others === undefined) this.logical.delete(keyText)
    else this.logical.set(keyText, others)
  }

  private storeDocument(version: DocumentVersion): void {
    const { keyText } = version
    const documents = this.logical.get(keyText)
    const before = documentIn(documents, version.id)
    if (before === undefined) {
      this.hotDocuments.append(version)
      this.count += 1
    } else {
      before.release()
      this.hotChanges.delete(before.sequence)
      this.hotDocuments.replace(version)
      this.bytes -= before.bytes
    }
    this.bytes += version.bytes
    this.logical.set(keyText, withDocument(documents, version))
    this.cold?.hot.set(version.number, version)
  }

  private changesAfter(sequence: number): Iterable<DocumentVersion> {
    const hot = this.hotChanges.after(sequence)
    if (this.cold === null || sequence >= lastSequenceOf(this.coldLsn)) return hot
    const rangeIds = [...this.identity.parents, this.id]
    const cold = this.cold.changedAfter(rangeIds, { lsn: lsnOf(sequence), sequence })
    return mergedInOrder([hot, this.inRange(cold)], sequenceOf)
  }

  private documentsAfter(number: number): Iterable<DocumentVersion> {
    const hot = this.hotDocuments.after(number)
    return this.cold === null ? hot : mergedInOrder([hot, this.inRange(this.cold.after(number))], numberOf)
  }

  private *inRange(versions: Iterable<DocumentVersion>): Generator<DocumentVersion, void, undefined> {
    for (const version of versions) if (contains(this.range, version.epk)) yield version
  }
}

function sequenceOf({ sequence }: DocumentVersion): number {
  return sequence
}

function numberOf({ number }: DocumentVersion): number {
  return number
}

/** Sorts items only if necessary, because most are sorted already. */
function sortedBy<T>(items: readonly T[], rank: (item: T) => number): readonly T[] {
  let before = Number.NEGATIVE_INFINITY
  for (const item of items) {
    const own = rank(item)
    if (own < before) return [...items].sort((a, b) => rank(a) - rank(b))
    before = own
  }
  return items
}
