import type { VersionFields, VersionHead } from './version-fields.js'

/** Reads the texts that memory does not hold. */
export interface TextSource {
  /** Returns the text of a stored version. Throws if the stored record is not that of the version. */
  read(containerRid: string, version: VersionHead & Pick<VersionFields, 'etag'>): string
}

/** A version whose text the memory keeps. */
export interface Forgetful {
  /** Forgets the text, and returns the bytes that this frees. Returns null if the text is in use. */
  forget(): number | null
}

/** The number of bytes that memory may use for texts and parsed documents, if nothing else is said. */
export const defaultMemoryBytes = 256 * 2 ** 20

/**
 * The texts and parsed documents that an account with a data directory keeps in memory, up to a number of
 * bytes. A version comes here when it is on disk. If there are too many, the versions that were not used for
 * the longest time forget their texts, and later read them from disk.
 *
 * A use only sets a mark, because most requests use texts. A version whose turn has come and that has the
 * mark loses the mark and goes to the end of the queue.
 */
export class TextMemory {
  private readonly queue = new Set<Forgetful>()
  /** Goes through the queue. One iterator is kept, because a new one would pass all removed entries again. */
  private turns: SetIterator<Forgetful> | null = null
  private used = 0

  constructor(
    readonly source: TextSource,
    private readonly mostBytes = defaultMemoryBytes,
  ) {}

  /** The bytes that the kept texts and parsed documents use, by estimate. */
  get usedBytes(): number {
    return this.used
  }

  /** Keeps a version's text, and lets others forget theirs if there are too many. */
  keep(version: Forgetful, bytes: number): void {
    this.queue.add(version)
    this.grow(bytes)
  }

  /** Counts what a kept version uses in addition. */
  grow(bytes: number): void {
    this.used += bytes
    while (this.used > this.mostBytes && this.queue.size > 0) this.takeTurn()
  }

  /** Takes out a version that keeps its text itself from now on. */
  release(version: Forgetful, bytes: number): void {
    if (this.queue.delete(version)) this.used -= bytes
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
