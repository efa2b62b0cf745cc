const rowsPerChunk = 2 ** 16
const fewestSlots = 2 ** 12

/**
 * Numbers tuples of integers in the order in which they were first added. It compares whole tuples, not only
 * hashes, so different tuples never get the same number. Ten million tuples of eleven numbers take about 600
 * MB.
 */
export class TupleTable {
  private readonly chunks: Int32Array[] = []
  /**
   * A hash table. At the slot of a tuple's hash, or after it, it has the tuple's number plus one; zero if
   * empty.
   */
  private slots = new Int32Array(fewestSlots)
  private count = 0

  constructor(private readonly width: number) {}

  get size(): number {
    return this.count
  }

  /** Returns the number of this tuple, which is the next free number if the tuple is new. */
  add(tuple: Int32Array): number {
    const slot = this.slotOf(tuple)
    const found = this.slots[slot] ?? 0
    if (found !== 0) return found - 1
    const index = this.count
    this.store(tuple, index)
    this.count = index + 1
    this.slots[slot] = index + 1
    if (this.count * 2 > this.slots.length) this.grow()
    return index
  }

  /** Copies the tuple with this number to `into`. */
  read(index: number, into: Int32Array): void {
    const chunk = this.chunks[Math.floor(index / rowsPerChunk)]
    const start = (index % rowsPerChunk) * this.width
    for (let at = 0; at < this.width; at += 1) into[at] = chunk?.[start + at] ?? 0
  }

  private store(tuple: Int32Array, index: number): void {
    const number = Math.floor(index / rowsPerChunk)
    let chunk = this.chunks[number]
    if (chunk === undefined) {
      chunk = new Int32Array(rowsPerChunk * this.width)
      this.chunks.push(chunk)
    }
    chunk.set(
      tuple.length === this.width ? tuple : tuple.subarray(0, this.width),
      (index % rowsPerChunk) * this.width,
    )
  }

  private slotOf(tuple: Int32Array): number {
    const { slots, width } = this
    const mask = slots.length - 1
    for (let slot = hashOf(tuple, width) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] ?? 0
      if (found === 0 || this.isAt(found - 1, tuple)) return slot
    }
  }

  private isAt(index: number, tuple: Int32Array): boolean {
    const chunk = this.chunks[Math.floor(index / rowsPerChunk)]
    const start = (index % rowsPerChunk) * this.width
    for (let at = 0; at < this.width; at += 1) if (chunk?.[start + at] !== tuple[at]) return false
    return true
  }

  private grow(): void {
    const slots = new Int32Array(this.slots.length * 2)
    const mask = slots.length - 1
    const tuple = new Int32Array(this.width)
    for (let index = 0; index < this.count; index += 1) {
      this.read(index, tuple)
      let slot = hashOf(tuple, this.width) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = index + 1
    }
    this.slots = slots
  }
}

function hashOf(tuple: Int32Array, width: number): number {
  let hash = 0x9e3779b9
  for (let at = 0; at < width; at += 1) {
    hash = Math.imul(hash ^ (tuple[at] ?? 0), 0x85ebca6b)
    hash ^= hash >>> 13
  }
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
