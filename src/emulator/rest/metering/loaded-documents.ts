import type { DocumentVersion } from '../../engine/index.js'

/** The facts that the metrics need: how many documents passed the filter, and which an index finds. */
export interface Matching {
  matched(): number
  /** Checks whether the indexes that the index metrics name also find this document. */
  finds(version: DocumentVersion): boolean
}

/** Counts and times for the documents that a page needed. */
export interface LoadedNumbers {
  count: number
  bytes: number
  /** How many of the documents passed the filter. */
  hits: number
  lookupMs: number
  loadMs: number
}

/** Counts the documents that a query loads, page by page. */
export class LoadedDocuments {
  private numbers = nothing()
  /** Checks whether the document that the query has now is a hit. */
  private isHit: () => boolean = () => false

  /** @param monotonic returns milliseconds since an arbitrary start */
  constructor(private readonly monotonic: () => number) {}

  /** Returns the counts and times since the last call, and begins again from zero. */
  take(): Readonly<LoadedNumbers> {
    this.settle()
    const { numbers } = this
    this.numbers = nothing()
    return numbers
  }

  /**
   * Yields the same versions and counts those that the query's indexes find, even if the store read all
   * documents. A query handles each version before it asks for the next one. A version is a hit if the query
   * found a match during that time.
   */
  *loading(
    versions: Iterable<DocumentVersion>,
    query: Matching,
  ): Generator<DocumentVersion, void, undefined> {
    let askedMs = this.monotonic()
    for (const version of versions) {
      const foundMs = this.monotonic()
      this.numbers.lookupMs += foundMs - askedMs
      this.load(version, query, foundMs)
      const before = query.matched()
      this.isHit = () => query.matched() > before
      yield version
      this.settle()
      askedMs = this.monotonic()
    }
    this.numbers.lookupMs += this.monotonic() - askedMs
  }

  private load(version: DocumentVersion, query: Matching, begunMs: number): void {
    version.keepParsed()
    if (query.finds(version)) {
      this.numbers.count += 1
      this.numbers.bytes += version.bytes
    }
    this.numbers.loadMs += this.monotonic() - begunMs
  }

  private settle(): void {
    if (this.isHit()) this.numbers.hits += 1
    this.isHit = () => false
  }
}

function nothing(): LoadedNumbers {
  return { count: 0, bytes: 0, hits: 0, lookupMs: 0, loadMs: 0 }
}
