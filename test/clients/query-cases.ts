/**
 * The queries that every client sends, with the rows that must come back. The rows are computed here from the
 * items, by plain loops, and not by the embedded Cosmos DB.
 */
import { articles, orders, type Article, type Order } from './query-data.js'

/** A query of the matrix. Without a `key`, it reads three ranges. */
export interface QueryCase {
  /** The row of the matrix. */
  readonly check: string
  readonly container: 'orders' | 'articles'
  readonly query: string
  readonly parameters: readonly { readonly name: string; readonly value: unknown }[]
  readonly key?: string
  readonly rows: readonly unknown[]
  /** False if the query does not say which row comes first. */
  readonly isOrdered: boolean
}

type Rest = Pick<QueryCase, 'rows'> & Partial<QueryCase>

function unordered(check: string, query: string, rest: Rest): QueryCase {
  return { check, container: 'orders', query, parameters: [], isOrdered: false, ...rest }
}

function ordered(check: string, query: string, rest: Rest): QueryCase {
  return { ...unordered(check, query, rest), isOrdered: true }
}

function where(condition: (order: Order) => boolean): readonly Order[] {
  return orders.filter(condition)
}

const idsOf = (found: readonly { readonly id: string }[]): readonly string[] => found.map(({ id }) => id)
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const byNumber = (found: readonly Order[]): readonly Order[] =>
  found.toSorted((one, other) => one.n - other.n)
const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)]

const colour = (value: string) => ({ parameters: [{ name: '@colour', value }] })

const filters: readonly QueryCase[] = [
  unordered('filter', 'SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high', {
    parameters: [
      { name: '@low', value: 20 },
      { name: '@high', value: 31 },
    ],
    rows: idsOf(where(({ n }) => n >= 20 && n < 31)),
  }),
  unordered('filter', 'SELECT * FROM c WHERE c.colour = @colour', {
    ...colour('green'),
    key: 'k1',
    rows: where((order) => order.pk === 'k1' && order.colour === 'green'),
  }),
  unordered('filter', "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.tags, 't1') AND NOT c.flag", {
    rows: idsOf(where(({ tags, flag }) => tags.includes('t1') && !flag)),
  }),
  unordered('filter', 'SELECT VALUE c.id FROM c WHERE c.name = @name', {
    parameters: [{ name: '@name', value: '😀 smile' }],
    rows: idsOf(where(({ name }) => name === '😀 smile')),
  }),
  unordered('filter', 'SELECT VALUE c.id FROM c WHERE c.maybe = null OR NOT IS_DEFINED(c.maybe)', {
    rows: idsOf(where(({ maybe }) => maybe === null || maybe === undefined)),
  }),
]

const orderings: readonly QueryCase[] = [
  ordered('order-by', 'SELECT VALUE c.n FROM c ORDER BY c.n', { rows: byNumber(orders).map(({ n }) => n) }),
  ordered('order-by', 'SELECT c.id, c.name FROM c WHERE c.flag ORDER BY c.n DESC', {
    rows: byNumber(where(({ flag }) => flag))
      .toReversed()
      .map(({ id, name }) => ({ id, name })),
  }),
  ordered('order-by', 'SELECT VALUE c.id FROM c ORDER BY c.colour ASC, c.n DESC', {
    rows: ['blue', 'green', 'red'].flatMap((name) =>
      idsOf(byNumber(where((order) => order.colour === name)).toReversed()),
    ),
  }),
  ordered('order-by', 'SELECT * FROM c ORDER BY c.id', { key: 'k2', rows: where(({ pk }) => pk === 'k2') }),
  ordered('top', 'SELECT TOP 7 VALUE c.n FROM c ORDER BY c.n', { rows: [0, 1, 2, 3, 4, 5, 6] }),
  ordered('top', 'SELECT TOP @count VALUE c.n FROM c ORDER BY c.n DESC', {
    parameters: [{ name: '@count', value: 3 }],
    rows: [89, 88, 87],
  }),
  unordered('top', 'SELECT TOP 1000 VALUE c.id FROM c', { rows: idsOf(orders) }),
  ordered('offset-limit', 'SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 10 LIMIT 4', {
    rows: [10, 11, 12, 13],
  }),
  ordered('offset-limit', 'SELECT VALUE c.n FROM c ORDER BY c.n DESC OFFSET 87 LIMIT 20', {
    rows: [2, 1, 0],
  }),
]

const colourFlags = distinct(
  orders.map((order) => JSON.stringify({ colour: order.colour, flag: order.flag })),
)

const distincts: readonly QueryCase[] = [
  unordered('distinct', 'SELECT DISTINCT VALUE c.colour FROM c', { rows: ['red', 'green', 'blue'] }),
  unordered('distinct', 'SELECT DISTINCT c.colour, c.flag FROM c', {
    rows: colourFlags.map((text): unknown => JSON.parse(text)),
  }),
  ordered('distinct', 'SELECT DISTINCT VALUE c.colour FROM c ORDER BY c.colour', {
    rows: ['blue', 'green', 'red'],
  }),
]

const falsyValues: readonly QueryCase[] = [
  unordered('distinct-falsy', 'SELECT DISTINCT VALUE c.flag FROM c', { rows: [true, false] }),
  ordered('distinct-falsy', 'SELECT DISTINCT VALUE c.price FROM c WHERE c.price < 4 ORDER BY c.price', {
    rows: [0, 1.25, 2.5, 3.75],
  }),
]

const groups = ['red', 'green', 'blue'].map((name) => where((order) => order.colour === name))

const groupings: readonly QueryCase[] = [
  unordered(
    'group-by',
    'SELECT c.colour, COUNT(1) AS number, SUM(c.price) AS total, AVG(c.n) AS mean FROM c GROUP BY c.colour',
    {
      rows: groups.map((group) => ({
        colour: group[0]?.colour,
        number: group.length,
        total: sum(group.map(({ price }) => price)),
        mean: sum(group.map(({ n }) => n)) / group.length,
      })),
    },
  ),
  unordered(
    'group-by',
    'SELECT c.flag, MIN(c.n) AS least, MAX(c.n) AS most FROM c WHERE c.colour = @colour GROUP BY c.flag',
    {
      ...colour('red'),
      rows: [true, false].map((flag) => {
        const numbers = where((order) => order.colour === 'red' && order.flag === flag).map(({ n }) => n)
        return { flag, least: Math.min(...numbers), most: Math.max(...numbers) }
      }),
    },
  ),
]

const red = where((order) => order.colour === 'red')

const aggregates: readonly QueryCase[] = [
  unordered('aggregates', 'SELECT VALUE COUNT(1) FROM c', { rows: [orders.length] }),
  unordered('aggregates', 'SELECT VALUE COUNT(c.maybe) FROM c', {
    rows: [where(({ maybe }) => maybe !== undefined).length],
  }),
  unordered('aggregates', 'SELECT VALUE SUM(c.price) FROM c', {
    rows: [sum(orders.map(({ price }) => price))],
  }),
  unordered('aggregates', 'SELECT VALUE AVG(c.n) FROM c WHERE c.colour = @colour', {
    ...colour('red'),
    rows: [sum(red.map(({ n }) => n)) / red.length],
  }),
  unordered('aggregates', 'SELECT VALUE MIN(c.n) FROM c WHERE c.flag', {
    rows: [Math.min(...where(({ flag }) => flag).map(({ n }) => n))],
  }),
  unordered('aggregates', 'SELECT VALUE MAX(c.name) FROM c', {
    rows: [
      orders
        .map(({ name }) => name)
        .toSorted()
        .at(-1),
    ],
  }),
]

const prices = where(({ n }) => n > 9).map(({ price }) => price)

const composed: readonly QueryCase[] = [
  ordered('composed', 'SELECT TOP 3 VALUE c.id FROM c WHERE c.colour = @colour ORDER BY c.n DESC', {
    ...colour('red'),
    rows: idsOf(byNumber(red).toReversed().slice(0, 3)),
  }),
  ordered(
    'composed',
    'SELECT DISTINCT VALUE c.price FROM c WHERE c.n > 9 ORDER BY c.price OFFSET 2 LIMIT 4',
    {
      rows: distinct(prices)
        .toSorted((one, other) => one - other)
        .slice(2, 6),
    },
  ),
  unordered('composed', "SELECT VALUE SUM(c.price) FROM c JOIN t IN c.tags WHERE t = 't1'", {
    rows: [sum(where(({ tags }) => tags.includes('t1')).map(({ price }) => price))],
  }),
  unordered('composed', 'SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags WHERE c.pk = @pk', {
    parameters: [{ name: '@pk', value: 'k0' }],
    rows: distinct(where(({ pk }) => pk === 'k0').flatMap(({ tags }) => tags)),
  }),
]

const joins: readonly QueryCase[] = [
  unordered('join', "SELECT c.id, t AS tag FROM c JOIN t IN c.tags WHERE t IN ('t0', 't3')", {
    rows: orders.flatMap(({ id, tags }) =>
      tags.filter((tag) => tag === 't0' || tag === 't3').map((tag) => ({ id, tag })),
    ),
  }),
  unordered(
    'join',
    "SELECT VALUE c.id FROM c WHERE EXISTS (SELECT VALUE t FROM t IN c.tags WHERE t = 't2')",
    {
      rows: idsOf(where(({ tags }) => tags.includes('t2'))),
    },
  ),
  unordered('join', "SELECT c.id, ARRAY(SELECT VALUE t FROM t IN c.tags WHERE t != 't0') AS others FROM c", {
    rows: orders.map(({ id, tags }) => ({ id, others: tags.filter((tag) => tag !== 't0') })),
  }),
]

const sought = [1, 0, 0.5]

function cosine(vector: readonly number[]): number {
  const product = (other: readonly number[]): number =>
    sum(vector.map((value, at) => value * (other[at] ?? 0)))
  return product(sought) / Math.sqrt(product(vector) * sum(sought.map((value) => value * value)))
}

const bicycles = ({ text }: Article): number => text.split('bicycle').length - 1

/** Returns the place of each article in an order, beginning with 1. Equal scores have equal places. */
function places(score: (article: Article) => number): (article: Article) => number {
  const scores = distinct(articles.map(score)).toSorted((one, other) => other - one)
  return (article) => scores.indexOf(score(article)) + 1
}

const nearest = places(({ vector }) => cosine(vector))
const mostFitting = places(bicycles)
const fused = (article: Article): number => 1 / (60 + nearest(article)) + 1 / (60 + mostFitting(article))

function best(score: (article: Article) => number, count: number): readonly string[] {
  return idsOf(articles.toSorted((one, other) => score(other) - score(one)).slice(0, count))
}

const distance = `VectorDistance(c.vector, [${sought.join(', ')}])`

const searches: readonly QueryCase[] = [
  ordered('vector', `SELECT TOP 6 VALUE c.id FROM c ORDER BY ${distance}`, {
    container: 'articles',
    rows: best(({ vector }) => cosine(vector), 6),
  }),
  ordered('hybrid', "SELECT TOP 5 VALUE c.id FROM c ORDER BY RANK FullTextScore(c.text, 'bicycle')", {
    container: 'articles',
    rows: best(bicycles, 5),
  }),
  ordered(
    'hybrid',
    `SELECT TOP 4 VALUE c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'bicycle'), ${distance})`,
    { container: 'articles', rows: best(fused, 4) },
  ),
]

export const queryCases: readonly QueryCase[] = [
  ...filters,
  ...orderings,
  ...distincts,
  ...falsyValues,
  ...groupings,
  ...aggregates,
  ...composed,
  ...joins,
  ...searches,
]
