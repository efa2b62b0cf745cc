/** The most bytes of JSON of the documents that are kept. In memory they take about three times as much. */
const mostBytes = 4 * 2 ** 20

interface Entry<V, T> {
  readonly version: V
  readonly value: T
  /** The size of the document's JSON. */
  readonly bytes: number
}

/**
 * Keeps the documents that a process has written until its feed delivers them. A later version of a document takes the place
 * of the one before. A document that is left out, because there are too many, is read as any other.
 */
export class Undelivered<V, T> {
  private readonly entries = new Map<string, Entry<V, T>>()
  private bytes = 0
  private isBegun = false

  /** Keeps what is put from now on. A process that reads no feed keeps nothing. */
  begin(): void {
    this.isBegun = true
  }

  put(key: string, entry: Entry<V, T>): void {
    if (!this.isBegun) return
    this.remove(key)
    this.entries.set(key, entry)
    this.bytes += entry.bytes
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= mostBytes) return
      this.remove(oldest)
    }
  }

  /** Returns what was kept of this version, and forgets it. */
  take(key: string, version: V): T | undefined {
    const entry = this.entries.get(key)
    if (entry?.version !== version) return undefined
    this.remove(key)
    return entry.value
  }

  clear(): void {
    this.entries.clear()
    this.bytes = 0
  }

  private remove(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0
    this.entries.delete(key)
  }
}
