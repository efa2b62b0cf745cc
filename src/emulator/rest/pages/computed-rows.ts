import type { DocumentIndexes } from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'

/** The rows of a query. They are computed only as far as a client has read them. */
export class ComputedRows {
  readonly rows: unknown[] = []
  private readonly rest: Iterator<unknown>
  private readonly changeCount: number

  /**
   * @param name the text of the query and its scope, which identify the rows
   * @param query the query that computes the rows
   */
  constructor(
    private readonly name: string,
    private readonly indexes: DocumentIndexes,
    private readonly query: Pick<CompiledQuery, 'beginPage'>,
    all: Iterable<unknown>,
  ) {
    this.rest = all[Symbol.iterator]()
    this.changeCount = indexes.changeCount
  }

  /** Checks whether these rows belong to a query, and no document has changed since they were created. */
  areOf(name: string, indexes: DocumentIndexes): boolean {
    return this.name === name && this.indexes === indexes && this.changeCount === indexes.changeCount
  }

  /** Computes rows until there are `count`. Returns false if the query has fewer. */
  read(count: number): boolean {
    this.query.beginPage()
    while (this.rows.length < count) {
      const next = this.rest.next()
      if (next.done === true) return false
      this.rows.push(next.value)
    }
    return true
  }
}
