import fc from 'fast-check'
import type { AggregateName, Expression, Path, Query, Source } from './naive-evaluator.js'

/** Chooses one of a number of options: returns its index. */
export type Draw = (options: number) => number

type Aliases = readonly [string, ...string[]]

/** The aliases that an expression may use, and how deep subqueries may still go. */
interface Scope {
  readonly aliases: Aliases
  readonly depth: number
}

const scalars: readonly [unknown, ...unknown[]] = [
  1,
  2,
  0,
  3,
  null,
  true,
  false,
  -0,
  -1,
  0.5,
  '',
  'a',
  'b',
  '1',
  '\u00e9',
]
const compounds: readonly [unknown, ...unknown[]] = [
  [],
  [1],
  [1, 2],
  [2, 1],
  ['a', null],
  {},
  { a: 1 },
  { a: 1, b: 2 },
  { b: 2, a: 1 },
  { a: [1] },
]
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...scalars) },
  { weight: 1, arbitrary: fc.constantFrom(...compounds) },
)
const list = fc.array(value, { maxLength: 3 })
type Steps = readonly (string | number)[]

const steps: readonly [Steps, ...Steps[]] = [['a'], ['b'], ['l'], ['m'], ['a', 'b'], ['l', 0], ['m', 1]]

/** A few documents with the same few properties, so that many values are equal. */
export const someDocuments = fc.array(
  fc.record(
    {
      a: value,
      b: value,
      l: fc.oneof({ weight: 4, arbitrary: list }, { weight: 1, arbitrary: value }),
      m: fc.array(
        fc.oneof(fc.record({ a: value, l: list }, { requiredKeys: [], noNullPrototype: true }), value, list),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  { minLength: 1, maxLength: 5, size: 'max' },
)

/** The choices that make a query, in their order. Smaller numbers make simpler queries. */
export const someChoices = fc.noBias(fc.array(fc.nat(9_999), { minLength: 1, maxLength: 80, size: 'max' }))

/** Draws from a list of choices; where the list ends, draws the first option. */
export function drawFrom(choices: readonly number[]): Draw {
  let next = 0
  return (options) => {
    next += 1
    return (choices[next - 1] ?? 0) % options
  }
}

function pick<T>(draw: Draw, values: readonly [T, ...T[]]): T {
  return values[draw(values.length)] ?? values[0]
}

const oneIn = (draw: Draw, times: number): boolean => draw(times) === times - 1
const several = <T>(draw: Draw, most: number, make: () => T): [T, ...T[]] => [
  make(),
  ...Array.from({ length: draw(most) }, make),
]

/** Draws the query of a request: over the documents, and perhaps with an order or a limit. */
export function randomQuery(draw: Draw): Query {
  const steps = pick<Steps>(draw, [[], [], [], [], [], [], ['l'], ['m'], ['a']])
  const form = pick(draw, forms)
  const first: Source = {
    alias: 'c',
    iterates: steps.length > 0 && oneIn(draw, 2),
    from: { kind: 'path', alias: 'ROOT', steps },
  }
  const query = randomSelect(draw, first, { aliases: ['c'], depth: 2 }, form)
  const isOrdered = steps.length === 0 && form === 'rows' && !oneIn(draw, 3)
  const orderBy = isOrdered
    ? several(draw, 2, () => ({ path: randomPath(draw, ['c']), descends: oneIn(draw, 2) }))
    : []
  return { ...query, orderBy, top: oneIn(draw, 3) ? pick(draw, [0, 1, 2, 3, 5]) : null }
}

/** Adds joins, a filter and a projection to the first source of a query. */
function randomSelect(draw: Draw, first: Source, scope: Scope, form = pick(draw, forms)): Query {
  const sources = [first]
  const own: [string, ...string[]] = [first.alias]
  let inner = scope
  for (const alias of ['x', 'y'].slice(0, pick(draw, [0, 1, 0, 1, 2]))) {
    if (own.includes(alias)) continue
    own.push(alias)
    sources.push(randomJoin(draw, alias, inner))
    inner = { ...inner, aliases: [alias, ...inner.aliases.filter((other) => other !== alias)] }
  }
  const groupBy = form === 'groups' ? several(draw, 2, () => randomKey(draw, own)) : null
  const projected = (): Expression =>
    form === 'rows'
      ? randomExpression(draw, inner)
      : groupBy !== null && oneIn(draw, 2)
        ? pick(draw, groupBy)
        : randomAggregate(draw, inner)
  return {
    kind: 'query',
    distinct: oneIn(draw, 4),
    top: null,
    select: oneIn(draw, 2)
      ? oneIn(draw, 3)
        ? { kind: 'list', of: several(draw, 2, projected) }
        : projected()
      : several(draw, 3, projected).map((of, index) => [`p${index}`, of] as const),
    sources,
    where: oneIn(draw, 3) ? randomCondition(draw, inner) : null,
    groupBy: groupBy ?? [],
    orderBy: [],
  }
}

const forms = ['rows', 'rows', 'rows', 'one', 'groups', 'groups'] as const

/** Draws a source for a JOIN, or for the FROM of a subquery, that sees the aliases of the scope. */
function randomJoin(draw: Draw, alias: string, scope: Scope): Source {
  const iterates = !oneIn(draw, 4)
  if (scope.depth === 0 || !oneIn(draw, 4)) {
    const from =
      iterates && !oneIn(draw, 4) ? randomArray(draw, scope.aliases) : randomPath(draw, scope.aliases)
    return { alias, iterates, from }
  }
  return { alias, iterates: oneIn(draw, 2), from: randomSubquery(draw, scope) }
}

function randomSubquery(draw: Draw, scope: Scope, form = pick(draw, forms)): Query {
  const inner = { ...scope, depth: scope.depth - 1 }
  const alias = pick(draw, ['x', 'y', 'z', 'c'])
  const source = randomJoin(draw, alias, { ...inner, depth: 0 })
  return randomSelect(
    draw,
    source,
    { ...inner, aliases: [alias, ...inner.aliases.filter((other) => other !== alias)] },
    form,
  )
}

function randomPath(draw: Draw, aliases: Aliases): Path {
  return { kind: 'path', alias: pick(draw, aliases), steps: pick(draw, steps) }
}

/** Draws a path that leads to an array in many documents. */
function randomArray(draw: Draw, aliases: Aliases): Path {
  return { kind: 'path', alias: pick(draw, aliases), steps: pick<Steps>(draw, [['l'], ['m']]) }
}

function randomKey(draw: Draw, aliases: Aliases): Expression {
  const path = randomPath(draw, aliases)
  const keys: readonly [Expression, ...Expression[]] = [
    path,
    path,
    { kind: 'path', alias: path.alias, steps: [] },
    { kind: 'defined', of: path },
    { kind: 'arithmetic', operator: '+', sides: [path, { kind: 'constant', value: 1 }] },
    { kind: 'compare', operator: '>', sides: [path, { kind: 'constant', value: 1 }] },
  ]
  return pick(draw, keys)
}

function randomAggregate(draw: Draw, scope: Scope): Expression {
  return { kind: 'aggregate', name: pick(draw, aggregates), of: randomExpression(draw, scope) }
}

function randomCondition(draw: Draw, scope: Scope): Expression {
  const sides = (): [Expression, Expression] => [randomExpression(draw, scope), randomExpression(draw, scope)]
  switch (pick(draw, ['compare', 'compare', 'compare', 'logic', 'not', 'defined', 'exists', 'any'])) {
    case 'logic':
      return {
        kind: 'logic',
        operator: pick(draw, ['AND', 'OR']),
        sides: [randomCondition(draw, scope), randomCondition(draw, scope)],
      }
    case 'not':
      return { kind: 'not', of: randomCondition(draw, scope) }
    case 'defined':
      return { kind: 'defined', of: randomPath(draw, scope.aliases) }
    case 'exists':
      if (scope.depth === 0) return { kind: 'defined', of: randomPath(draw, scope.aliases) }
      return { kind: 'subquery', form: 'EXISTS', query: randomSubquery(draw, scope) }
    case 'any':
      return randomExpression(draw, scope)
    default:
      return { kind: 'compare', operator: pick(draw, ['=', '=', '!=', '<', '<=', '>', '>=']), sides: sides() }
  }
}

function randomExpression(draw: Draw, scope: Scope): Expression {
  switch (
    pick(draw, ['path', 'path', 'path', 'alias', 'constant', 'arithmetic', 'list', 'subquery', 'scalar'])
  ) {
    case 'alias':
      return { kind: 'path', alias: pick(draw, scope.aliases), steps: [] }
    case 'constant':
      return { kind: 'constant', value: oneIn(draw, 5) ? pick(draw, compounds) : pick(draw, scalars) }
    case 'arithmetic':
      return {
        kind: 'arithmetic',
        operator: pick(draw, ['+', '-', '*', '/']),
        sides: [randomPath(draw, scope.aliases), { kind: 'constant', value: pick(draw, [0, 1, 2, -1]) }],
      }
    case 'list':
      return { kind: 'list', of: several(draw, 2, () => randomPath(draw, scope.aliases)) }
    case 'subquery':
      if (scope.depth === 0) return randomPath(draw, scope.aliases)
      return {
        kind: 'subquery',
        form: pick(draw, ['EXISTS', 'ARRAY', 'ARRAY', 'FIRST', 'LAST']),
        query: randomSubquery(draw, scope),
      }
    case 'scalar':
      if (scope.depth === 0) return randomPath(draw, scope.aliases)
      return { kind: 'subquery', form: '', query: randomSubquery(draw, scope, 'one') }
    default:
      return randomPath(draw, scope.aliases)
  }
}

const aggregates: readonly [AggregateName, ...AggregateName[]] = [
  'COUNT',
  'COUNT',
  'SUM',
  'SUM',
  'AVG',
  'MIN',
  'MAX',
  'COUNTIF',
  'MAKELIST',
  'MAKESET',
]
