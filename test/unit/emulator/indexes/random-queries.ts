import fc from 'fast-check'
import type { Container, JsonObject, ScanScope } from '../../../../src/emulator/engine/index.js'
import { compileQuery } from '../../../../src/emulator/query/index.js'
import { readPage } from '../../../../src/emulator/rest/pages/item-pages.js'

const scalars = [null, false, true, -1, 0, 0.5, 3, 7, 1e9, '', 'a', 'ab', 'b', '\u00e9', '\uffff', 'z']
export const values = [undefined, ...scalars, [], [1], ['a', 2], {}, { a: 1 }, { a: 'b' }]
export const value = fc.constantFrom(...values)
const scalar = fc.constantFrom(...scalars).map((one) => JSON.stringify(one))

/** A small number of paths, so that conditions and orders often meet. */
const path = fc.constantFrom(
  'c.few',
  'c.many',
  'c.some.a',
  'c.list[0]',
  'c["od d"]',
  'c._ts',
  'c.id',
  'c.excluded',
)

const operator = fc.constantFrom('=', '=', '=', '<', '<=', '>', '>=', '!=')

const condition = fc.oneof(
  fc.tuple(path, operator, scalar).map((parts) => parts.join(' ')),
  fc.tuple(scalar, operator, path).map((parts) => parts.join(' ')),
  fc.tuple(path, scalar, scalar).map(([on, low, high]) => `${on} BETWEEN ${low} AND ${high}`),
  fc
    .tuple(path, fc.array(scalar, { minLength: 1, maxLength: 4 }))
    .map(([on, items]) => `${on} IN (${items.join()})`),
  fc
    .tuple(path, fc.constantFrom('', 'a', '\uffff'))
    .map(([on, prefix]) => `STARTSWITH(${on}, ${JSON.stringify(prefix)})`),
  fc.tuple(path, scalar).map(([on, one]) => `(c.few = 3 OR ${on} = ${one})`),
  path.map((on) => `IS_DEFINED(${on})`),
)

const order = fc.oneof(
  fc.tuple(path, fc.constantFrom('ASC', 'DESC')).map((parts) => parts.join(' ')),
  fc.constantFrom(
    'c.few, c.many',
    'c.few DESC, c.many DESC',
    'c.few DESC, c.many',
    'c.some.a, c.few DESC, c.many',
    'c.some.a DESC, c.few, c.many DESC',
    'c.many DESC',
  ),
)

export const query = fc.record({
  top: fc.constantFrom('', '', '', 'TOP 7 ', 'DISTINCT '),
  selection: fc.constantFrom(
    ...['VALUE c.id', 'VALUE c.id', 'c.id, c.few', 'VALUE c.few', 'VALUE c.some.a', 'VALUE COUNT(1)'],
    ...['VALUE MAX(c.some.a)', 'VALUE COUNT(c.few)'],
  ),
  source: fc.constantFrom('c', 'c', 'c', 'c JOIN l IN c.list'),
  where: fc.array(condition, { maxLength: 3 }),
  order: fc.option(order, { nil: undefined }),
})

type Query = typeof query extends fc.Arbitrary<infer T> ? T : never

export function keyOf(id: number): string {
  return id % 8 === 0 ? 'k2' : 'k1'
}

export function documentOf(id: number, few: unknown, many: unknown): JsonObject {
  return {
    few,
    many,
    excluded: few,
    some: { a: many },
    list: [few, many],
    'od d': many,
    id: String(id),
    pk: keyOf(id),
    defaultTtl: -1,
  }
}

export function textOf({ top, selection, source, where, order: by }: Query): string {
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
  const isGrouped = /COUNT|MAX/u.test(selection)
  return `SELECT ${top}${selection} FROM ${source}${filter}${by === undefined || isGrouped ? '' : ` ORDER BY ${by}`}`
}

export function repartition(container: Container): void {
  const [first, second] = container.partitions
  if (first === undefined || second === undefined) throw new Error('there are at least two partitions')
  if (container.partitions.length > 2) container.mergePartitions([first.id, second.id])
  else container.splitPartition(first.id)
}

/** Reads all pages, or the first twenty. A write between two pages would change the answer. */
export function allRows(
  container: Container,
  text: string,
  maxItemCount: number,
  scope: number,
): readonly string[] {
  const rows: string[] = []
  let continuation = ''
  container.purgeExpired(0)
  for (let page = 0; page < 20; page += 1) {
    const request = {
      scope: scopeOf(container, scope),
      query: compileQuery(text, []),
      text,
      maxItemCount,
      continuation,
    }
    const answer = readPage(container, request)
    rows.push(...answer.rows)
    if (answer.continuation === null) break
    continuation = answer.continuation
  }
  return rows
}

function scopeOf(container: Container, scope: number): ScanScope {
  if (scope === 1) return { kind: 'range', partition: container.partitions.at(-1) }
  if (scope === 2) return { kind: 'key', ...container.locate(['k1']) }
  if (scope === 3) return { kind: 'range', range: { min: '10', max: '30' } }
  return { kind: 'range' }
}
