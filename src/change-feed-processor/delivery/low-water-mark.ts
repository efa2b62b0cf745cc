import type { TrackedPage } from './progress.js'

/** A change that was passed to a delivery, with its place in the feed. */
export interface Ticket {
  readonly page: TrackedPage
  /** The position within the page. */
  readonly index: number
  isDone: boolean
}

/** A place before which every change is done: a page, and the number of its changes before the place. */
export interface Reached {
  readonly page: TrackedPage
  readonly count: number
}

/**
 * Tracks changes that are completed in any order, and finds the place before which all changes are done
 * (I10).
 */
export class LowWaterMark {
  private readonly open: Ticket[] = []

  /** The number of changes that are not done, or that come after a change that is not done. */
  get size(): number {
    return this.open.length
  }

  add(page: TrackedPage, index: number): Ticket {
    const ticket: Ticket = { page, index, isDone: false }
    this.open.push(ticket)
    return ticket
  }

  /**
   * Marks a change as done. Returns the last place now reached in each page, or no place while an earlier
   * change is not done.
   */
  done(ticket: Ticket): readonly Reached[] {
    ticket.isDone = true
    const pending = this.open.findIndex(({ isDone }) => !isDone)
    const passed = this.open.splice(0, pending < 0 ? this.open.length : pending)
    return passed
      .filter(({ page }, place) => passed[place + 1]?.page !== page)
      .map(({ page, index }) => ({ page, count: index + 1 }))
  }
}
