import { heapBytesOf } from './heap-size.js'
import type { DocumentAddress, Stored } from '../../store/state-store.js'

/** The number of earlier etags that are remembered for a document. The feed is rarely further behind. */
const rememberedEtags = 16

interface Entry<T> {
  readonly document: Stored<T>
  /** The etags of earlier versions that this process itself replaced, oldest first. */
  readonly replaced: readonly string[]
  readonly bytes: number
  /** Whether the feed has delivered this version, so that the version need not be recognised any more. */
  isDelivered: boolean
}

/**
 * Remembers the newest versions of documents that this process has seen, within a memory limit. So the
 * scheduler can advance a job without reads. A version may be old, but every write depends on its etag, and
 * after a conflict the version is forgotten.
 */
export class RecentDocuments<T extends DocumentAddress> {
  private readonly entries = new Map<string, Entry<T>>()

  private bytes = 0

  /** @param budgetBytes the limit of the estimated memory; the oldest entry is removed first */
  constructor(private readonly budgetBytes: number) {}

  get heldBytes(): number {
    return this.bytes
  }

  get(address: DocumentAddress): Stored<T> | undefined {
    return this.entries.get(keyOf(address))?.document
  }

  /** Returns the remembered document if it has this version, or if this process has replaced this version. */
  recognised(version: DocumentAddress & { readonly _etag: string }): Stored<T> | undefined {
    const known = this.entries.get(keyOf(version))
    if (known === undefined) return undefined
    const isKnown = known.document._etag === version._etag || known.replaced.includes(version._etag)
    return isKnown ? known.document : undefined
  }

  /** Remembers a document that was read, unless this process has already replaced that version. */
  put(document: Stored<T>): void {
    const known = this.entries.get(keyOf(document))
    if (known?.replaced.includes(document._etag) === true) return
    this.set(document, known?.document._etag === document._etag ? known.replaced : [])
  }

  /** Remembers a written document in place of the version with `replacedEtag`. */
  putWritten(document: Stored<T>, replacedEtag: string): void {
    const known = this.entries.get(keyOf(document))
    const before = known?.document._etag === replacedEtag ? known.replaced : []
    this.set(document, [...before, replacedEtag].slice(-rememberedEtags))
  }

  /** Notes that the feed has delivered this version. */
  noteDelivered(version: DocumentAddress & { readonly _etag: string }): void {
    const known = this.entries.get(keyOf(version))
    if (known?.document._etag === version._etag) known.isDelivered = true
  }

  forget(address: DocumentAddress): void {
    this.remove(keyOf(address))
  }

  /** Forgets the document if the feed has delivered its last known version. */
  forgetDelivered(address: DocumentAddress): void {
    const key = keyOf(address)
    if (this.entries.get(key)?.isDelivered === true) this.remove(key)
  }

  private set(document: Stored<T>, replaced: readonly string[]): void {
    const key = keyOf(document)
    this.remove(key)
    const bytes = heapBytesOf(document) + heapBytesOf(replaced) + heapBytesOf(key)
    this.entries.set(key, { document, replaced, bytes, isDelivered: false })
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
