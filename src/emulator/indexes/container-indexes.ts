import type { Container, DocumentFollower, DocumentVersion, OrderedPath } from '../engine/index.js'
import { DocumentIndex } from './document-index.js'

/** The most indexes of one container. A new index then replaces the least recently used one. */
const mostIndexes = 8

/** The number of changes for which an unused index is kept, even if the container has few documents. */
const fewestChanges = 1_000

interface KeptIndex {
  readonly index: DocumentIndex
  /** The number of changes since a query used the index. */
  idleChanges: number
}

/**
 * The indexes that queries have needed so far. The first query that needs an index builds it. Writes only
 * note what they change, so they cost the same as without indexes. The next query applies these changes. An
 * index is dropped if no query uses it during many changes: `fewestChanges` plus a quarter of the documents.
 */
export class ContainerIndexes implements DocumentFollower {
  /** The least recently used index comes first. */
  private readonly kept = new Map<string, KeptIndex>()
  /** The newest versions of changed documents by their numbers, or null for documents that are gone. */
  private changed = new Map<number, DocumentVersion | null>()
  private changeCount = 0

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
    this.note(version.number, version)
  }

  removed(version: DocumentVersion): void {
    this.note(version.number, null)
  }

  /** Returns an index over these paths, with all documents. */
  index(paths: readonly OrderedPath[]): DocumentIndex {
    this.applyChanges()
    const name = JSON.stringify(paths)
    const known = this.kept.get(name)
    this.kept.delete(name)
    const index = known?.index ?? new DocumentIndex(paths, this.versions())
    this.kept.set(name, { index, idleChanges: 0 })
    const [oldest] = this.kept.keys()
    if (oldest !== undefined && this.kept.size > mostIndexes) this.kept.delete(oldest)
    return index
  }

  private get mostChanges(): number {
    return fewestChanges + this.container.documentCount / 4
  }

  private note(number: number, version: DocumentVersion | null): void {
    if (this.kept.size === 0) return
    this.changed.set(number, version)
    this.changeCount += 1
    if (this.changeCount <= this.mostChanges) return
    this.kept.clear()
    this.takeChanges()
  }

  private applyChanges(): void {
    const { changeCount } = this
    const changed = this.takeChanges()
    for (const [name, kept] of this.kept) {
      kept.idleChanges += changeCount
      if (kept.idleChanges > this.mostChanges) this.kept.delete(name)
      else for (const [number, version] of changed) kept.index.change(number, version)
    }
  }

  private takeChanges(): ReadonlyMap<number, DocumentVersion | null> {
    const { changed } = this
    this.changed = new Map()
    this.changeCount = 0
    return changed
  }

  private *versions(): Generator<DocumentVersion, void, undefined> {
    for (const { documents } of this.container.partitions) yield* documents.after(0)
  }
}
