/** The message of the service when the requested changes do not fit into an answer, with whatever status. */
const tooLarge = /reduce page size and try again/i

/**
 * The number of changes to request at once. It starts with `most`, and halves each time the service finds it
 * too many. It doubles again with each answer.
 */
export class PageSize {
  constructor(
    private readonly most: number,
    private size = most,
  ) {}

  get current(): number {
    return this.size
  }

  /**
   * Halves the size if `error` calls for that, and returns whether it did. False if the error is about
   * something else.
   */
  shrinkFor(error: Error): boolean {
    if (this.size === 1 || !tooLarge.test(error.message)) return false
    this.size = Math.ceil(this.size / 2)
    return true
  }

  /** Doubles the size after an answer, up to `most`. */
  grow(): void {
    this.size = Math.min(this.most, 2 * this.size)
  }
}
