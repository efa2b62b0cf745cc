import type { Clock } from '../platform/index.js'
import type { WakeDirectory } from './directory.js'
import type { Neighbour, Wait } from './neighbour.js'
import type { WakeAddress } from './wake-address.js'

/** The pause before the leases are listed again because a process does not answer. It doubles each time. */
const seekPause = { minMs: 250, maxMs: 60_000 }

export interface WaitsElsewhereParts {
  readonly directory: Pick<WakeDirectory, 'known' | 'complete' | 'addressesOf' | 'refreshed'>
  readonly clock: Clock
  /** Returns the process at an address, or null if it is not asked. */
  readonly neighbour: (address: WakeAddress) => Neighbour | null
  /** Checks whether the address is that of this process, which learns of its own ends without a request. */
  readonly isOwn: (address: WakeAddress) => boolean
  readonly closing: AbortSignal
}

/**
 * Asks the processes that schedule awaited jobs for the ends of these jobs. If one of them fails, this class looks for its
 * successors in the leases, and asks them. The polls of a wait find a job that has ended in between.
 */
export class WaitsElsewhere {
  private readonly waits = new Set<Wait>()
  /** The waits whose jobs are scheduled by a process that is not known yet, or does not answer. */
  private readonly lost = new Set<Wait>()
  /** Whether a process has failed, and its successors are not known yet. */
  private hasFailed = false
  private pauseMs = seekPause.minMs
  private isSeeking = false

  constructor(private readonly parts: WaitsElsewhereParts) {}

  add(wait: Wait): void {
    const { directory } = this.parts
    const { physicalRangeId } = wait
    this.waits.add(wait)
    const ask = (): void => {
      if (!this.waits.has(wait) || this.isAsked(wait) || !this.hasFailed) return
      this.lost.add(wait)
      this.seek()
    }
    if (directory.known('scheduler', physicalRangeId) !== null) ask()
    else directory.addressesOf('scheduler', physicalRangeId).then(ask, ask)
  }

  /** Ends a wait. `neighbours` are the processes that may have been asked for it. */
  end(wait: Wait, neighbours: Iterable<Neighbour>): void {
    this.waits.delete(wait)
    this.lost.delete(wait)
    for (const neighbour of neighbours) neighbour.waits.delete(wait)
  }

  /** Looks for the successors of a process that does not answer. */
  failed({ waits, hasAnswered }: Neighbour): void {
    this.hasFailed = true
    // A process that never answered may have been found in an old lease, so the pause goes on growing.
    if (hasAnswered) this.pauseMs = seekPause.minMs
    for (const wait of waits) this.lost.add(wait)
    waits.clear()
    this.seek()
  }

  /** Looks for the new owners of physical partitions that this process has not any more. */
  moved(former: Neighbour | null, physicalRangeIds: readonly string[]): void {
    for (const wait of [...(former?.waits ?? [])]) {
      if (wait.physicalRangeId === null || !physicalRangeIds.includes(wait.physicalRangeId)) continue
      former?.waits.delete(wait)
      this.lost.add(wait)
    }
    this.seek()
  }

  private seek(): void {
    if (this.isSeeking || this.lost.size === 0) return
    this.isSeeking = true
    const over = (): void => {
      this.isSeeking = false
    }
    this.sought().then(over, over)
  }

  private async sought(): Promise<void> {
    const { clock, closing, directory } = this.parts
    while (this.lost.size > 0) {
      await clock.sleep(this.pauseMs, closing)
      if (closing.aborted) return
      this.pauseMs = Math.min(2 * this.pauseMs, seekPause.maxMs)
      await directory.refreshed('scheduler')
      const found = [...this.lost].filter((wait) => this.isAsked(wait))
      for (const wait of found) this.lost.delete(wait)
      // Waits that have ended meanwhile say nothing about the next owner.
      if (found.length > 0 && this.lost.size === 0) this.hasFailed = false
    }
  }

  /** Asks for the end of the job where it is scheduled. Returns false if a process there is not known or not asked. */
  private isAsked(wait: Wait): boolean {
    const { directory, neighbour, isOwn } = this.parts
    const { physicalRangeId } = wait
    const addresses = directory.known('scheduler', physicalRangeId) ?? []
    const others = addresses.filter((address) => !isOwn(address)).map(neighbour)
    for (const other of others) other?.awaitEnd(wait)
    const isKnown = physicalRangeId === null ? directory.complete('scheduler') !== null : addresses.length > 0
    return isKnown && !others.includes(null)
  }
}
