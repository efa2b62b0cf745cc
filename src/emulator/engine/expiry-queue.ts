import type { DocumentVersion } from './values/document-version.js'

/**
 * Returns the end of a version's time to live in seconds since the epoch, or null for never.
 *
 * @param defaultTtl the container's default
 */
export function expiresAt({ fields }: DocumentVersion, defaultTtl: number | null): number | null {
  if (defaultTtl === null) return null
  const ttl = fields.ttl ?? defaultTtl
  return ttl === -1 ? null : fields.ts + ttl
}

/**
 * A container's documents by the second in which they expire. Finds expired documents without looking at the
 * others.
 */
export class ExpiryQueue {
  private readonly bySecond = new Map<number, Set<DocumentVersion>>()
  /**
   * A binary heap of seconds, the earliest first. A second whose documents are all gone stays until its time
   * comes.
   */
  private readonly seconds: number[] = []
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
    this.push(second)
  }

  remove(version: DocumentVersion): void {
    const second = expiresAt(version, this.defaultTtl)
    if (second === null) return
    const versions = this.bySecond.get(second)
    versions?.delete(version)
    if (versions?.size === 0) this.bySecond.delete(second)
  }

  /**
   * Returns up to `count` expired versions of the earliest second that has any. They stay queued until they are
   * removed.
   */
  due(nowSeconds: number, count: number): readonly DocumentVersion[] {
    while (true) {
      const second = this.seconds[0]
      if (second === undefined || second > nowSeconds) return []
      const versions = this.bySecond.get(second)
      if (versions !== undefined) return firstOf(versions, count)
      this.queued.delete(second)
      this.pop()
    }
  }

  private push(second: number): void {
    const { seconds } = this
    let index = seconds.push(second) - 1
    while (index > 0) {
      const parent = (index - 1) >>> 1
      if ((seconds[parent] ?? 0) <= second) break
      seconds[index] = seconds[parent] ?? 0
      index = parent
    }
    seconds[index] = second
  }

  private pop(): void {
    const { seconds } = this
    const last = seconds.pop()
    if (last === undefined || seconds.length === 0) return
    let index = 0
    while (true) {
      let child = 2 * index + 1
      if (child >= seconds.length) break
      if ((seconds[child + 1] ?? Infinity) < (seconds[child] ?? Infinity)) child += 1
      const smaller = seconds[child] ?? Infinity
      if (smaller >= last) break
      seconds[index] = smaller
      index = child
    }
    seconds[index] = last
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
