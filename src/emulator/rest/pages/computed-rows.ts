import { isDeepStrictEqual } from 'node:util'
import type { DocumentIndexes } from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'
import type { LoadedDocuments, LoadedNumbers } from '../metering/loaded-documents.js'

/** The place of a row in the order of a query. It remains valid if other documents change. */
export interface Place {
  /** The values at the paths of ORDER BY. */
  readonly keys: readonly unknown[]
  /** The number of the document, by which documents with equal values are ordered. */
  readonly number: number
  /** The number of the document's rows up to and including this one. */
  readonly rows: number
}

/** A row of a query, with its place if the query is ordered. */
export interface ComputedRow {
  readonly row: unknown
  readonly place: Place | null
}

/** Ends a page early, after the document at a place. The query goes on from there. */
export interface Pause {
  readonly pausedAt: Place
}

/** The rows of one query from a certain row on. */
export interface RowSource {
  /** The text of the query and its scope, which identify the rows. */
  readonly name: string
  /** The number of rows before these, which a client has already read. */
  readonly first: number
  readonly rows: Iterable<ComputedRow | Pause>
  readonly indexes: DocumentIndexes
  /** The query that computes the rows. */
  readonly query: Pick<CompiledQuery, 'beginPage'>
  /** Counts the documents that the rows need, if the client asks for metrics. */
  readonly loaded: LoadedDocuments | undefined
}

/** The rows of a query. Rows are computed only when a page needs them. */
export class ComputedRows {
  private readonly rows: ComputedRow[] = []
  private readonly rest: Iterator<ComputedRow | Pause>
  /** The place at which the last page ended early, or null. */
  pausedAt: Place | null = null
  private readonly changeCount: number

  constructor(private readonly source: RowSource) {
    this.rest = source.rows[Symbol.iterator]()
    this.changeCount = source.indexes.changeCount
  }

  /** The number of rows so far, including the rows that the client has already read. */
  get count(): number {
    return this.source.first + this.rows.length
  }

  /** Checks whether these are rows of a query after a certain row, and no document has changed since. */
  areOf(
    name: string,
    after: { readonly from: number; readonly place: Place | null },
    indexes: DocumentIndexes,
  ): boolean {
    const { source } = this
    const isSame = source.name === name && source.first <= after.from && source.indexes === indexes
    return isSame && this.changeCount === indexes.changeCount && this.areAfter(after)
  }

  /** Checks whether the row before `from` has this place. Another client may have read the same query at another time. */
  private areAfter({ from, place }: { readonly from: number; readonly place: Place | null }): boolean {
    if (place === null) return true
    const last = this.rows[from - this.source.first - 1]?.place ?? null
    return isSamePlace(last, place) || (this.count === from && isSamePlace(this.pausedAt, place))
  }

  between(from: number, until: number): readonly ComputedRow[] {
    const { first } = this.source
    return this.rows.slice(from - first, until - first)
  }

  /** Computes rows until there are `count`, or until the page ends early. Returns false if the query has fewer. */
  read(count: number): boolean {
    this.source.query.beginPage()
    this.pausedAt = null
    while (this.count < count) {
      const next = this.rest.next()
      if (next.done === true) return false
      if ('pausedAt' in next.value) {
        this.pausedAt = next.value.pausedAt
        return true
      }
      this.rows.push(next.value)
    }
    return true
  }

  /**
   * Computes the rows of a page. Returns counts and times for the documents that the page needs. A page that
   * is computed again does not count the documents of earlier pages. The documents after the page's last row
   * count for the next page.
   */
  load(from: number, until: number): Readonly<LoadedNumbers> | undefined {
    const { loaded } = this.source
    if (this.count < from) {
      this.read(from)
      loaded?.take()
    }
    this.read(until)
    return loaded?.take()
  }
}

function isSamePlace(one: Place | null, other: Place): boolean {
  return isDeepStrictEqual(one, other)
}
