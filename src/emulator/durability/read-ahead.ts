import { readSync } from 'node:fs'

/** The largest number of bytes that one call to the system reads, except for a longer value. */
const largestBlock = 2 ** 18

/**
 * Reads a file that does not change. While each read begins where the last block ended, the blocks double in
 * size. This saves time, because one read of a large block takes far less time than many reads of one page.
 */
export class ReadAhead {
  private block = Buffer.alloc(0)
  private start = 0

  constructor(private readonly descriptor: number) {}

  /** Returns these bytes, or fewer bytes if the file ends before them. Later reads do not change them. */
  read(position: number, length: number): Buffer {
    const end = this.start + this.block.length
    if (position < this.start || position + length > end) {
      const ahead = position === end ? Math.min(this.block.length * 2, largestBlock) : 0
      this.fill(position, Math.max(length, ahead))
    }
    const at = position - this.start
    return this.block.subarray(at, at + length)
  }

  private fill(position: number, length: number): void {
    const block = Buffer.allocUnsafeSlow(length)
    this.block = block.subarray(0, readSync(this.descriptor, block, 0, length, position))
    this.start = position
  }
}
