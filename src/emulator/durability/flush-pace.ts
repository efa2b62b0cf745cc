import { afterThisTurn } from '../../platform/internal.js'

/** The longest time in milliseconds that the process may wait for a flush. */
const quickMs = 1

/** The fewest and the most flushes on another thread after a slow flush. */
const [fewest, most] = [1, 1_024]

/**
 * Decides whether the process waits for a flush, or hands it over to another thread. A hand-over takes about
 * as long as a flush of a fast disk. If a flush that the process waited for was slow, the process waits less often.
 */
export class FlushPace {
  private handOvers = 0
  private next = fewest

  /** Returns whether the process waits for the next flush. If so, call `waited` afterwards. */
  waits(): boolean {
    if (this.handOvers === 0) return true
    this.handOvers -= 1
    return false
  }

  waited(forMs: number): void {
    if (forMs < quickMs) {
      this.next = fewest
      return
    }
    this.handOvers = this.next
    this.next = Math.min(most, this.next * 2)
  }
}

/**
 * Decides when a group of transactions is written to the log. In each turn of the event loop, the first group begins at once. The
 * next ones begin after the turn, so that the transactions of other requests join them. If each began at once, a process that
 * waits for its flushes would flush the transactions of many requests one by one, and no two could join.
 */
export class GroupStarts {
  private isFirst = true

  begin(start: () => void): void {
    if (!this.isFirst) {
      afterThisTurn(start)
      return
    }
    this.isFirst = false
    afterThisTurn(() => {
      this.isFirst = true
    })
    start()
  }
}
