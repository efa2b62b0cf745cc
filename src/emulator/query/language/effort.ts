import { QueryError } from './query-error.js'

/** The most comparisons in one call of a function. */
const mostComparisons = 10_000_000

/** Counts the comparisons of one call, and refuses a call that needs too many of them. */
export class Effort {
  private spent = 0

  /** @param what the beginning of the error's text, such as 'A spatial function compares edges' */
  constructor(private readonly what: string) {}

  spend(comparisons: number): void {
    this.spent += comparisons
    if (this.spent <= mostComparisons) return
    const reason = `${this.what} more than the limit of ${mostComparisons} times. Compare smaller values.`
    throw new QueryError('BadRequest', reason, { start: 0, end: 0 })
  }
}
