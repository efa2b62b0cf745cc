import type { JsonObject } from '../values/json.js'
import type { HistoryFloor, KeptHistory } from './change-history.js'
import type { VersionFields } from '../values/document-version.js'
import type { Throughput } from '../values/throughput.js'
import type { VersionChange } from './version-change.js'

/** A database as the journal keeps it. */
export interface DatabaseRecord {
  readonly id: string
  readonly rid: string
  readonly etag: string
  readonly ts: number
  /** Kept so that the rid of a deleted container is never reused. */
  readonly lastContainerNumber: number
}

/** A container as the journal keeps it. */
export interface ContainerRecord {
  readonly rid: string
  readonly databaseRid: string
  readonly definition: JsonObject
  readonly etag: string
  readonly ts: number
}

/** A physical partition as the journal keeps it. */
export interface PartitionRecord {
  readonly containerRid: string
  readonly id: string
  readonly min: string
  readonly max: string
  readonly parents: readonly string[]
  /** The LSN of the last transaction, kept so that none is reused. */
  readonly lsn: number
  /** The container's last document number when this record was written. */
  readonly lastDocumentNumber: number
}

/** An offer as the journal keeps it: the throughput of a container or a database. */
export interface OfferRecord {
  readonly rid: string
  readonly ownerRid: string
  /** The owner's path by rids, with a trailing slash. */
  readonly ownerSelf: string
  readonly throughput: Throughput
  /** The highest throughput so far in RU/s, which determines the minimum. */
  readonly highestEver: number
  /** The number of changes. */
  readonly changes: number
  readonly ts: number
}

/** One change of stored data. */
export type JournalRecord =
  | { readonly kind: 'database'; readonly database: DatabaseRecord }
  | { readonly kind: 'databaseDeleted'; readonly rid: string }
  | { readonly kind: 'container'; readonly container: ContainerRecord }
  | { readonly kind: 'containerDeleted'; readonly rid: string }
  | { readonly kind: 'partition'; readonly partition: PartitionRecord }
  | { readonly kind: 'partitionDeleted'; readonly containerRid: string; readonly id: string }
  | { readonly kind: 'offer'; readonly offer: OfferRecord }
  | { readonly kind: 'offerDeleted'; readonly rid: string }
  | { readonly kind: 'document'; readonly containerRid: string; readonly version: VersionFields }
  | { readonly kind: 'documentDeleted'; readonly containerRid: string; readonly number: number }
  | { readonly kind: 'change'; readonly containerRid: string; readonly change: VersionChange }
  | { readonly kind: 'changeForgotten'; readonly containerRid: string; readonly change: VersionChange }
  | {
      readonly kind: 'historyFloors'
      readonly containerRid: string
      readonly floors: readonly HistoryFloor[]
    }
  | { readonly kind: 'historyDropped'; readonly containerRid: string }

/**
 * Receives every change in the order it was made. One call is one transaction, which is kept or lost as a whole.
 * Memory is authoritative while the process lives; the journal serves to rebuild it.
 */
export interface Journal {
  append(records: readonly JournalRecord[]): void
  /** Resolves when everything appended so far is durable. Returns null when it already is. */
  settled(): Promise<void> | null
}

/** The contents of a journal, in any order within each kind. */
export interface JournalContents {
  readonly databases: Iterable<DatabaseRecord>
  readonly containers: Iterable<ContainerRecord>
  readonly partitions: Iterable<PartitionRecord>
  readonly offers: Iterable<OfferRecord>
  documents(containerRid: string): Iterable<VersionFields>
  /** Returns the kept history, or undefined when the container keeps none. */
  history(containerRid: string): KeptHistory | undefined
}

/** A journal for an engine without persistence. */
export const noJournal: Journal = {
  append: () => undefined,
  settled: () => null,
}
