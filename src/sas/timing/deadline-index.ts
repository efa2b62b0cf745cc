import TinyQueue from 'tinyqueue'
import type { DocumentAddress } from '../store/state-store.js'

/** A document, and when it is due. */
export interface Deadline extends DocumentAddress {
  readonly dueMs: number
  /** The lease whose feed delivered it, or null if the sweep found it. */
  readonly leaseToken: string | null
}

/** How many outdated entries may stay in the queue, however few are current. */
const toleratedEntries = 64

/**
 * Remembers when each open document is due, earliest first. It is a hint that saves queries. An entry may be lost,
 * because the sweep finds the document. It may be wrong, because the document is read before any decision.
 */
export class DeadlineIndex<T extends Deadline = Deadline> {
  private readonly current = new Map<string, T>()
  private queue = new TinyQueue<T>([], earlierFirst)

  get size(): number {
    return this.current.size
  }

  /** The number of entries in memory, including outdated ones that are not removed yet. */
  get entries(): number {
    return this.queue.length
  }

  /** Returns the deadline of this address, or undefined. */
  get(address: DocumentAddress): T | undefined {
    return this.current.get(keyOf(address))
  }

  /** Sets when a document is due, and replaces its earlier deadline. */
  set(deadline: T): void {
    this.current.set(keyOf(deadline), deadline)
    this.queue.push(deadline)
    this.clean()
  }

  remove(address: DocumentAddress): void {
    if (this.current.delete(keyOf(address))) this.clean()
  }

  /** Forgets the deadlines of a released lease. Its new owner watches them. */
  forgetLease(leaseToken: string): void {
    for (const [key, deadline] of this.current) {
      if (deadline.leaseToken === leaseToken) this.current.delete(key)
    }
    this.clean()
  }

  /** Removes and returns at most `limit` deadlines that are due at `now`. */
  takeDue(now: number, limit: number): T[] {
    const due: T[] = []
    for (let first = this.first(); first !== undefined && first.dueMs <= now; first = this.first()) {
      if (due.length === limit) break
      this.remove(first)
      due.push(first)
    }
    return due
  }

  /** Returns when the earliest deadline is due, or null if there is none. */
  next(): number | null {
    return this.first()?.dueMs ?? null
  }

  /** Rebuilds the queue if most of its entries are outdated. On average, each entry is moved at most once more. */
  private clean(): void {
    if (this.queue.length <= 2 * this.current.size + toleratedEntries) return
    this.queue = new TinyQueue([...this.current.values()], earlierFirst)
  }

  private first(): T | undefined {
    for (let first = this.queue.peek(); first !== undefined; first = this.queue.peek()) {
      if (this.current.get(keyOf(first)) === first) return first
      // This entry was replaced or removed after it was queued.
      this.queue.pop()
    }
    return undefined
  }
}

function earlierFirst(one: Deadline, other: Deadline): number {
  return one.dueMs - other.dueMs
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}
