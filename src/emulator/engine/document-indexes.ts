import type { ContainerDefinition } from './definition/container-definition.js'
import type { DocumentVersion } from './values/document-version.js'
import { ExpiryQueue } from './expiry-queue.js'
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
  /** A number that increases with every change of the documents. */
  changeCount = 0
  /** The objects that follow the documents, such as the indexes that queries use. */
  readonly followers: DocumentFollower[] = []
  /** The size of all documents, as JSON. */
  bytes = 0

  constructor({ uniqueKeys, defaultTtl }: ContainerDefinition, partitions: readonly PhysicalPartition[]) {
    this.uniqueKeys = new UniqueKeyIndex(uniqueKeys)
    this.expiry = new ExpiryQueue(defaultTtl)
    for (const { documents } of partitions) this.add(documents.after(0))
  }

  add(versions: Iterable<DocumentVersion>): void {
    this.changeCount += 1
    for (const version of versions) {
      this.bytes += version.bytes
      this.uniqueKeys.add(version)
      this.expiry.add(version)
      for (const follower of this.followers) follower.added(version)
    }
  }

  remove(version: DocumentVersion): void {
    this.changeCount += 1
    this.bytes -= version.bytes
    this.uniqueKeys.remove(version)
    this.expiry.remove(version)
    for (const follower of this.followers) follower.removed(version)
  }
}
