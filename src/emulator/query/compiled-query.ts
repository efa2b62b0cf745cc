import type { ComputedProperty } from './computed/computed-property.js'
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
  /** The computed properties of the container. Default: none. */
  readonly computedProperties?: readonly ComputedProperty[]
}

/** A stored document as a query sees it. */
export type QueryDocument = Readonly<Record<string, unknown>>

/** A compiled query. It holds no documents and may run any number of times. */
export interface CompiledQuery {
  /**
   * The properties that must equal a constant in every matching document, as in `c.id = @id AND c.a.b = 1`.
   * With them, a caller can look documents up instead of scanning. The key is the path joined with '.', such
   * as 'a.b', and the value is the constant. This is only a hint: documents are still filtered.
   */
  readonly equalities: ReadonlyMap<string, unknown>
  /**
   * Parts of JSON, as `JSON.stringify` writes them, that the JSON of every matching document contains. With
   * them, a caller can skip documents without parsing them. This is only a hint.
   */
  readonly requiredTexts: readonly string[]
  /**
   * True if each row depends on only one document and the rows follow the order of the documents: the query
   * has no ORDER BY, GROUP BY, aggregate, TOP, OFFSET or DISTINCT. Such a query can be paged by document
   * position.
   */
  readonly isStreaming: boolean
  /** False for a query without FROM, whose result is the same whatever the container holds. */
  readonly readsContainer: boolean
  /**
   * Returns how a client must merge the rows of several ranges. Throws {@link QueryError} if no client can
   * merge them, or if this client lacks a feature that the merge needs.
   *
   * @param features the features that the client supports, separated by commas, or null if it names none
   */
  plan(features: string | null): QueryInfo
  /**
   * Returns the rows of one document: none if the filter rejects it, and possibly several with a JOIN. Throws
   * a `TypeError` if the query is not streaming.
   */
  rowsOf(document: QueryDocument): readonly unknown[]
  /** Returns all rows of a set of documents: filtered, ordered, aggregated and cut. */
  execute(documents: Iterable<QueryDocument>): readonly unknown[]
  /**
   * Checks whether the last of this many rows is certainly the last of all: the query gives one row at most,
   * its TOP or LIMIT is reached, or it had to find all rows before it could give one.
   */
  isComplete(rowCount: number): boolean
  /** Returns how many combinations of FROM's values have passed the filter so far. */
  matched(): number
}
