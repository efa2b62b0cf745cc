import TinyQueue from 'tinyqueue'
import type { DocumentVersion } from './values/document-version.js'

/**
 * Returns the second in which a version expires, counted from the epoch, or null if it never expires. The
 * time to live begins at the end of the second of the write, so no document expires early.
 */
export function expiresAt({ fields }: DocumentVersion, defaultTtl: number | null): number | null {
  if (defaultTtl === null) return null
  const ttl = fields.ttl ?? defaultTtl
  return ttl === -1 ? null : fields.ts + ttl + 1
}

/** A container's documents by the second in which they expire. */
export class ExpiryQueue {
  private readonly bySecond = new Map<number, Set<DocumentVersion>>()
  /**
   * The seconds in which documents expire, with the earliest first. A second stays queued until its time
   * comes.
   */
  private readonly seconds = new TinyQueue<number>()
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
    if (versions?.size === 0) this.bySecond.delete(second)
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
