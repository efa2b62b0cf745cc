/** Matches the service's message that the requested changes do not fit into an answer. Its status varies. */
const tooLarge = /reduce page size and try again/i

/**
 * The number of changes to request in one read. It starts with `most`, halves when the service finds the
 * number too large, and doubles again with each answer.
 */
export class PageSize {
  constructor(
    private readonly most: number,
    private size = most,
  ) {}

  get current(): number {
    return this.size
  }

  /** Halves the size if `error` says that the page was too large, and returns whether the size was halved. */
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
