/** A version that the memory keeps. */
export interface Forgetful {
  /** Leaves the memory, and returns the bytes that this frees. Returns null if the version is in use. */
  forget(): number | null
}

/** The number of bytes that memory may use for stored documents, if nothing else is said. */
export const defaultMemoryBytes = 256 * 2 ** 20

/**
 * The versions that an account with a data directory keeps in memory, although they are on disk, up to a number
 * of bytes. A version comes here when it is on disk, or when it is read by its id. If there are too many, the
 * versions that were not used for the longest time leave, and are later found on disk.
 *
 * A use only sets a mark, because most requests use versions. A version whose turn has come and that has the
 * mark loses the mark and goes to the end of the queue.
 */
export class TextMemory {
  private readonly queue = new Set<Forgetful>()
  /** Goes through the queue. One iterator is kept, because a new one would pass all removed entries again. */
  private turns: SetIterator<Forgetful> | null = null
  private used = 0

  /** @param waitingBytes returns the bytes of the versions that cannot leave memory, because they are only in the log */
  constructor(
    private readonly mostBytes = defaultMemoryBytes,
    private readonly waitingBytes: () => number = () => 0,
  ) {}

  /** The bytes that the kept versions use, by estimate. */
  get usedBytes(): number {
    return this.used
  }

  /** Keeps a version, at least until the next `trim`. */
  keep(version: Forgetful, bytes: number): void {
    this.queue.add(version)
    this.grow(bytes)
  }

  /** Counts what a kept version uses in addition. */
  grow(bytes: number): void {
    this.used += bytes
  }

  /** Takes out a version that is not the newest one any more. */
  release(version: Forgetful, bytes: number): void {
    if (this.queue.delete(version)) this.used -= bytes
  }

  /**
   * Lets versions leave if there are too many. Must not run while documents are being read.
   *
   * @param part the part of the bytes that the remaining ones may use; default: all
   */
  trim(part = 1): void {
    const mostBytes = this.mostBytes * part - this.waitingBytes()
    while (this.used > mostBytes && this.queue.size > 0) this.takeTurn()
  }

  private takeTurn(): void {
    this.turns ??= this.queue.values()
    const turn = this.turns.next()
    if (turn.done === true) {
      this.turns = null
      return
    }
    this.queue.delete(turn.value)
    const freed = turn.value.forget()
    if (freed === null) this.queue.add(turn.value)
    else this.used -= freed
  }
}
