import type { TrackedPage } from './progress.js'

/** A change that was handed out, at its place in the feed. */
export interface Ticket {
  readonly page: TrackedPage
  /** Position within the page. */
  readonly index: number
  isDone: boolean
}

/** How far everything is done: this page, and so many of its changes. */
export interface Reached {
  readonly page: TrackedPage
  readonly count: number
}

/** Changes in the order of the feed that may be done in any order, and the place before which all are (I10). */
export class LowWaterMark {
  private readonly open: Ticket[] = []

  /** Changes that are not done, or stand behind one that is not. */
  get size(): number {
    return this.open.length
  }

  add(page: TrackedPage, index: number): Ticket {
    const ticket: Ticket = { page, index, isDone: false }
    this.open.push(ticket)
    return ticket
  }

  /** Answers the places it rose to, the last of each page it passed; none while an earlier change is not done. */
  done(ticket: Ticket): readonly Reached[] {
    ticket.isDone = true
    const pending = this.open.findIndex(({ isDone }) => !isDone)
    const passed = this.open.splice(0, pending < 0 ? this.open.length : pending)
    return passed
      .filter(({ page }, place) => passed[place + 1]?.page !== page)
      .map(({ page, index }) => ({ page, count: index + 1 }))
  }
}
