/**
 * The largest number of pages that the leases of one processor read ahead at the same time. A page has at most
 * 4 MB. With more leases, the reads and the deliveries of different leases overlap anyway.
 */
const mostPagesAhead = 4

/** Counts the pages that the leases of one processor have read ahead. */
export class PagesAhead {
  private count = 0

  /** Reserves room for a page. Returns whether there was room. */
  reserve(): boolean {
    if (this.count >= mostPagesAhead) return false
    this.count += 1
    return true
  }

  giveBack(): void {
    this.count -= 1
  }
}
