import TinyQueue from 'tinyqueue'
import type { DocumentVersion } from '../values/document-version.js'

/**
 * Returns the second in which a version expires, counted from the epoch, or null if it never expires. The
 * time to live begins at the end of the second of the write, so no document expires early.
 */
export function expiresAt(
  { ttl: own, ts }: Pick<DocumentVersion, 'ttl' | 'ts'>,
  defaultTtl: number | null,
): number | null {
  if (defaultTtl === null) return null
  const ttl = own ?? defaultTtl
  return ttl === -1 ? null : ts + ttl + 1
}

/** The number of empty seconds that may stay queued. */
const fewestSeconds = 1_000

/** A container's documents by the second in which they expire. */
export class ExpiryQueue {
  private readonly bySecond = new Map<number, Set<DocumentVersion>>()
  /**
   * The seconds in which documents expire, with the earliest first. A second stays queued until its time
   * comes.
   */
  private seconds = new TinyQueue<number>()
  private readonly queued = new Set<number>()

  constructor(private readonly defaultTtl: number | null) {}

  add(version: DocumentVersion): void {
    const second = expiresAt(version, this.defaultTtl)
    if (second === null) return
    const versions = this.bySecond.get(second)
    if (versions !== undefined) {
      versions.add(version)
      return
    }
    this.bySecond.set(second, new Set([version]))
    if (this.queued.has(second)) return
    this.queued.add(second)
    this.seconds.push(second)
  }

  remove(version: DocumentVersion): void {
    const second = expiresAt(version, this.defaultTtl)
    if (second === null) return
    const versions = this.bySecond.get(second)
    versions?.delete(version)
    if (versions?.size !== 0) return
    this.bySecond.delete(second)
    // Most seconds of a busy store become empty long before they come, because its documents change or leave.
    if (this.queued.size > 2 * this.bySecond.size + fewestSeconds) this.queueAgain()
  }

  private queueAgain(): void {
    this.queued.clear()
    for (const second of this.bySecond.keys()) this.queued.add(second)
    this.seconds = new TinyQueue([...this.queued])
  }

  /** Returns up to `count` expired versions of the earliest second. `remove` takes them out of the queue. */
  due(nowSeconds: number, count: number): readonly DocumentVersion[] {
    while (true) {
      const second = this.seconds.peek()
      if (second === undefined || second > nowSeconds) return []
      const versions = this.bySecond.get(second)
      if (versions !== undefined) return firstOf(versions, count)
      this.queued.delete(second)
      this.seconds.pop()
    }
  }
}

function firstOf<T>(items: Iterable<T>, count: number): readonly T[] {
  const first: T[] = []
  for (const item of items) {
    if (first.length === count) break
    first.push(item)
  }
  return first
}
