import type { Query, Source } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import { withAlias, type Frame, type Scope } from './scope.js'
import { work } from '../language/page-time.js'
import { refuseCut } from './subquery.js'
import { memberOf } from '../values/values.js'

/** The compiled FROM and JOINs of a query. */
export interface CompiledSources {
  /** The scope of the other clauses of the query. */
  readonly scope: Scope
  /** Yields each combination of the sources' values, appended to the frame of the outer query. */
  readonly frames: (outer: Frame, container: Iterable<unknown>) => Iterable<Frame>
  /** True if the sources yield at most one frame for each frame of the outer query. */
  readonly isSingle: boolean
}

/** Yields the values of one source for a frame of the sources before it. */
type Values = (frame: Frame, container: Iterable<unknown>) => Iterable<unknown>

interface CompiledSource {
  readonly values: Values
  readonly isSingle: boolean
}

/** Compiles FROM and JOINs. Each source may use the aliases of the sources before it. */
export function compileSources(sources: readonly Source[], outer: Scope): CompiledSources {
  refuseRepeatedAlias(sources)
  const compiled: CompiledSource[] = []
  let scope = outer
  for (const [index, source] of sources.entries()) {
    // Only the first source may read the container, because a query cannot combine documents with each other.
    compiled.push(compileSource(source, { ...scope, hasContainer: outer.hasContainer && index === 0 }))
    scope = withAlias(scope, source.alias)
  }
  return {
    scope: { ...scope, hasContainer: false },
    frames: framesOf(
      compiled.map(({ values }) => values),
      outer,
    ),
    isSingle: compiled.every(({ isSingle }) => isSingle),
  }
}

function compileSource({ collection, isIterated }: Source, scope: Scope): CompiledSource {
  const { values, isSingle } =
    collection.kind === 'query' ? compileQuerySource(collection.query, scope) : compilePath(collection, scope)
  if (!isIterated) return { values, isSingle }
  return { values: (frame, container) => elements(values(frame, container)), isSingle: false }
}

function compileQuerySource(query: Query, scope: Scope): CompiledSource {
  refuseCut(query)
  const { rows, isSingle } = scope.select(query, scope)
  return { values: rows, isSingle }
}

function compilePath(
  { root, steps }: Extract<Source['collection'], { kind: 'path' }>,
  scope: Scope,
): CompiledSource {
  const isContainer = scope.hasContainer && !scope.isAlias(root.name)
  if (isContainer && steps.length === 0) return { values: (_, container) => container, isSingle: false }
  if (isContainer) return { values: (_, container) => defined(container, steps), isSingle: false }
  const value = scope.source(root)
  return {
    values: (frame) => {
      const found = steps.reduce(memberOf, value(frame))
      return found === undefined ? [] : [found]
    },
    isSingle: true,
  }
}

/** Yields what each value has at the path. A value without the path yields nothing. */
function* defined(values: Iterable<unknown>, steps: readonly (string | number)[]): Generator {
  for (const value of values) {
    const found = steps.reduce(memberOf, value)
    if (found !== undefined) yield found
  }
}

/** Returns the elements of each array among the values of a source. */
function elements(values: Iterable<unknown>): Iterable<unknown> {
  // A path has at most one value, so it needs no generator.
  return Array.isArray(values) ? values.filter(Array.isArray).flat() : allElements(values)
}

function* allElements(values: Iterable<unknown>): Generator {
  for (const value of values) if (Array.isArray(value)) yield* value
}

function framesOf(sources: readonly Values[], scope: Scope): CompiledSources['frames'] {
  const inner = { ...scope, hasContainer: false }
  return (outer, container) =>
    sources.reduce<Iterable<Frame>>(
      (frames, values, index) => extended(frames, values, container, index === 0 ? scope : inner),
      [outer],
    )
}

/** Yields each frame, extended by each value of the next source. */
function* extended(
  frames: Iterable<Frame>,
  values: Values,
  container: Iterable<unknown>,
  { effort, pageTime, hasContainer }: Scope,
): Generator<Frame> {
  for (const frame of frames) {
    for (const value of values(frame, container)) {
      effort.spend(1)
      if (hasContainer) pageTime.allowDocument()
      pageTime.spend(work.frame)
      yield [...frame, value]
    }
  }
}

function refuseRepeatedAlias(sources: readonly Source[]): void {
  const seen = new Set<string>()
  for (const { alias, span } of sources) {
    if (alias === undefined) continue
    if (seen.has(alias)) {
      const reason = `The input alias '${alias}' is specified more than once in the FROM clause.`
      throw new QueryError('SC2011', reason, span)
    }
    seen.add(alias)
  }
}
