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
  /** So that a container that was deleted never lends its rid to another. */
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
  /** The LSN of the last transaction, so that none is given twice. */
  readonly lsn: number
  /** The container's last document number when this was written. */
  readonly lastDocumentNumber: number
}

/** An offer as the journal keeps it: the throughput that a container or a database has bought. */
export interface OfferRecord {
  readonly rid: string
  readonly ownerRid: string
  /** The owner's path by rids, with a slash at its end. */
  readonly ownerSelf: string
  readonly throughput: Throughput
  /** The most it ever was, RU/s: what it may go down to depends on it. */
  readonly highestEver: number
  /** How often it was changed. */
  readonly changes: number
  readonly ts: number
}

/** One change of what is stored. */
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
 * Told of every change in the order it was made; one call is one transaction, to be kept or lost as a whole. Memory is
 * the truth while the process lives; the journal is what it is rebuilt from.
 */
export interface Journal {
  append(records: readonly JournalRecord[]): void
  /** Resolves when everything appended so far outlives the process; null when it does already. */
  settled(): Promise<void> | null
}

/** What a journal gives back: everything, in any order within each kind. */
export interface JournalContents {
  readonly databases: Iterable<DatabaseRecord>
  readonly containers: Iterable<ContainerRecord>
  readonly partitions: Iterable<PartitionRecord>
  readonly offers: Iterable<OfferRecord>
  documents(containerRid: string): Iterable<VersionFields>
  /** Undefined when the container keeps none. */
  history(containerRid: string): KeptHistory | undefined
}

/** For an engine that forgets everything with its process. */
export const noJournal: Journal = {
  append: () => undefined,
  settled: () => null,
}
