import { heapBytesOf } from './heap-size.js'
import type { DocumentAddress, Stored } from '../store/state-store.js'

/** Etags remembered of what a document was before: the feed is rarely further behind than that. */
const rememberedEtags = 16

interface Entry<T> {
  readonly document: Stored<T>
  /** Etags of versions that this process has itself replaced on the way to this one, oldest first. */
  readonly replaced: readonly string[]
  /** Estimated memory of the entry. */
  readonly bytes: number
}

/**
 * The newest versions of documents this process has seen, bounded, so that advancing a job needs no reads. It may be
 * old: every write that rests on it is conditional, and a conflict forgets it.
 */
export class RecentDocuments<T extends DocumentAddress> {
  private readonly entries = new Map<string, Entry<T>>()

  private bytes = 0

  /** @param budgetBytes an estimated limit of memory; the entry that was put longest ago is removed first */
  constructor(private readonly budgetBytes: number) {}

  /** Estimated memory of all entries. */
  get heldBytes(): number {
    return this.bytes
  }

  get(address: DocumentAddress): Stored<T> | undefined {
    return this.entries.get(keyOf(address))?.document
  }

  /** The newest version, if this one is it or was replaced by this process on the way to it. */
  recognised(version: DocumentAddress & { readonly _etag: string }): Stored<T> | undefined {
    const known = this.entries.get(keyOf(version))
    if (known === undefined) return undefined
    const isKnown = known.document._etag === version._etag || known.replaced.includes(version._etag)
    return isKnown ? known.document : undefined
  }

  /** A document as it was read. One that this process knows to have replaced is not remembered again. */
  put(document: Stored<T>): void {
    const known = this.entries.get(keyOf(document))
    if (known?.replaced.includes(document._etag) === true) return
    this.set(document, known?.document._etag === document._etag ? known.replaced : [])
  }

  /** A document as it was written, in place of the version with this etag. */
  putWritten(document: Stored<T>, replacedEtag: string): void {
    const known = this.entries.get(keyOf(document))
    const before = known?.document._etag === replacedEtag ? known.replaced : []
    this.set(document, [...before, replacedEtag].slice(-rememberedEtags))
  }

  forget(address: DocumentAddress): void {
    this.remove(keyOf(address))
  }

  private set(document: Stored<T>, replaced: readonly string[]): void {
    const key = keyOf(document)
    this.remove(key)
    const bytes = heapBytesOf(document) + heapBytesOf(replaced) + heapBytesOf(key)
    this.entries.set(key, { document, replaced, bytes })
    this.bytes += bytes
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.budgetBytes) return
      this.remove(oldest)
    }
  }

  private remove(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0
    this.entries.delete(key)
  }
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}
