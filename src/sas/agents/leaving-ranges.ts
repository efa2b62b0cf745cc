import { setMaxListeners } from 'node:events'

/** The signals that end the waits in memory, by the lease of the range. */
export class LeavingRanges {
  private readonly ranges = new Map<string, AbortController>()

  /** Returns the signal that ends the waits in memory for steps of a range. */
  of(leaseToken: string | null): AbortController {
    const token = leaseToken ?? ''
    const known = this.ranges.get(token)
    if (known?.signal.aborted === false) return known
    const leaving = new AbortController()
    setMaxListeners(0, leaving.signal)
    this.ranges.set(token, leaving)
    return leaving
  }

  leave(leaseToken: string): void {
    this.ranges.get(leaseToken)?.abort()
    this.ranges.delete(leaseToken)
  }

  leaveAll(): void {
    for (const leaving of this.ranges.values()) leaving.abort()
  }
}
