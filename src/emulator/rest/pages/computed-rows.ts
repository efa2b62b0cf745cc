import type { DocumentIndexes } from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'
import type { LoadedDocuments, LoadedNumbers } from '../metering/loaded-documents.js'

export interface RowsToCompute {
  /** The text of the query and its scope, which identify the rows. */
  readonly name: string
  readonly indexes: DocumentIndexes
  /** The query that computes the rows. */
  readonly query: Pick<CompiledQuery, 'beginPage'>
  readonly rows: Iterable<unknown>
  /** Counts the documents that the rows need, if the client asks for metrics. */
  readonly loaded: LoadedDocuments | undefined
}

/** The rows of a query. They are computed only as far as a client has read them. */
export class ComputedRows {
  readonly rows: unknown[] = []
  private readonly rest: Iterator<unknown>
  private readonly changeCount: number

  constructor(private readonly given: RowsToCompute) {
    this.rest = given.rows[Symbol.iterator]()
    this.changeCount = given.indexes.changeCount
  }

  /** Checks whether these rows belong to a query, and no document has changed since they were created. */
  areOf(name: string, indexes: DocumentIndexes): boolean {
    const { given } = this
    return given.name === name && given.indexes === indexes && this.changeCount === indexes.changeCount
  }

  /** Computes rows until there are `count`. Returns false if the query has fewer. */
  read(count: number): boolean {
    this.given.query.beginPage()
    while (this.rows.length < count) {
      const next = this.rest.next()
      if (next.done === true) return false
      this.rows.push(next.value)
    }
    return true
  }

  /**
   * Computes the rows of a page, and returns the numbers of documents that the page needs. A page that is
   * computed again does not count the documents of earlier pages. The documents after the page's last row
   * count for the next page.
   */
  load(from: number, until: number): Readonly<LoadedNumbers> | undefined {
    const { loaded } = this.given
    if (this.rows.length < from) {
      this.read(from)
      loaded?.take()
    }
    this.read(until)
    return loaded?.take()
  }
}
