/** What the service says when the changes asked for do not fit into an answer, with whatever status. */
const tooLarge = /reduce page size and try again/i

/**
 * How many changes are asked for at once: `most`, and half as many each time that the service finds that too many, until
 * it answers; then again more with each answer.
 */
export class PageSize {
  constructor(
    private readonly most: number,
    private size = most,
  ) {}

  get current(): number {
    return this.size
  }

  /** Answers whether less is asked for from now on because of `error`; false if it is about something else. */
  shrinkFor(error: Error): boolean {
    if (this.size === 1 || !tooLarge.test(error.message)) return false
    this.size = Math.ceil(this.size / 2)
    return true
  }

  /** There was an answer. */
  grow(): void {
    this.size = Math.min(this.most, 2 * this.size)
  }
}
