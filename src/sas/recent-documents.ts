import type { DocumentAddress, Stored } from './state-store.js'

/**
 * The newest versions of documents this process has seen, bounded, so that advancing a job needs no reads. It may be
 * old: every write that rests on it is conditional, and a conflict forgets it.
 */
export class RecentDocuments<T extends DocumentAddress> {
  private readonly documents = new Map<string, Stored<T>>()

  /** @param capacity how many are kept; the least recently put goes first */
  constructor(private readonly capacity: number) {}

  get(address: DocumentAddress): Stored<T> | undefined {
    return this.documents.get(keyOf(address))
  }

  put(document: Stored<T>): void {
    const key = keyOf(document)
    this.documents.delete(key)
    this.documents.set(key, document)
    for (const oldest of this.documents.keys()) {
      if (this.documents.size <= this.capacity) return
      this.documents.delete(oldest)
    }
  }

  forget(address: DocumentAddress): void {
    this.documents.delete(keyOf(address))
  }
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}
