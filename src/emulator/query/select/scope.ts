import type { Call, ParameterReference, Query, SourceReference } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { KnownValues } from './known-values.js'
import type { QueryTime } from '../values/query-function.js'
import { Effort } from '../language/effort.js'
import type { PageTime } from '../language/page-time.js'

/** The values of the aliases in one row of FROM and JOIN. Those of outer queries come first. */
export type Frame = readonly unknown[]

/** A compiled expression. Returns the expression's value for one frame; the value may be undefined. */
export type Evaluate = (frame: Frame) => unknown

/** A compiled query or subquery, before TOP, OFFSET and LIMIT. */
export interface CompiledSelect {
  /**
   * Yields the rows for a frame of the outer query.
   *
   * @param container the documents to read
   * @param all all documents of the container, for statistics. Default: `container`
   */
  readonly rows: (outer: Frame, container: Iterable<unknown>, all?: Iterable<unknown>) => Iterable<unknown>
  /** True if there is at most one row for each frame of the outer query. */
  readonly isSingle: boolean
}

/** Compiles a query within the scope of an outer query. */
export type CompileSelect = (query: Query, outer: Scope) => CompiledSelect

/** The meaning of names in one place of a query. */
export interface Scope {
  readonly parameters: ReadonlyMap<string, unknown>
  readonly time: QueryTime
  /** The number of values in a frame. */
  readonly width: number
  /** True if FROM may name the container here: in the outermost query, and in a subquery in its FROM. */
  readonly hasContainer: boolean
  /** Checks whether a name is an alias here. */
  readonly isAlias: (name: string) => boolean
  /** Compiles an alias. Throws if the alias is unknown here. */
  readonly source: (reference: SourceReference) => Evaluate
  /** Compiles an aggregate such as COUNT or SUM. Throws where no aggregate is allowed. */
  readonly aggregate: (call: Call) => Evaluate
  /** The keys of GROUP BY. They are not compiled here, because the frame has their values. */
  readonly known: KnownValues
  /** Compiles a subquery. */
  readonly select: CompileSelect
  /** Counts the values that FROM and JOIN of one request combine. */
  readonly effort: Effort
  /** Limits the time of each page. */
  readonly pageTime: PageTime
  /** Counts the frames that passed the filter of a query that reads the container. */
  readonly matched: { count: number }
  /** The number of equal documents for which the present document of a query that reads the container stands. */
  readonly copies: { count: number }
}

export function parameterValue({ name, span }: ParameterReference, scope: Scope): unknown {
  if (!scope.parameters.has(name)) throw unresolved(name, span)
  return scope.parameters.get(name)
}

/** Returns the scope around a whole query, which has no alias yet. */
export function outermostScope(
  parameters: ReadonlyMap<string, unknown>,
  time: QueryTime,
  pageTime: PageTime,
  select: CompileSelect,
): Scope {
  return {
    parameters,
    time,
    width: 0,
    hasContainer: true,
    isAlias: () => false,
    source: ({ name, span }) => {
      throw unresolved(name, span)
    },
    aggregate: refuseAggregate,
    known: KnownValues.none,
    select,
    effort: new Effort('combinedValues'),
    pageTime,
    matched: { count: 0 },
    copies: { count: 1 },
  }
}

/** Returns the scope of an expression whose value must be the same for all documents. */
export function constantScope(scope: Scope): Scope {
  return {
    ...scope,
    width: 0,
    hasContainer: false,
    isAlias: () => false,
    source: ({ name, span }) => {
      const reason = `'${name}' is not allowed here, because the value must be the same for all documents.`
      throw new QueryError('BadRequest', reason, span)
    },
  }
}

/**
 * Returns the scope for the sources and the filter of a query. These clauses cannot use the aggregates of an
 * outer query, because the aliases in an aggregate may have another meaning here.
 */
export function withoutAggregates(scope: Scope): Scope {
  return { ...scope, aggregate: refuseAggregate }
}

function refuseAggregate({ name, span }: Call): never {
  throw new QueryError(
    'BadRequest',
    `The aggregate ${name.toUpperCase()} is allowed only in SELECT, and not within another aggregate.`,
    span,
  )
}

/** The scopes around and within a query. */
export interface QueryScopes {
  readonly outer: Scope
  /** The scope with the aliases of the query's own sources. */
  readonly inner: Scope
}

/** Returns a scope with one more alias. A source without an alias also takes a place in the frame. */
export function withAlias(scope: Scope, alias: string | undefined): Scope {
  const slot = scope.width
  return {
    ...scope,
    width: slot + 1,
    isAlias: (name) => name === alias || scope.isAlias(name),
    source: (reference) => (reference.name === alias ? (frame) => frame[slot] : scope.source(reference)),
    known: alias === undefined ? scope.known : scope.known.without(alias),
  }
}

function unresolved(name: string, span: SourceReference['span']): QueryError {
  return new QueryError('SC2001', `Identifier '${name}' could not be resolved.`, span)
}
