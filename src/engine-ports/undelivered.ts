/** The most bytes of JSON of the documents that are kept. In memory they take about three times as much. */
const mostBytes = 4 * 2 ** 20

interface Kept<T> {
  readonly etag: string
  readonly value: T
  /** The size of the document's JSON. */
  readonly bytes: number
}

/**
 * Keeps the documents that a process has written until its feed delivers them. A document that is left out, because there are
 * too many, is read as any other.
 */
export class Undelivered<T> {
  /** The newest versions of each document, the newest last. */
  private readonly documents = new Map<string, readonly Kept<T>[]>()
  private bytes = 0
  private isBegun = false

  /** @param versions the number of versions that are kept of a document */
  constructor(private readonly versions: number) {}

  /** Keeps what is put from now on. A process that reads no feed keeps nothing. */
  begin(): void {
    this.isBegun = true
  }

  put(key: string, version: Kept<T>): void {
    if (!this.isBegun) return
    const known = this.documents.get(key) ?? []
    this.set(key, [...known, version].slice(-this.versions))
    for (const oldest of this.documents.keys()) {
      if (this.bytes <= mostBytes) return
      this.set(oldest, [])
    }
  }

  /** Returns what was kept of this version. Forgets it with all earlier versions, or with all if the version is unknown. */
  take(key: string, etag: string): T | undefined {
    const known = this.documents.get(key)
    if (known === undefined) return undefined
    const at = known.findIndex((version) => version.etag === etag)
    this.set(key, at === -1 ? [] : known.slice(at + 1))
    return known[at]?.value
  }

  clear(): void {
    this.documents.clear()
    this.bytes = 0
  }

  /** Sets the versions of a document, as the youngest of all documents. */
  private set(key: string, versions: readonly Kept<T>[]): void {
    for (const { bytes } of this.documents.get(key) ?? []) this.bytes -= bytes
    this.documents.delete(key)
    if (versions.length === 0) return
    this.documents.set(key, versions)
    for (const { bytes } of versions) this.bytes += bytes
  }
}
