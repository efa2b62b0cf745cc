/**
 * A second implementation of a small part of the query language, for comparison. It is slow and plain: every
 * clause is one pass over a list of rows. `printQuery` prints a tree as SQL.
 */
import { canonical, type Documents } from './rows-of.js'

type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='
type Arithmetic = '+' | '-' | '*' | '/'
export type AggregateName = 'COUNT' | 'SUM' | 'AVG' | 'MIN' | 'MAX' | 'COUNTIF' | 'MAKELIST' | 'MAKESET'

export type Expression =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'path'; readonly alias: string; readonly steps: readonly (string | number)[] }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly sides: readonly [Expression, Expression]
    }
  | {
      readonly kind: 'arithmetic'
      readonly operator: Arithmetic
      readonly sides: readonly [Expression, Expression]
    }
  | {
      readonly kind: 'logic'
      readonly operator: 'AND' | 'OR'
      readonly sides: readonly [Expression, Expression]
    }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'defined'; readonly of: Expression }
  | { readonly kind: 'list'; readonly of: readonly Expression[] }
  | { readonly kind: 'aggregate'; readonly name: AggregateName; readonly of: Expression }
  | {
      readonly kind: 'subquery'
      readonly form: '' | 'EXISTS' | 'ARRAY' | 'FIRST' | 'LAST'
      readonly query: Query
    }

export type Path = Extract<Expression, { kind: 'path' }>

/** `alias IN path`, `path AS alias`, `alias IN (query)` or `(query) AS alias`. ROOT is a document. */
export interface Source {
  readonly alias: string
  readonly iterates: boolean
  readonly from: Path | Query
}

export interface Query {
  readonly kind: 'query'
  readonly distinct: boolean
  readonly top: number | null
  /** One expression stands for SELECT VALUE, and names with expressions for a list. */
  readonly select: Expression | readonly (readonly [string, Expression])[]
  readonly sources: readonly Source[]
  readonly where: Expression | null
  readonly groupBy: readonly Expression[]
  readonly orderBy: readonly { readonly path: Path; readonly descends: boolean }[]
}

type Row = Readonly<Record<string, unknown>>
const isList = (select: Query['select']): select is readonly (readonly [string, Expression])[] =>
  Array.isArray(select)

export function printQuery(query: Query): string {
  const { distinct, top, select, sources, where, groupBy, orderBy } = query
  const list = isList(select)
    ? select.map(([name, of]) => `${print(of)} AS ${name}`).join(', ')
    : `VALUE ${print(select)}`
  return [
    'SELECT',
    ...(distinct ? ['DISTINCT'] : []),
    ...(top === null ? [] : [`TOP ${top}`]),
    list,
    ...sources.map((source, index) => `${index === 0 ? 'FROM' : 'JOIN'} ${printSource(source)}`),
    ...(where === null ? [] : [`WHERE ${print(where)}`]),
    ...(groupBy.length === 0 ? [] : [`GROUP BY ${groupBy.map(print).join(', ')}`]),
    ...(orderBy.length === 0
      ? []
      : [`ORDER BY ${orderBy.map((key) => print(key.path) + (key.descends ? ' DESC' : '')).join(', ')}`]),
  ].join(' ')
}

function printSource({ alias, iterates, from }: Source): string {
  const text = from.kind === 'query' ? `(${printQuery(from)})` : print(from)
  return iterates ? `${alias} IN ${text}` : `${text} AS ${alias}`
}

function print(expression: Expression): string {
  switch (expression.kind) {
    case 'constant':
      return expression.value === undefined ? 'undefined' : JSON.stringify(expression.value)
    case 'path':
      return expression.alias + expression.steps.map((step) => `[${JSON.stringify(step)}]`).join('')
    case 'compare':
    case 'arithmetic':
    case 'logic':
      return `(${print(expression.sides[0])} ${expression.operator} ${print(expression.sides[1])})`
    case 'not':
      return `(NOT ${print(expression.of)})`
    case 'defined':
      return `IS_DEFINED(${print(expression.of)})`
    case 'list':
      return `[${expression.of.map(print).join(', ')}]`
    case 'aggregate':
      return `${expression.name}(${print(expression.of)})`
    case 'subquery':
      return `${expression.form}(${printQuery(expression.query)})`
  }
}

export function evaluateQuery(query: Query, documents: Documents, outer: Row = {}): unknown[] {
  const rows = query.sources
    .reduce<Row[]>(
      (before, source) =>
        before.flatMap((row) =>
          elementsOf(source, documents, row).map((element) => ({ ...row, [source.alias]: element })),
        ),
      [outer],
    )
    .filter((row) => query.where === null || evaluate(query.where, [row], row, documents) === true)
    .sort((one, other) => compareKeys(query, one, other))
  const values = groupsOf(query, rows, documents, outer)
    .map((group) => project(query, group, group[0] ?? outer, documents))
    .filter((value) => value !== undefined)
  const distinct = query.distinct ? firstOfEach(values) : values
  return query.top === null ? distinct : distinct.slice(0, query.top)
}

function elementsOf({ iterates, from }: Source, documents: Documents, row: Row): unknown[] {
  const values =
    from.kind === 'query'
      ? evaluateQuery(from, documents, row)
      : from.alias === 'ROOT'
        ? documents.map((document) => follow(document, from.steps))
        : [evaluate(from, [row], row, documents)]
  const present = values.filter((value) => value !== undefined)
  return iterates ? present.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [])) : present
}

/** Every row is a group of its own, unless the query has keys or aggregates. */
function groupsOf(query: Query, rows: readonly Row[], documents: Documents, outer: Row): (readonly Row[])[] {
  if (query.groupBy.length === 0) return hasAggregates(query.select) ? [rows] : rows.map((row) => [row])
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = query.groupBy
      .map((of) => canonical(evaluate(of, [row], { ...outer, ...row }, documents)))
      .join('\n')
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()]
}

function hasAggregates(select: Query['select']): boolean {
  return isList(select) ? select.some(([, of]) => aggregates(of)) : aggregates(select)
}

function aggregates(expression: Expression): boolean {
  if (expression.kind === 'aggregate') return true
  if (expression.kind === 'list') return expression.of.some(aggregates)
  if ('sides' in expression) return expression.sides.some(aggregates)
  return expression.kind === 'not' || expression.kind === 'defined' ? aggregates(expression.of) : false
}

function project({ select }: Query, group: readonly Row[], row: Row, documents: Documents): unknown {
  if (!isList(select)) return evaluate(select, group, row, documents)
  const entries = select.map(([name, of]) => [name, evaluate(of, group, row, documents)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function firstOfEach(values: readonly unknown[]): unknown[] {
  const texts = values.map(canonical)
  return values.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
}

/** Evaluates within a row; the group is the rows that aggregates see. */
function evaluate(expression: Expression, group: readonly Row[], row: Row, documents: Documents): unknown {
  const value = (of: Expression): unknown => evaluate(of, group, row, documents)
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'path':
      return follow(row[expression.alias], expression.steps)
    case 'compare':
      return compare(expression.operator, value(expression.sides[0]), value(expression.sides[1]))
    case 'arithmetic':
      return calculate(expression.operator, value(expression.sides[0]), value(expression.sides[1]))
    case 'logic':
      return connect(expression.operator === 'OR', expression.sides.map(value))
    case 'not': {
      const truth = value(expression.of)
      return typeof truth === 'boolean' ? !truth : undefined
    }
    case 'defined':
      return value(expression.of) !== undefined
    case 'list':
      return expression.of.map(value).filter((element) => element !== undefined)
    case 'aggregate':
      return aggregate(
        expression.name,
        group.map((one) => evaluate(expression.of, [one], one, documents)).filter((one) => one !== undefined),
      )
    case 'subquery': {
      const rows = evaluateQuery(expression.query, documents, row)
      if (expression.form === 'EXISTS') return rows.length > 0
      if (expression.form === 'ARRAY') return rows
      return expression.form === 'LAST' ? rows.at(-1) : rows[0]
    }
  }
}

function follow(value: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    if (inner === null || typeof inner !== 'object') return undefined
    if (Array.isArray(inner) !== (typeof step === 'number')) return undefined
    return Object.hasOwn(inner, step) ? (inner as Record<string | number, unknown>)[step] : undefined
  }, value)
}

/** The order of the types: undefined, null, booleans, numbers, strings, arrays, objects. */
function rankOf(value: unknown): number {
  if (value === undefined) return 0
  if (value === null) return 1
  if (Array.isArray(value)) return 5
  return ['boolean', 'number', 'string', '', 'object'].indexOf(typeof value) + 2
}

function order(one: unknown, other: unknown): number {
  const ranks = rankOf(one) - rankOf(other)
  if (ranks !== 0 || rankOf(one) < 2) return ranks
  if (rankOf(one) > 4) return orderItems(itemsOf(one), itemsOf(other))
  const [first, second] = [one as number, other as number]
  return first < second ? -1 : first > second ? 1 : 0
}

/**
 * An object has the order of its properties, sorted by name: first name, first value, second name and so on.
 */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value)
    ? value
    : Object.entries(value as Row)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flat()
}

function orderItems(one: readonly unknown[], other: readonly unknown[]): number {
  const signs = one.slice(0, other.length).map((item, index) => order(item, other[index]))
  return signs.find((sign) => sign !== 0) ?? one.length - other.length
}

/**
 * operators.md calls an equality of two types undefined; scalar.test.ts has the examples. Here it is
 * false, as in the offline engine of the .NET client, so that the property can find other faults.
 */
function compare(operator: Comparison, one: unknown, other: unknown): boolean | undefined {
  if (one === undefined || other === undefined) return undefined
  if (operator === '=') return canonical(one) === canonical(other)
  if (operator === '!=') return canonical(one) !== canonical(other)
  if (rankOf(one) !== rankOf(other) || rankOf(one) > 4) return undefined
  const sign = order(one, other)
  return (operator.includes('=') && sign === 0) || (operator.startsWith('<') ? sign < 0 : sign > 0)
}

function calculate(operator: Arithmetic, one: unknown, other: unknown): number | undefined {
  if (typeof one !== 'number' || typeof other !== 'number') return undefined
  const results = { '+': one + other, '-': one - other, '*': one * other, '/': one / other }
  return Number.isFinite(results[operator]) ? results[operator] : undefined
}

/** OR is decided by a true side, and AND by a false one; without it, both sides must be booleans. */
function connect(decisive: boolean, sides: readonly unknown[]): boolean | undefined {
  if (sides.includes(decisive)) return decisive
  return sides.every((side) => typeof side === 'boolean') ? !decisive : undefined
}

function aggregate(name: AggregateName, values: readonly unknown[]): unknown {
  const numbers = values.filter((value) => typeof value === 'number')
  const isNumeric = numbers.length === values.length
  const sum = numbers.reduce((total, value) => total + value, 0)
  const sorted = [...values].sort(order)
  switch (name) {
    case 'COUNT':
      return values.length
    case 'COUNTIF':
      return values.filter((value) => value === true).length
    case 'MAKELIST':
      return values
    case 'MAKESET':
      return firstOfEach(values)
    case 'SUM':
      return isNumeric ? sum : undefined
    case 'AVG':
      return isNumeric && values.length > 0 ? sum / values.length : undefined
    case 'MIN':
    case 'MAX':
      if (values.some((value) => rankOf(value) > 4)) return undefined
      return name === 'MIN' ? sorted[0] : sorted.at(-1)
  }
}

function compareKeys({ orderBy }: Query, one: Row, other: Row): number {
  for (const { path, descends } of orderBy) {
    const sign = order(follow(one[path.alias], path.steps), follow(other[path.alias], path.steps))
    if (sign !== 0) return descends ? -sign : sign
  }
  return 0
}
