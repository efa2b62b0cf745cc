import type { Clock } from '../../platform/index.js'
import type { ChangePage } from './change-feed.js'

/** The bounds of the pages that are kept. */
export interface RecentPagesOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** The estimated size in bytes above which the oldest pages are dropped. */
  readonly maxBytes: number
  /** The time in milliseconds after which a page is dropped. */
  readonly maxAgeMs: number
}

interface Kept<C> {
  readonly page: ChangePage<C>
  readonly bytes: number
  readonly keptAtMs: number
}

/** The estimated size of an empty page, and of a value that is neither text nor a list nor an object. */
const [pageBytes, valueBytes] = [500, 8]

/** The estimated size of a change without its document, and the size of a document in memory by the size of its JSON. */
const [changeBytes, memoryFactor] = [200, 2]

/** Keeps the pages that were read most recently, by a key, within bounds of size and age. */
export class RecentPages<C> {
  /** The pages, oldest first. */
  private readonly kept = new Map<string, Kept<C>>()
  private bytes = 0
  /** The estimated size of all pages that were ever kept. */
  keptBytes = 0

  constructor(private readonly options: RecentPagesOptions) {}

  /** Keeps a page. A page above the bound is not kept, and drops no other page. */
  keep(key: string, page: ChangePage<C>): void {
    const bytes = pageBytes + memoryOf(page)
    if (bytes > this.options.maxBytes) return
    this.drop(key)
    this.kept.set(key, { page, bytes, keptAtMs: this.options.clock.monotonic() })
    this.bytes += bytes
    this.keptBytes += bytes
    this.dropOld()
  }

  find(key: string): ChangePage<C> | undefined {
    this.dropOld()
    return this.kept.get(key)?.page
  }

  private dropOld(): void {
    const { clock, maxBytes, maxAgeMs } = this.options
    const oldestMs = clock.monotonic() - maxAgeMs
    for (const [key, { keptAtMs }] of this.kept) {
      if (this.bytes <= maxBytes && keptAtMs >= oldestMs) return
      this.drop(key)
    }
  }

  private drop(key: string): void {
    this.bytes -= this.kept.get(key)?.bytes ?? 0
    this.kept.delete(key)
  }
}

function memoryOf({ changes, bytes }: ChangePage<unknown>): number {
  return bytes === undefined ? sizeOf(changes) : changeBytes * changes.length + memoryFactor * bytes
}

/** Estimates the memory of a JSON value from its texts, because writing it as JSON would take longer. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return valueBytes + 2 * value.length
  if (typeof value !== 'object' || value === null) return valueBytes
  let bytes = valueBytes
  for (const name in value) bytes += valueBytes + sizeOf((value as Record<string, unknown>)[name])
  return bytes
}
