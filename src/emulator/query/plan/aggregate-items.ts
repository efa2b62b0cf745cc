import { containsAggregate, isAggregate } from '../select/aggregates.js'
import { unwrapped, type Call, type Expression, type Query } from '../language/ast.js'
import { QueryError, type Span } from '../language/query-error.js'
import { namedItems } from '../select/selection.js'

const types = {
  AVG: 'Average',
  COUNT: 'Count',
  COUNTIF: 'CountIf',
  MAKELIST: 'MakeList',
  MAKESET: 'MakeSet',
  MAX: 'Max',
  MIN: 'Min',
  SUM: 'Sum',
} as const

/** The name of an aggregate in a plan. */
export type AggregateType = (typeof types)[keyof typeof types]

/** The parts of a plan that name aggregates. */
interface AggregateTypes {
  readonly groupByAliases: readonly string[]
  readonly aggregates: readonly AggregateType[]
  readonly groupByAliasToAggregateType: Readonly<Record<string, AggregateType | null>>
}

const noAggregates: AggregateTypes = { groupByAliases: [], aggregates: [], groupByAliasToAggregateType: {} }

/** Returns what a plan says about the aggregates of a query. An aggregate after VALUE has no alias. */
export function aggregateTypes({ selection, groupBy }: Query): AggregateTypes {
  if (selection.kind === 'all') return noAggregates
  if (selection.kind === 'value') {
    const type = typeOf(selection.expression)
    return type === null ? noAggregates : { ...noAggregates, aggregates: [type] }
  }
  const items = namedItems(selection.items).map(({ name, expression }) => [name, typeOf(expression)] as const)
  if (groupBy.length === 0 && items.every(([, type]) => type === null)) return noAggregates
  return {
    groupByAliases: items.map(([name]) => name),
    aggregates: [],
    groupByAliasToAggregateType: Object.fromEntries(items),
  }
}

/**
 * Returns the expression that each range evaluates in place of a selected one. A client merges the results of
 * the ranges. For an average, each range therefore returns a sum and a count.
 */
export function partialItem(expression: Expression, slice: (span: Span) => string): string {
  const call = aggregateIn(expression)
  if (call === null) return slice(expression.span)
  const argument = call.arguments.map(({ span }) => slice(span)).join(', ')
  const type = typeOf(expression)
  if (type === 'Average') return `{"item": {"sum": SUM(${argument}), "count": COUNT(${argument})}}`
  if (type !== 'Min' && type !== 'Max') return `{"item": ${slice(call.span)}}`
  // The count tells a client whether the range had a value.
  const name = type.toLowerCase()
  const extreme = `${type.toUpperCase()}(${argument})`
  return `{"item": ${extreme}, "item2": {"${name}": ${extreme}, "count": COUNT(${argument})}}`
}

function typeOf(expression: Expression): AggregateType | null {
  const call = aggregateIn(expression)
  if (call === null) return null
  const name = call.name.toUpperCase()
  return isName(name) ? types[name] : null
}

function isName(name: string): name is keyof typeof types {
  return Object.hasOwn(types, name)
}

/**
 * Returns the expression if it is an aggregate, and null if it contains none. Throws if an aggregate is only
 * part of the expression.
 */
function aggregateIn(expression: Expression): Call | null {
  const inner = unwrapped(expression)
  if (inner.kind === 'call' && isAggregate(inner)) return inner
  if (!containsAggregate(inner)) return null
  throw new QueryError(
    'BadRequest',
    'Compositions of aggregates and other expressions are not allowed.',
    expression.span,
  )
}
