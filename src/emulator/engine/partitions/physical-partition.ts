import type { DocumentHome, DocumentVersion } from '../values/document-version.js'
import {
  countIn,
  documentIn,
  documentsIn,
  withDocument,
  withoutDocument,
  type KeyDocuments,
} from './key-documents.js'
import type { KeyRange } from './key-ranges.js'
import { OrderedEntries } from './ordered-entries.js'

/** The range id of a physical partition, its part of the key space, and its ancestors. */
export interface PartitionIdentity {
  readonly id: string
  readonly range: KeyRange
  /** The ids of all ranges from which splits and merges made this partition, oldest first. */
  readonly parents: readonly string[]
}

/**
 * The documents of one range of the key space, and the log of their latest versions. A document has one entry
 * in the log. A change moves the entry to the end, and a delete removes it.
 */
export class PhysicalPartition {
  /** Versions by position in the log. */
  readonly changes = new OrderedEntries<DocumentVersion>(sequenceOf)
  /** Versions by document number. The numbers grow in the order of creation. */
  readonly documents = new OrderedEntries<DocumentVersion>(numberOf)
  private readonly logical = new Map<string, KeyDocuments>()

  /** @param lsn the LSN of the last transaction; the children of a split start with their parent's LSN */
  constructor(
    readonly identity: PartitionIdentity,
    public lsn: number,
  ) {}

  get id(): string {
    return this.identity.id
  }

  get range(): KeyRange {
    return this.identity.range
  }

  find(keyText: string, id: string): DocumentVersion | undefined {
    return documentIn(this.logical.get(keyText), id)
  }

  /** Returns the documents of one partition key, in the order of creation. */
  documentsOf(keyText: string): Iterable<DocumentVersion> {
    return documentsIn(this.logical.get(keyText))
  }

  /** Returns what the documents of one partition key share, or undefined if there are none. */
  homeOf(keyText: string): DocumentHome | undefined {
    for (const { home } of this.documentsOf(keyText)) return home
    return undefined
  }

  /** Returns the number of documents of one partition key. */
  countOf(keyText: string): number {
    return countIn(this.logical.get(keyText))
  }

  /**
   * Stores versions, which may be in any order. They replace earlier versions with the same document number.
   */
  store(versions: readonly DocumentVersion[]): void {
    for (const version of sortedBy(versions, numberOf)) this.storeDocument(version)
    for (const version of sortedBy(versions, sequenceOf)) {
      this.changes.append(version)
    }
  }

  remove(version: DocumentVersion): void {
    version.hold()
    const { keyText, number } = version
    this.changes.delete(version.sequence)
    this.documents.delete(number)
    const others = withoutDocument(this.logical.get(keyText), version.id)
    if (others === undefined) this.logical.delete(keyText)
    else this.logical.set(keyText, others)
  }

  private storeDocument(version: DocumentVersion): void {
    const { keyText } = version
    const documents = this.logical.get(keyText)
    const before = documentIn(documents, version.id)
    if (before === undefined) {
      this.documents.append(version)
    } else {
      before.hold()
      this.changes.delete(before.sequence)
      this.documents.replace(version)
    }
    this.logical.set(keyText, withDocument(documents, version))
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
