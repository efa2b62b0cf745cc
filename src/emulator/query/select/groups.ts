import { accumulatorOf, containsAggregate, type Accumulator } from './aggregates.js'
import { compileExpression } from './compile-expression.js'
import { canonicalText } from '../values/values.js'
import { refuseWrongCount } from '../values/query-function.js'
import { unwrapped, type Call, type Expression, type Query } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'
import type { Evaluate, Frame, QueryScopes, Scope } from './scope.js'

/** The compiled groups of a query. Without keys, all frames are one group, even if there are no frames. */
export interface CompiledGroups {
  /**
   * The scope of SELECT. Its expressions can use aggregates, the keys of GROUP BY and the aliases of outer
   * queries.
   */
  readonly scope: Scope
  /** Yields a frame for each group: the outer frame, the keys, and the results of the aggregates. */
  readonly groups: (frames: Iterable<Frame>, outer: Frame) => Iterable<Frame>
}

interface AggregateCall {
  readonly call: Call
  readonly argument: Evaluate
}

export function compileGroups(query: Query, { outer, inner }: QueryScopes): CompiledGroups {
  const keys = query.groupBy.map((key) => compileKey(key, inner))
  const calls: AggregateCall[] = []
  return {
    scope: groupScope(query, { outer, inner }, calls),
    groups: (frames, outerFrame) => groupFrames({ frames, outer: outerFrame, keys, calls }, outer),
  }
}

function compileKey(key: Expression, inner: Scope): Evaluate {
  if (containsAggregate(key) || unwrapped(key).kind === 'subquery') {
    const reason = 'GROUP BY takes properties and functions of properties, not aggregates or subqueries.'
    throw new QueryError('BadRequest', reason, key.span)
  }
  return compileExpression(key, inner)
}

/** Returns the scope of SELECT. Each aggregate that is compiled in this scope is added to `calls`. */
function groupScope(
  { groupBy, sources }: Query,
  { outer, inner }: QueryScopes,
  calls: AggregateCall[],
): Scope {
  const own = new Set(sources.map(({ alias }) => alias))
  const resultsSlot = outer.width + groupBy.length
  return {
    ...outer,
    hasContainer: false,
    width: resultsSlot + 1,
    isAlias: inner.isAlias,
    known: inner.known.with(groupBy, outer.width),
    source: (reference) => {
      if (!own.has(reference.name)) return outer.source(reference)
      throw new QueryError('BadRequest', notGrouped(reference.name, groupBy.length > 0), reference.span)
    },
    aggregate: (call) => {
      refuseWrongCount(call, 1, 1)
      const position = calls.length
      calls.push(
        ...call.arguments.map((argument) => ({ call, argument: compileExpression(argument, inner) })),
      )
      return (frame) => (frame[resultsSlot] as readonly unknown[])[position]
    },
  }
}

function notGrouped(name: string, hasKeys: boolean): string {
  return hasKeys
    ? `'${name}' is allowed here only within an aggregate or a key of GROUP BY.`
    : `'${name}' is allowed here only within an aggregate: the query has an aggregate but no GROUP BY.`
}

interface Group {
  readonly keys: readonly unknown[]
  readonly aggregates: readonly { readonly argument: Evaluate; readonly accumulator: Accumulator }[]
}

interface Grouping {
  readonly frames: Iterable<Frame>
  readonly outer: Frame
  readonly keys: readonly Evaluate[]
  readonly calls: readonly AggregateCall[]
}

function groupFrames(
  { frames, outer, keys, calls }: Grouping,
  { pageTime, hasContainer, copies }: Scope,
): Frame[] {
  const newGroup = (values: readonly unknown[]): Group => ({
    keys: values,
    aggregates: calls.map(({ call, argument }) => ({ argument, accumulator: accumulatorOf(call, pageTime) })),
  })
  const groups = new Map<string, Group>()
  if (keys.length === 0) groups.set('', newGroup([]))
  for (const frame of frames) {
    const values = keys.map((key) => key(frame))
    const name = values.length === 1 ? nameOf(values[0]) : values.map(nameOf).join(',')
    let group = groups.get(name)
    if (group === undefined) groups.set(pageTime.computed(name), (group = newGroup(values)))
    const count = hasContainer ? copies.count : 1
    for (const { argument, accumulator } of group.aggregates) accumulator.add(argument(frame), count)
  }
  return Array.from(groups.values(), ({ keys: values, aggregates }) => [
    ...outer,
    ...values,
    aggregates.map(({ accumulator }) => accumulator.result()),
  ])
}

/** Returns a text that is the same for two keys if and only if they are equal. Undefined keys are equal. */
function nameOf(key: unknown): string {
  return key === undefined ? 'undefined' : canonicalText(key)
}
