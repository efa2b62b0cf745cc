import type { JsonObject } from '../values/json.js'
import type { KeyRange } from '../partitions/key-ranges.js'
import type { PhysicalPartition } from '../partitions/physical-partition.js'
import type { DocumentVersion } from '../values/document-version.js'
import type { KeptDocument } from '../values/version-fields.js'
import type { Throughput } from '../values/throughput.js'
import type { VersionChange } from './version-change.js'

export interface DatabaseRecord {
  readonly id: string
  readonly rid: string
  readonly etag: string
  readonly ts: number
  /** The number of the newest container, kept so that the rid of a deleted container is never reused. */
  readonly lastContainerNumber: number
}

export interface ContainerRecord {
  readonly rid: string
  readonly databaseRid: string
  readonly definition: JsonObject
  readonly etag: string
  readonly ts: number
}

export interface PartitionRecord extends KeyRange {
  readonly containerRid: string
  readonly id: string
  readonly parents: readonly string[]
  /** The LSN of the last transaction, kept so that no LSN is reused. */
  readonly lsn: number
  /** The container's last document number when this record was written. */
  readonly lastDocumentNumber: number
  /** The number and the bytes of the partition's documents. Formats before 4 do not have them. */
  readonly count?: number
  readonly bytes?: number
}

/** A user of a database, or a permission of a user. */
export interface NamedRecord {
  readonly rid: string
  readonly ownerRid: string
  readonly id: string
  /** The number of changes since the record was created. */
  readonly changes: number
  readonly ts: number
}

export interface PermissionRecord extends NamedRecord {
  /** The mode as the client wrote it. */
  readonly permissionMode: string
  /** The link as the client wrote it. */
  readonly resource: string
  readonly containerRid: string
  /** The id of the only document that the permission covers, or null if it covers the whole container. */
  readonly documentId: string | null
  /** The first levels of the only partition key that the permission covers, or null if it covers all keys. */
  readonly partitionKey: readonly unknown[] | null
}

/** An offer, which is the throughput of a container or a database, in the form that the journal keeps. */
export interface OfferRecord {
  readonly rid: string
  readonly ownerRid: string
  /** The owner's path, which consists of rids and ends with a slash. */
  readonly ownerSelf: string
  readonly throughput: Throughput
  /** The highest throughput so far in RU/s, which determines the minimum. */
  readonly highestEver: number
  readonly changes: number
  readonly ts: number
}

/** A part of the key space, and the LSN up to which its changes are not kept. */
export interface HistoryFloor extends KeyRange {
  readonly lsn: number
}

export interface KeptHistory {
  readonly floors: readonly HistoryFloor[]
  readonly changes: Iterable<VersionChange>
}

/** One change of stored data. A `value` or `floors` of null means that the data was deleted. */
export type JournalRecord =
  | { readonly kind: 'database'; readonly rid: string; readonly value: DatabaseRecord | null }
  | { readonly kind: 'container'; readonly rid: string; readonly value: ContainerRecord | null }
  | { readonly kind: 'offer'; readonly rid: string; readonly value: OfferRecord | null }
  | { readonly kind: 'user'; readonly rid: string; readonly value: NamedRecord | null }
  | { readonly kind: 'permission'; readonly rid: string; readonly value: PermissionRecord | null }
  | (InContainer & {
      readonly kind: 'partition'
      readonly id: string
      readonly value: PartitionRecord | null
    })
  | (InContainer & {
      readonly kind: 'document'
      readonly number: number
      readonly value: DocumentVersion | null
      /** The journal calls this when the change is on disk. */
      readonly stored: () => void
    })
  | (InContainer & {
      /** The summary of a block of documents. A change of one of them removes it. See `blockOf`. */
      readonly kind: 'summary'
      readonly block: number
      readonly text: string
    })
  | (InContainer & {
      /** The summary of a chapter of blocks, all of which have a summary. A change of a document removes it. */
      readonly kind: 'chapter'
      readonly chapter: number
      readonly text: string
      /** The journal calls this when the `DocumentSource` has the summary. */
      readonly stored: () => void
    })
  | (InContainer & { readonly kind: 'change'; readonly change: VersionChange; readonly isForgotten: boolean })
  | (InContainer & { readonly kind: 'history'; readonly floors: readonly HistoryFloor[] | null })

interface InContainer {
  readonly containerRid: string
}

/**
 * Receives every change in order. One call is one transaction, which is kept or lost as a whole. While the
 * process runs, memory has every change that is not on disk yet. The next process reads the contents of the
 * journal, and documents that memory does not keep are read from disk (see `DocumentSource`).
 */
export interface Journal {
  append(records: readonly JournalRecord[]): void
  /** Resolves when everything appended so far is durable. Returns null if everything is durable already. */
  settled(): Promise<void> | null
  /**
   * Resolves when the `DocumentSource` has everything appended so far, also that of the next process. Returns null if it
   * has this already.
   */
  applied(): Promise<void> | null
  /** Takes the documents of its contents back as versions in memory, so that the `DocumentSource` gets them later. */
  recover(records: readonly JournalRecord[]): void
}

/** A document that is durable, but not in the `DocumentSource` yet. */
export interface RecoveredDocument extends InContainer {
  readonly number: number
  /** Null if the document is removed. */
  readonly kept: KeptDocument | null
}

/** The contents of a journal. The records of one kind may be in any order. */
export interface JournalContents {
  readonly databases: Iterable<DatabaseRecord>
  readonly containers: Iterable<ContainerRecord>
  readonly partitions: Iterable<PartitionRecord>
  readonly offers: Iterable<OfferRecord>
  readonly users: Iterable<NamedRecord>
  readonly permissions: Iterable<PermissionRecord>
  history(containerRid: string): KeptHistory | undefined
  /** The documents that the `DocumentSource` lacks, or has in an earlier version. */
  readonly documents: Iterable<RecoveredDocument>
}

/** A journal for an engine without persistence. */
export const noJournal: Journal = {
  append: () => undefined,
  settled: () => null,
  applied: () => null,
  recover: () => undefined,
}

export function documentRecord(containerRid: string, value: DocumentVersion): JournalRecord {
  const stored = (): void => {
    value.stored()
  }
  return { kind: 'document', containerRid, number: value.number, value, stored }
}

/** @param stored called when the removal is on disk */
export function removalRecord(containerRid: string, number: number, stored: () => void): JournalRecord {
  return { kind: 'document', containerRid, number, value: null, stored }
}

export function partitionRecord(
  { rid: containerRid, lastDocumentNumber }: { readonly rid: string; readonly lastDocumentNumber: number },
  { identity, lsn, held }: PhysicalPartition,
): JournalRecord {
  const { id, range, parents } = identity
  const value: PartitionRecord = { containerRid, id, ...range, parents, lsn, lastDocumentNumber, ...held }
  return { kind: 'partition', containerRid, id, value }
}
