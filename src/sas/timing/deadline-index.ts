import TinyQueue from 'tinyqueue'
import type { DocumentAddress } from '../store/state-store.js'

/** Something to look at, and when. */
export interface Deadline extends DocumentAddress {
  readonly dueMs: number
  /** The lease it came by, or null when the sweep found it. */
  readonly leaseToken: string | null
}

/** How many outdated entries may stay in the queue, however few are current. */
const toleratedEntries = 64

/**
 * When each open step is due, earliest first. A hint that saves asking the store: it may be lost (the sweep finds the
 * step) or wrong (the step is read before anything is decided).
 */
export class DeadlineIndex<T extends Deadline = Deadline> {
  private readonly current = new Map<string, T>()
  private queue = new TinyQueue<T>([], earlierFirst)

  /** Steps that are waited for. */
  get size(): number {
    return this.current.size
  }

  /** The number of entries in memory: current ones, and outdated ones that were not removed yet. */
  get entries(): number {
    return this.queue.length
  }

  /** What is waited for at this address, whenever it is due. */
  get(address: DocumentAddress): T | undefined {
    return this.current.get(keyOf(address))
  }

  /** Sets when a step is due, instead of what was set before. */
  set(deadline: T): void {
    this.current.set(keyOf(deadline), deadline)
    this.queue.push(deadline)
    this.clean()
  }

  remove(address: DocumentAddress): void {
    if (this.current.delete(keyOf(address))) this.clean()
  }

  /** Forgets what came by a lease that is no longer held: its new owner waits for it. */
  forgetLease(leaseToken: string): void {
    for (const [key, deadline] of this.current) {
      if (deadline.leaseToken === leaseToken) this.current.delete(key)
    }
    this.clean()
  }

  /** Removes and answers what is due at `now`, at most `limit`. */
  takeDue(now: number, limit: number): T[] {
    const due: T[] = []
    for (let first = this.first(); first !== undefined && first.dueMs <= now; first = this.first()) {
      if (due.length === limit) break
      this.remove(first)
      due.push(first)
    }
    return due
  }

  /** When the earliest is due, or null when nothing is waited for. */
  next(): number | null {
    return this.first()?.dueMs ?? null
  }

  /** Rebuilds the queue when most of its entries are outdated, so that on average each entry is moved at most once more. */
  private clean(): void {
    if (this.queue.length <= 2 * this.current.size + toleratedEntries) return
    this.queue = new TinyQueue([...this.current.values()], earlierFirst)
  }

  private first(): T | undefined {
    for (let first = this.queue.peek(); first !== undefined; first = this.queue.peek()) {
      if (this.current.get(keyOf(first)) === first) return first
      // Replaced or removed since it was queued.
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
