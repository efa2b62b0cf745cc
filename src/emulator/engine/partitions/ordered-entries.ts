const chunkCapacity = 256

/**
 * Values in increasing order of their numeric keys, which a value never changes. The cost of appending, removing or finding an entry
 * hardly depends on the number of entries. Removed entries leave no gaps, so reading n entries from any
 * position is O(n).
 */
export class OrderedEntries<T> {
  /** No chunk is empty, because a chunk is removed together with its last entry. */
  private readonly chunks: T[][] = []
  private count = 0

  /** @param keyOf returns the key of a value; keys are not stored, because there may be millions */
  constructor(private readonly keyOf: (value: T) => number) {}

  get size(): number {
    return this.count
  }

  /** The largest key, or 0 if there are no entries. */
  get lastKey(): number {
    const last = this.chunks.at(-1)?.at(-1)
    return last === undefined ? 0 : this.keyOf(last)
  }

  /** Appends a value. Its key must be larger than every key so far. */
  append(value: T): void {
    const key = this.keyOf(value)
    if (this.count > 0 && key <= this.lastKey) {
      throw new RangeError(`entry ${key} cannot follow entry ${this.lastKey}`)
    }
    const chunk = this.chunks.at(-1)
    if (chunk !== undefined && chunk.length < chunkCapacity) chunk.push(value)
    else {
      // A list that grew has room for more values. A copy has none.
      if (chunk !== undefined) this.chunks[this.chunks.length - 1] = chunk.slice()
      this.chunks.push([value])
    }
    this.count += 1
  }

  /** Puts a value between the others. Its key must differ from all of theirs. */
  insert(value: T): void {
    const key = this.keyOf(value)
    const { chunk, chunkIndex, index } = this.seek(key)
    if (chunk === undefined) {
      this.append(value)
      return
    }
    chunk.splice(index, 0, value)
    this.count += 1
    if (chunk.length > chunkCapacity * 2) this.chunks.splice(chunkIndex + 1, 0, chunk.splice(chunkCapacity))
  }

  get(key: number): T | undefined {
    const { chunk, index } = this.found(key)
    return chunk?.[index]
  }

  /** Puts a value in the place of the one with the same key, if there is one. */
  replace(value: T): void {
    const { chunk, index } = this.found(this.keyOf(value))
    if (chunk !== undefined) chunk[index] = value
  }

  delete(key: number): void {
    const { chunk, chunkIndex, index } = this.found(key)
    if (chunk === undefined) return
    chunk.splice(index, 1)
    this.count -= 1
    if (chunk.length === 0) this.chunks.splice(chunkIndex, 1)
  }

  /**
   * Yields the values with keys larger than `key`, in order. Entries must not change during the iteration.
   */
  *after(key: number): Generator<T, void, undefined> {
    const from = this.seek(key + 1)
    for (let chunkIndex = from.chunkIndex; chunkIndex < this.chunks.length; chunkIndex += 1) {
      const values = this.chunks[chunkIndex] ?? []
      const start = chunkIndex === from.chunkIndex ? from.index : 0
      for (let index = start; index < values.length; index += 1) {
        yield values[index] as T
      }
    }
  }

  /** Returns the position of a key, without a chunk if no entry has this key. */
  private found(key: number): Place<T> {
    const place = this.seek(key)
    const value = place.chunk?.[place.index]
    return value !== undefined && this.keyOf(value) === key ? place : { ...place, chunk: undefined }
  }

  /** Returns the first position whose key is not smaller than `key`. */
  private seek(key: number): Place<T> {
    const { chunks, keyOf } = this
    const isReached = (value: T | undefined): boolean => value === undefined || keyOf(value) >= key
    const chunkIndex = firstIndex(chunks.length, (at) => isReached(chunks[at]?.at(-1)))
    const chunk = chunks[chunkIndex]
    const index = chunk === undefined ? 0 : firstIndex(chunk.length, (at) => isReached(chunk[at]))
    return { chunk, chunkIndex, index }
  }
}

interface Place<T> {
  readonly chunk: T[] | undefined
  readonly chunkIndex: number
  readonly index: number
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
