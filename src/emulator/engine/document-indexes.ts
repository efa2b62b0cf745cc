import type { ContainerDefinition } from './definition/container-definition.js'
import type { DocumentVersion } from './values/document-version.js'
import { ExpiryQueue } from './expiry/expiry-queue.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'
import { UniqueKeyIndex } from './definition/unique-keys.js'

/** An object to which every change of a container's documents is reported. */
export interface DocumentFollower {
  added(version: DocumentVersion): void
  removed(version: DocumentVersion): void
}

/** The indexes of a container's documents. The container must report every change of a document to them. */
export class DocumentIndexes {
  readonly uniqueKeys: UniqueKeyIndex
  readonly expiry: ExpiryQueue
  /** A number that increases with every change of the documents, and of those that are in memory. */
  changeCount = 0
  /** The objects that follow the documents, such as the indexes that queries use. */
  readonly followers: DocumentFollower[] = []
  /** The followers that also follow the documents after a split, a merge or new settings. */
  readonly lasting: DocumentFollower[]

  /** @param before the indexes of the same documents that these replace */
  constructor(
    { uniqueKeys, defaultTtl }: ContainerDefinition,
    partitions: readonly PhysicalPartition[],
    before?: DocumentIndexes,
  ) {
    // Unique keys never change, so their index is the same after a split, a merge or new settings.
    this.uniqueKeys = before?.uniqueKeys ?? new UniqueKeyIndex(uniqueKeys)
    this.expiry = new ExpiryQueue(defaultTtl)
    this.lasting = before?.lasting ?? []
    for (const partition of partitions) {
      for (const version of partition.hotAfter(0)) this.expiry.add(version)
      if (before !== undefined || uniqueKeys.length === 0) continue
      for (const version of partition.documents.after(0)) this.uniqueKeys.add(version)
    }
  }

  /** Takes up a version that was read from disk. This is not a change of the document. */
  admit(version: DocumentVersion): void {
    this.changeCount += 1
    this.expiry.add(version)
  }

  /** Lets go of a version that is on disk. This is not a change of the document. */
  evict(version: DocumentVersion): void {
    this.changeCount += 1
    this.expiry.remove(version)
  }

  /** Tells the lasting followers which versions a merge has moved, because the journal writes these versions again. */
  moved(versions: Iterable<DocumentVersion>): void {
    for (const version of versions) {
      for (const follower of this.lasting) follower.removed(version)
      for (const follower of this.lasting) follower.added(version)
    }
  }

  add(versions: Iterable<DocumentVersion>): void {
    this.changeCount += 1
    for (const version of versions) {
      this.uniqueKeys.add(version)
      this.expiry.add(version)
      for (const follower of this.followers) follower.added(version)
      for (const follower of this.lasting) follower.added(version)
    }
  }

  remove(version: DocumentVersion): void {
    this.changeCount += 1
    this.uniqueKeys.remove(version)
    this.expiry.remove(version)
    for (const follower of this.followers) follower.removed(version)
    for (const follower of this.lasting) follower.removed(version)
  }
}
