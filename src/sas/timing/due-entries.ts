import TinyQueue from 'tinyqueue'
import type { DocumentAddress } from '../store/state-store.js'

export interface DueEntry extends DocumentAddress {
  readonly dueMs: number
  /** The lease whose feed delivered the document. Null if the sweep found the document. */
  readonly leaseToken: string | null
}

/** The entries of one document. While an entry is under way, a waiting entry is news about the document. */
interface Known<T> {
  readonly waiting: T | null
  readonly underWay: T | null
  /** True if the lease of the entry under way was released. The entry is then not due again after its run. */
  readonly isForgotten?: boolean
}

/** The number of outdated entries that may stay in the queue, even if there are few current entries. */
const toleratedEntries = 64

/**
 * Remembers when work on each document is due, earliest first. The entries are hints that save queries. If an
 * entry is lost, the sweep finds the document. A wrong entry does no harm, because the document is read
 * before any decision.
 *
 * An entry is unknown, then waiting (`note`), then under way (`takeDue`), then unknown or waiting again
 * (`end`). News about an entry under way waits for its end, so that two runs never work on the same document
 * at the same time.
 */
export class DueEntries<T extends DueEntry = DueEntry> {
  private readonly known = new Map<string, Known<T>>()
  private queue = new TinyQueue<T>([], earlierFirst)

  /** @param isNews checks whether an entry replaces the known entry; by default always true */
  constructor(private readonly isNews: (entry: T, known: T | null) => boolean = () => true) {}

  get size(): number {
    return this.known.size
  }

  /** The number of entries in the queue, including outdated entries that are not removed yet. */
  get queued(): number {
    return this.queue.length
  }

  note(entry: T): void {
    const key = keyOf(entry)
    const known = this.known.get(key) ?? { waiting: null, underWay: null }
    const current = known.waiting ?? (known.isForgotten === true ? null : known.underWay)
    if (this.isNews(entry, current)) this.set(key, { ...known, waiting: entry })
  }

  /** Returns at most `limit` entries that are due at `now`. These entries are under way until `end`. */
  takeDue(now: number, limit: number): readonly T[] {
    const due: T[] = []
    for (let first = this.first(); first !== undefined && first.dueMs <= now; first = this.first()) {
      if (due.length === limit) break
      this.set(keyOf(first), { waiting: null, underWay: first })
      due.push(first)
    }
    return due
  }

  /**
   * Ends the work on entries. The entries in `again` wait for their next time, unless they were forgotten or
   * there is news about their documents.
   */
  end(due: readonly T[], again: readonly T[]): void {
    const next = new Map(again.map((entry) => [keyOf(entry), entry]))
    for (const entry of due) {
      const key = keyOf(entry)
      const known = this.known.get(key)
      if (known?.underWay !== entry) continue
      const news = known.waiting
      const later = known.isForgotten === true ? null : (next.get(key) ?? null)
      this.set(key, { waiting: news !== null && this.isNews(news, later) ? news : later, underWay: null })
    }
  }

  /** Forgets the waiting entry of a document. The end of work under way may make the document due again. */
  forget(address: DocumentAddress): void {
    const key = keyOf(address)
    this.set(key, { underWay: null, ...this.known.get(key), waiting: null })
  }

  /** Forgets all entries of a released lease, even entries under way, because the new owner works on them. */
  forgetLease(leaseToken: string): void {
    for (const [key, known] of this.known) {
      const isOf = (entry: T | null): boolean => entry?.leaseToken === leaseToken
      if (isOf(known.waiting)) this.set(key, { ...known, waiting: null })
      // The work continues, so news about the document waits for its end.
      if (isOf(known.underWay)) this.known.set(key, { ...known, waiting: null, isForgotten: true })
    }
  }

  /** Returns the time when the earliest waiting entry is due, or null. */
  next(): number | null {
    return this.first()?.dueMs ?? null
  }

  private set(key: string, known: Known<T>): void {
    const { waiting, underWay } = known
    if (waiting === null && underWay === null) this.known.delete(key)
    else this.known.set(key, known)
    if (waiting !== null && underWay === null) this.queue.push(waiting)
    this.clean()
  }

  /** Rebuilds the queue if most entries are outdated. On average each entry is moved at most once more. */
  private clean(): void {
    if (this.queue.length <= 2 * this.known.size + toleratedEntries) return
    const current = [...this.known.values()].flatMap(({ waiting, underWay }) =>
      waiting === null || underWay !== null ? [] : [waiting],
    )
    this.queue = new TinyQueue(current, earlierFirst)
  }

  private first(): T | undefined {
    for (let first = this.queue.peek(); first !== undefined; first = this.queue.peek()) {
      const known = this.known.get(keyOf(first))
      if (known?.waiting === first && known.underWay === null) return first
      // This entry was replaced, taken or forgotten after it was queued.
      this.queue.pop()
    }
    return undefined
  }
}

function earlierFirst(one: DueEntry, other: DueEntry): number {
  return one.dueMs - other.dueMs
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}
