/** Receives the container and the physical partition of a write. */
export type WriteListener = (containerRid: string, rangeId: string) => void

/** Reports every write of documents to listeners in this process, so that readers of a feed need not poll. */
export class WriteWatch {
  private readonly listeners = new Set<WriteListener>()
  private silenced: WriteListener | null = null

  /** Adds a listener and returns a function that removes it. A reported write may not be durable yet. */
  subscribe(listener: WriteListener): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  notify(containerRid: string, rangeId: string): void {
    for (const listener of this.listeners) {
      if (listener !== this.silenced) listener(containerRid, rangeId)
    }
  }

  /** Runs a synchronous write without a call to `listener`, because the listener's owner makes the write. */
  without<T>(listener: WriteListener, write: () => T): T {
    this.silenced = listener
    try {
      return write()
    } finally {
      this.silenced = null
    }
  }
}
