import type { QueryInfo } from './plan/query-plan.js'

/** A value for `@name` in the text. */
export interface QueryParameter {
  /** The name with its leading `@`. */
  readonly name: string
  readonly value: unknown
}

/** What a query depends on besides its text, its parameters and the documents. */
export interface QueryOptions {
  /** Returns the time in milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number
}

/** A stored document as a query sees it. */
export type QueryDocument = Readonly<Record<string, unknown>>

/** A compiled query. It holds no documents and may run any number of times. */
export interface CompiledQuery {
  /**
   * Equalities of properties with constants that every result fulfils (`c.id = @id AND c.a.b = 1`). With
   * them, a caller can look documents up instead of scanning. The key is the path joined with '.', such as
   * 'id'. A hint only: rows are still filtered.
   */
  readonly equalities: ReadonlyMap<string, unknown>
  /**
   * Texts that the JSON of every matching document contains, as `JSON.stringify` writes them. With them, a
   * caller can skip documents without parsing them. A hint only.
   */
  readonly requiredTexts: readonly string[]
  /**
   * True when results depend on one document at a time and come in document order: no ORDER BY, aggregate,
   * TOP, OFFSET or DISTINCT. Such a query may be paged by document position.
   */
  readonly isStreaming: boolean
  /** False for a query without FROM, which has one row whatever the container holds. */
  readonly readsContainer: boolean
  /**
   * Returns how a client must merge the rows of several ranges. Throws {@link QueryError} if no client can, or
   * if this one does not support it.
   *
   * @param features the features that the client names, separated by commas, or null
   */
  plan(features: string | null): QueryInfo
  /** For streaming queries, returns the rows of one document (0 or 1; an undefined projection gives none). */
  rowsOf(document: QueryDocument): readonly unknown[]
  /** Returns all rows of a set of documents: filtered, ordered, aggregated and cut. */
  execute(documents: Iterable<QueryDocument>): readonly unknown[]
}
