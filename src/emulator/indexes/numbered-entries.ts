/** Entries of one page. Numbers of documents are given in order, so pages are mostly full. */
const pageBits = 9
const pageMask = 2 ** pageBits - 1

interface Page<T> {
  readonly entries: (T | undefined)[]
  count: number
}

/**
 * Entries by the number of their document. The numbers of a container begin with 1 and hardly have gaps, so a
 * list of pages takes a fifth of the memory of a map. Empty pages are removed.
 */
export class NumberedEntries<T> {
  private readonly pages = new Map<number, Page<T>>()
  private total = 0

  get size(): number {
    return this.total
  }

  get(number: number): T | undefined {
    return this.pages.get(Math.floor(number / (pageMask + 1)))?.entries[number & pageMask]
  }

  set(number: number, entry: T): void {
    const name = Math.floor(number / (pageMask + 1))
    let page = this.pages.get(name)
    if (page === undefined) {
      page = { entries: new Array<T | undefined>(pageMask + 1).fill(undefined), count: 0 }
      this.pages.set(name, page)
    }
    if (page.entries[number & pageMask] === undefined) {
      page.count += 1
      this.total += 1
    }
    page.entries[number & pageMask] = entry
  }

  delete(number: number): void {
    const name = Math.floor(number / (pageMask + 1))
    const page = this.pages.get(name)
    if (page?.entries[number & pageMask] === undefined) return
    page.entries[number & pageMask] = undefined
    page.count -= 1
    this.total -= 1
    if (page.count === 0) this.pages.delete(name)
  }
}
