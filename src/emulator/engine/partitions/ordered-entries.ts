interface Chunk<T> {
  readonly keys: number[]
  readonly values: T[]
}

const chunkCapacity = 256

/**
 * Entries in increasing order of their numeric keys. The cost of appending, removing or finding an entry
 * hardly depends on the number of entries. Removed entries leave no gaps, so reading n entries from any
 * position is O(n).
 */
export class OrderedEntries<T> {
  /** No chunk is empty, because a chunk is removed together with its last entry. */
  private readonly chunks: Chunk<T>[] = []
  private count = 0

  get size(): number {
    return this.count
  }

  /** The largest key, or 0 if there are no entries. */
  get lastKey(): number {
    return this.chunks.at(-1)?.keys.at(-1) ?? 0
  }

  /** Appends an entry. `key` must be larger than every key so far. */
  append(key: number, value: T): void {
    if (this.count > 0 && key <= this.lastKey) {
      throw new RangeError(`entry ${key} cannot follow entry ${this.lastKey}`)
    }
    let last = this.chunks.at(-1)
    if (last === undefined || last.keys.length >= chunkCapacity) {
      last = { keys: [], values: [] }
      this.chunks.push(last)
    }
    last.keys.push(key)
    last.values.push(value)
    this.count += 1
  }

  replace(key: number, value: T): void {
    const { chunk, index } = this.seek(key)
    if (chunk?.keys[index] === key) chunk.values[index] = value
  }

  delete(key: number): void {
    const { chunk, chunkIndex, index } = this.seek(key)
    if (chunk?.keys[index] !== key) return
    chunk.keys.splice(index, 1)
    chunk.values.splice(index, 1)
    this.count -= 1
    if (chunk.keys.length === 0) this.chunks.splice(chunkIndex, 1)
  }

  /**
   * Yields the values with keys larger than `key`, in order. Entries must not change during the iteration.
   */
  *after(key: number): Generator<T, void, undefined> {
    const from = this.seek(key + 1)
    for (let chunkIndex = from.chunkIndex; chunkIndex < this.chunks.length; chunkIndex += 1) {
      const values = this.chunks[chunkIndex]?.values ?? []
      const start = chunkIndex === from.chunkIndex ? from.index : 0
      for (let index = start; index < values.length; index += 1) {
        yield values[index] as T
      }
    }
  }

  /** Returns the first position whose key is not smaller than `key`. */
  private seek(key: number): {
    readonly chunk: Chunk<T> | undefined
    readonly chunkIndex: number
    readonly index: number
  } {
    const chunkIndex = firstIndex(this.chunks.length, (at) => (this.chunks[at]?.keys.at(-1) ?? 0) >= key)
    const chunk = this.chunks[chunkIndex]
    const index =
      chunk === undefined ? 0 : firstIndex(chunk.keys.length, (at) => (chunk.keys[at] ?? 0) >= key)
    return { chunk, chunkIndex, index }
  }
}

/**
 * Returns the first index below `length` for which `holds` is true, or `length` if there is none. `holds`
 * must also be true for every later index.
 */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
