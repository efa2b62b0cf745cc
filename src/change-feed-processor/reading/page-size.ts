/** Matches the service's message that an answer would be too large. The status of this answer varies. */
const tooLarge = /reduce page size and try again/i

/**
 * The number of changes to request in one read. The number starts at `most`. It is halved when the service
 * reports that the page was too large, and doubled after each page.
 */
export class PageSize {
  constructor(
    private readonly most: number,
    private size = most,
  ) {}

  get current(): number {
    return this.size
  }

  /** Halves the size if `error` says that the page was too large. Returns whether the size was halved. */
  shrinkFor(error: Error): boolean {
    if (this.size === 1 || !tooLarge.test(error.message)) return false
    this.size = Math.ceil(this.size / 2)
    return true
  }

  grow(): void {
    this.size = Math.min(this.most, 2 * this.size)
  }
}
