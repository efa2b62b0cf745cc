import type { ColdDocuments } from '../cold/cold-documents.js'
import type { DocumentVersion } from '../values/document-version.js'
import type { ExpiryQueue } from './expiry-queue.js'

/** The container whose expired documents are dropped. */
export interface Purged {
  /** In seconds since the epoch. */
  readonly seconds: number
  readonly definition: { readonly defaultTtl: number | null }
  readonly indexes: { readonly expiry: ExpiryQueue }
  isExpired(version: DocumentVersion): boolean
  drop(version: DocumentVersion): void
}

/** Drops the expired documents of a container, in memory and on disk. */
export class Purge {
  /** The second up to which no expired document is left on disk. */
  private coldUntil = 0
  /** The second up to which no expired document is left. */
  private until = 0

  /** @param cold null if all documents are in memory */
  constructor(
    private readonly container: Purged,
    private readonly cold: ColdDocuments | null,
  ) {}

  /** Whether there may be documents whose time to live is over. */
  get mayHaveExpired(): boolean {
    return this.container.definition.defaultTtl !== null && this.until !== this.container.seconds
  }

  /** Looks for all expired documents again, because their time to live has changed. */
  again(): void {
    this.coldUntil = 0
    this.until = 0
  }

  /** Drops up to `most` documents. */
  run(most: number): void {
    const { seconds, indexes } = this.container
    let left = most
    while (left > 0) {
      const versions = indexes.expiry.due(seconds, left)
      if (versions.length === 0) break
      left -= versions.length
      for (const version of versions) this.container.drop(version)
    }
    if (left > 0 && this.isColdPurged(left)) this.until = seconds
  }

  /** Drops expired documents that are on disk, and returns whether none is left. Looks for them once a second. */
  private isColdPurged(most: number): boolean {
    const { seconds, definition } = this.container
    if (this.cold === null || definition.defaultTtl === null || this.coldUntil === seconds) return true
    const expired: DocumentVersion[] = []
    for (const version of this.cold.expired(seconds)) {
      if (expired.length >= most) break
      // New settings may have changed the time to live of a document whose place on disk is still the old one.
      if (this.container.isExpired(version)) expired.push(version)
    }
    for (const version of expired) this.container.drop(version)
    if (expired.length >= most) return false
    this.coldUntil = seconds
    return true
  }
}
