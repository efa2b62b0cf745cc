import type { PageClocks } from './language/page-time.js'
import type { QueryPlan } from './plan/query-info.js'
import type { PathCondition } from './select/filter.js'
import type { UsedPaths } from './plan/used-paths.js'
import type { QueryUsage } from './plan/usage.js'
import type { ComputedProperty } from './computed/computed-property.js'

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
  /** The time in milliseconds that a page may take. Each document adds 0.01 ms. Default: 3,000. */
  readonly pageTimeMs?: number
  /** The clocks for this time. Default: those of the machine. */
  readonly clocks?: PageClocks
  /** The names of measures for VectorDistance by path, such as `/vector`. Default: cosine for every path. */
  readonly measures?: ReadonlyMap<string, string>
  /** The computed properties of the container. Default: none. */
  readonly computedProperties?: readonly ComputedProperty[]
}

/** A stored document as a query sees it. */
export type QueryDocument = Readonly<Record<string, unknown>>

/** A document, and the number of equal documents that it stands for. */
export type CountedDocument = readonly [document: QueryDocument, count: number]

/** An item of ORDER BY. */
export interface OrderKey {
  /** The steps from the document to the value: names of properties, and positions in arrays. */
  readonly steps: readonly (string | number)[]
  readonly isDescending: boolean
}

/** A compiled query. It holds no documents and may run any number of times. */
export interface CompiledQuery {
  /**
   * The properties that must equal a constant in every matching document, as in `c.id = @id AND c.a.b = 1`.
   * A caller can look documents up by these values instead of scanning. The key is the path joined with '.',
   * such as 'a.b', and the value is the constant. This is only a hint: the query still filters documents.
   */
  readonly equalities: ReadonlyMap<string, unknown>
  /**
   * Parts of JSON, as `JSON.stringify` writes them. For every matching document, the JSON of the client's properties
   * contains all of them. A caller can skip documents without these parts before parsing them. This is only a hint.
   */
  readonly requiredTexts: readonly string[]
  /**
   * Spans that contain the values of every matching document at certain paths. A caller can look documents up
   * in an index by these spans. This is only a hint.
   */
  readonly conditions: readonly PathCondition[]
  /** The paths at which every matching document has a value, as in `IS_DEFINED(c.a)`. This is only a hint. */
  readonly presences: readonly PathCondition['steps'][]
  /**
   * The paths of all values of documents that the query reads, or null if it may read others. A caller that
   * knows these values need not read the documents. No path is inside another.
   */
  readonly readPaths: readonly (readonly string[])[] | null
  /** The items of ORDER BY. Empty if the rows cannot follow an order of the documents by paths. */
  readonly order: readonly OrderKey[]
  /**
   * True if each row depends on only one document and the rows follow the order of the documents: the query
   * has no ORDER BY, GROUP BY, aggregate, TOP, OFFSET or DISTINCT. Such a query can be paged by document
   * position.
   */
  readonly isStreaming: boolean
  /**
   * True if each row depends on only one document and the rows follow `order`: the query has ORDER BY with
   * paths, and no OFFSET or DISTINCT. Such a query can be paged by the order and the document position.
   */
  readonly isOrdered: boolean
  /** The largest number of rows that TOP or LIMIT allows. Infinity if there is no limit. */
  readonly mostRows: number
  /** False for a query without FROM, whose result is the same whatever the container holds. */
  readonly readsContainer: boolean
  /** Returns what the query requires from the service. */
  usage(): QueryUsage
  /**
   * Returns how a client must merge the rows of several ranges. Throws {@link QueryError} if no client can
   * merge them, or if this client lacks a feature that the merge needs.
   *
   * @param features the features that the client supports, separated by commas, or null if it names none
   */
  plan(features: string | null): QueryPlan
  /** Returns the paths whose indexes make the query faster. */
  usedPaths(): UsedPaths
  /** Begins the time of another page. Compiling begins the time of the first one. */
  beginPage(): void
  /** Returns the time of the page so far in milliseconds. */
  pageMs(): number
  /** Checks whether the query was refused because its page took too long. */
  isTimeOver(): boolean
  /**
   * Returns the rows of one document: none if the filter rejects it, and possibly several with a JOIN. Throws
   * a `TypeError` if the query is neither streaming nor ordered, and {@link QueryError} if the time of the
   * page is over.
   */
  rowsOf(document: QueryDocument): readonly unknown[]
  /**
   * Returns all rows of a set of documents: filtered, ordered, aggregated and cut.
   *
   * @param container all documents of the container, on which full-text scores depend. Default: `documents`
   */
  execute(documents: Iterable<QueryDocument>, container?: Iterable<QueryDocument>): readonly unknown[]
  /** Returns the same rows as `execute` for documents of which each stands for a number of equal ones. */
  executeCounted(documents: Iterable<CountedDocument>): readonly unknown[]
  /**
   * Yields the same rows as `execute` for documents that already have the order of ORDER BY. Documents that
   * are equal for ORDER BY must have their usual order. Reads only the documents that the requested rows
   * need.
   */
  rowsInOrder(documents: Iterable<QueryDocument>): Iterable<unknown>
  /**
   * Checks whether a page that the last row fills is the last page, so that no empty page follows. This is
   * true if the query has at most one row, GROUP BY or DISTINCT, or if TOP or LIMIT is reached.
   *
   * @param rowCount the number of all rows that were found
   */
  isComplete(rowCount: number): boolean
  /** Returns how many combinations of FROM's values have passed the filter so far. */
  matched(): number
}
