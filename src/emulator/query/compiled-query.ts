/** A value given for `@name` in the text. */
export interface QueryParameter {
  /** With its leading `@`. */
  readonly name: string
  readonly value: unknown
}

/** A stored document, as far as a query looks at it. */
export type QueryDocument = Readonly<Record<string, unknown>>

/** A query ready to run; it holds no documents and may be run any number of times. */
export interface CompiledQuery {
  /**
   * Conjunctive equalities of top-level or nested properties with constants (`c.id = @id AND c.a.b = 1`): lets a caller
   * look documents up instead of scanning. Key: path joined with '.', e.g. 'id'. A hint only: rows are still filtered.
   */
  readonly equalities: ReadonlyMap<string, unknown>
  /**
   * Texts that the JSON of every document that passes holds, as `JSON.stringify` writes it: lets a caller pass over
   * documents without parsing them. A hint only.
   */
  readonly requiredTexts: readonly string[]
  /**
   * True when results depend on one document at a time and come in document order: no ORDER BY, aggregate, TOP, OFFSET
   * or DISTINCT. Such a query may be paged by document position.
   */
  readonly isStreaming: boolean
  /**
   * Whether rows of several sets of documents may be concatenated and cut to `top`, with the same result as for all
   * documents together. That is so without ORDER BY, aggregates, OFFSET and DISTINCT.
   */
  readonly isConcatenable: boolean
  /** The number of rows that TOP asks for; null without one. */
  readonly top: number | null
  /** Whether it is a SELECT VALUE, whose rows need not be objects. */
  readonly isValue: boolean
  /** For streaming queries: the rows one document gives (0 or 1; undefined projections give none). */
  rowsOf(document: QueryDocument): readonly unknown[]
  /** All rows of a set of documents: filtered, ordered, aggregated, cut. */
  execute(documents: Iterable<QueryDocument>): readonly unknown[]
}
