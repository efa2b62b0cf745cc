import { firstIndex } from '../engine/partitions/ordered-entries.js'

/** A place between two entries. */
export interface Position {
  readonly chunk: number
  readonly index: number
}

export function isBefore(one: Position, other: Position): boolean {
  return one.chunk < other.chunk || (one.chunk === other.chunk && one.index < other.index)
}

const chunkCapacity = 512

/**
 * Entries in the order of a comparison, in chunks of limited size. Finding an entry takes logarithmic time.
 * Adding or removing one moves only the entries of its chunk.
 */
export class SortedEntries<T> {
  /** No chunk is empty. */
  private readonly chunks: T[][] = []

  constructor(
    entries: T[],
    private readonly compare: (one: T, other: T) => number,
  ) {
    const sorted = entries.sort(compare)
    // A new chunk is only half full, so that additions do not split it soon.
    for (let start = 0; start < sorted.length; start += chunkCapacity / 2) {
      this.chunks.push(sorted.slice(start, start + chunkCapacity / 2))
    }
  }

  add(entry: T): void {
    const { chunk, index } = this.seek((other) => this.compare(other, entry) >= 0)
    // An entry after all others goes to the end of the last chunk.
    const isLast = chunk > 0 && chunk === this.chunks.length
    const number = isLast ? chunk - 1 : chunk
    const entries = this.chunks[number]
    if (entries === undefined) {
      this.chunks.push([entry])
      return
    }
    entries.splice(isLast ? entries.length : index, 0, entry)
    if (entries.length > chunkCapacity) this.chunks.splice(number + 1, 0, entries.splice(chunkCapacity / 2))
  }

  remove(entry: T): void {
    const { chunk, index } = this.seek((other) => this.compare(other, entry) >= 0)
    const entries = this.chunks[chunk]
    const found = entries?.[index]
    if (entries === undefined || found === undefined || this.compare(found, entry) !== 0) return
    entries.splice(index, 1)
    if (entries.length === 0) this.chunks.splice(chunk, 1)
  }

  /**
   * Returns the position before the first entry that fulfils `isReached`. All later entries must fulfil it.
   */
  seek(isReached: (entry: T) => boolean): Position {
    const chunk = firstIndex(this.chunks.length, (at) => isReached(this.chunks[at]?.at(-1) as T))
    const entries = this.chunks[chunk] ?? []
    return { chunk, index: firstIndex(entries.length, (at) => isReached(entries[at] as T)) }
  }

  /** Returns the number of entries between two positions. */
  count(from: Position, to: Position): number {
    let count = to.index - from.index
    for (let chunk = from.chunk; chunk < to.chunk; chunk += 1) count += this.chunks[chunk]?.length ?? 0
    return Math.max(0, count)
  }

  /** Returns the entry before a position, or undefined at the start. */
  before({ chunk, index }: Position): T | undefined {
    return index > 0 ? this.chunks[chunk]?.[index - 1] : this.chunks[chunk - 1]?.at(-1)
  }

  /** Yields the entries between two positions. Entries must not change during the iteration. */
  *between(from: Position, to: Position): Generator<T, void, undefined> {
    for (let chunk = from.chunk; chunk <= to.chunk; chunk += 1) {
      const entries = this.chunks[chunk] ?? []
      const end = chunk === to.chunk ? to.index : entries.length
      for (let index = chunk === from.chunk ? from.index : 0; index < end; index += 1) {
        yield entries[index] as T
      }
    }
  }
}
