import type { Container, DocumentFollower, DocumentVersion, OrderedPath } from '../engine/index.js'
import type { DocumentIndex } from './document-index.js'
import { IndexPending } from './index-pending.js'
import { KeptIndex } from './kept-index.js'

/** The most indexes of one container. A new index then replaces the least recently used one. */
const mostIndexes = 8

/** The number of changed documents for which an index is kept, even if the container has few documents. */
const fewestNotes = 1_000

/**
 * The part of the documents that may have changed since a query used an index. If more have changed, a new
 * index costs less than the changes: each of them takes an entry out and puts another one in.
 */
const mostChangedPart = 0.6

/**
 * The indexes that queries have needed so far. The first query that needs an index builds it. Writes only
 * note what they change, so they cost the same as without indexes. The next query applies these changes. An
 * index is dropped when a new one would cost less than the noted changes.
 */
export class ContainerIndexes implements DocumentFollower {
  /** The least recently used index comes first. */
  private readonly kept = new Map<string, KeptIndex>()

  private constructor(private readonly container: Container) {}

  /** Returns the indexes of a container. A split, a merge and new settings drop all of them. */
  static of(container: Container): ContainerIndexes {
    const { followers } = container.indexes
    const known = followers.find((follower) => follower instanceof ContainerIndexes)
    if (known !== undefined) return known
    const created = new ContainerIndexes(container)
    followers.push(created)
    return created
  }

  /** The number of indexes that are kept. */
  get size(): number {
    return this.kept.size
  }

  added(version: DocumentVersion): void {
    this.note(version.number)
  }

  removed(version: DocumentVersion): void {
    this.note(version.number)
  }

  /**
   * Returns an index over these paths, with all documents.
   *
   * @param mayWait whether to throw {@link IndexPending} if the index is far behind; otherwise, the index is
   *   brought up to date at once
   */
  index(paths: readonly OrderedPath[], mayWait = false): DocumentIndex {
    const name = JSON.stringify(paths)
    const kept = this.kept.get(name) ?? new KeptIndex(this.container, paths)
    this.kept.delete(name)
    this.kept.set(name, kept)
    this.dropOldest()
    if (mayWait && kept.isFarBehind) throw new IndexPending(kept.caughtUp())
    kept.catchUp()
    return kept.index
  }

  private dropOldest(): void {
    const [oldest] = this.kept.keys()
    if (oldest !== undefined && this.kept.size > mostIndexes) this.drop(oldest)
  }

  private drop(name: string): void {
    this.kept.get(name)?.drop()
    this.kept.delete(name)
  }

  private note(number: number): void {
    if (this.kept.size === 0) return
    const mostNotes = fewestNotes + this.container.documentCount * mostChangedPart
    for (const [name, kept] of this.kept) {
      kept.note(number)
      if (kept.noteCount > mostNotes && !kept.isCatchingUp) this.drop(name)
    }
  }
}
