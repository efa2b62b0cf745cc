import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { doors, type Door } from './doors.js'

const computedProperties = [
  { name: 'cp_low', query: 'SELECT VALUE LOWER(c.name) FROM c' },
  { name: 'cp_half', query: 'SELECT VALUE (p.price * 0.5) FROM products p' },
  { name: 'cp_tags', query: 'SELECT VALUE StringSplit(c.list, ",") FROM root c' },
  { name: 'cp_first', query: 'SELECT VALUE SUBSTRING(c.name, 0, 1) FROM c' },
]
const indexingPolicy = { includedPaths: [{ path: '/*' }, { path: '/cp_half/?' }] }
const definition = { id: 'goods', partitionKey: '/pk', computedProperties, indexingPolicy }
const documents = [
  { id: '1', pk: 'a', name: 'Bike', price: 30, list: 'x,y', parts: [{ name: 'Bell' }] },
  { id: '2', pk: 'b', name: 'BELL', price: 10, list: 'z', cp_low: 'stored' },
  { id: '3', pk: 'c', name: 'Lock', price: 20 },
]

async function goodsIn(door: Pick<Door, 'client'>): Promise<Container> {
  const { database } = await door.client().databases.create({ id: 'shop' })
  const { container } = await database.containers.create(definition)
  for (const document of documents) await container.items.create(document)
  return container
}

async function rowsOf(container: Container, query: string, options = {}): Promise<unknown[]> {
  return (await container.items.query<unknown>(query, options).fetchAll()).resources
}

const queries: readonly (readonly [string, readonly unknown[]])[] = [
  ['SELECT c.cp_low FROM c WHERE c.id = "1"', [{ cp_low: 'bike' }]],
  ['SELECT VALUE c["cp_low"] FROM c WHERE c.id = "2"', ['bell']],
  ['SELECT VALUE c.id FROM c WHERE c.cp_low = "bell"', ['2']],
  ['SELECT VALUE c.id FROM c WHERE c.price - c.cp_half > 6 ORDER BY c.cp_half DESC', ['1', '3']],
  ['SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.cp_tags)', ['3']],
  ['SELECT VALUE t FROM c JOIN t IN c.cp_tags', ['x', 'y', 'z']],
  ['SELECT VALUE t FROM t IN c.cp_tags', ['x', 'y', 'z']],
  ['SELECT VALUE c.cp_tags[0] FROM c', ['x', 'z']],
  ['SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.cp_tags WHERE t = "z")', ['2']],
  ['SELECT VALUE (SELECT VALUE SUM(d.cp_half) FROM d) FROM c d WHERE d.id = "1"', [15]],
  ['SELECT VALUE SUM(c.cp_half) FROM c', [30]],
  // Here the alias of the elements hides the alias of the documents.
  [
    'SELECT VALUE ARRAY(SELECT VALUE c.cp_low ?? "none" FROM c IN c.parts) FROM c WHERE c.id = "1"',
    [['none']],
  ],
]

describe.each(doors)('a computed property through the SDK, %s', (_name, open) => {
  it.each(queries)('is read like a stored one: %s', async (query, rows) => {
    const container = await goodsIn(await open({ partitionCount: 2 }))
    expect(await rowsOf(container, query)).toEqual(rows)
  })

  it('can be the key of a group, in one answer and by a plan', async () => {
    const container = await goodsIn(await open({ partitionCount: 2 }))
    const query = 'SELECT c.cp_first, COUNT(1) AS n FROM c GROUP BY c.cp_first'
    const groups = [
      { cp_first: 'B', n: 2 },
      { cp_first: 'L', n: 1 },
    ]
    for (const options of [{}, { forceQueryPlan: true }]) {
      expect(await rowsOf(container, query, options)).toEqual(expect.arrayContaining(groups))
    }
    const ordered = 'SELECT c.id, c.cp_half FROM c ORDER BY c.cp_half'
    expect(await rowsOf(container, ordered, { forceQueryPlan: true })).toEqual([
      { id: '2', cp_half: 5 },
      { id: '3', cp_half: 10 },
      { id: '1', cp_half: 15 },
    ])
  })

  it('is not in the rows of SELECT *, which have a stored property of the same name', async () => {
    const container = await goodsIn(await open())
    const [stored] = await rowsOf(container, 'SELECT * FROM c WHERE c.id = "2"')
    expect(stored).toMatchObject(documents[1] ?? {})
    expect(stored).not.toHaveProperty('cp_half')
  })

  it('orders documents only if the indexing policy names it', async () => {
    const container = await goodsIn(await open())
    const refused = rowsOf(container, 'SELECT * FROM c ORDER BY c.cp_low')
    await expect(refused).rejects.toThrow(/order-by item is excluded/u)
  })

  it('changes with the definition of the container', async () => {
    const container = await goodsIn(await open())
    const { resource } = await container.read()
    expect(resource).toMatchObject({ computedProperties })
    const upper = [{ name: 'cp_low', query: 'SELECT VALUE UPPER(c.name) FROM c' }]
    await container.replace({ ...resource, computedProperties: upper })
    expect(await rowsOf(container, 'SELECT VALUE c.cp_low FROM c WHERE c.id = "1"')).toEqual(['BIKE'])
    expect(await rowsOf(container, 'SELECT VALUE c.cp_half FROM c')).toEqual([])
  })
})

describe('the definition of computed properties', () => {
  let create: (properties: unknown, policy?: unknown) => Promise<unknown>

  beforeEach(async () => {
    const { database } = await createInProcessCosmos().client().databases.create({ id: 'shop' })
    create = (properties, policy = {}) =>
      database.containers.create({
        id: 'goods',
        partitionKey: '/pk',
        computedProperties: properties,
        indexingPolicy: policy,
      } as never)
  })

  it.each([
    ['SELECT c.name FROM c'],
    ['SELECT VALUE 1'],
    ['SELECT VALUE c FROM c IN c.list'],
    ['SELECT VALUE t FROM c JOIN t IN c.list'],
    ['SELECT VALUE c.name FROM c WHERE c.x = 1'],
    ['SELECT VALUE c.name FROM c ORDER BY c.x'],
    ['SELECT VALUE c.name FROM c GROUP BY c.name'],
    ['SELECT DISTINCT VALUE c.name FROM c'],
    ['SELECT TOP 1 VALUE c.name FROM c'],
    ['SELECT VALUE c.name FROM c OFFSET 0 LIMIT 1'],
    ['SELECT VALUE COUNT(1) FROM c'],
    ['SELECT VALUE GetCurrentTicks() FROM c'],
    ['SELECT VALUE RAND() FROM c'],
    ['SELECT VALUE ST_AREA(c.region) FROM c'],
    ['SELECT VALUE EXISTS(SELECT VALUE t FROM t IN c.list) FROM c'],
    ['SELECT VALUE @name FROM c'],
    ['SELECT VALUE NO_SUCH(c.name) FROM c'],
    ['SELECT VALUE c.name FROM'],
    ['SELECT VALUE c.cp_b FROM c'],
  ])('refuses the query %s', async (query) => {
    const properties = [
      { name: 'cp_a', query },
      { name: 'cp_b', query: 'SELECT VALUE c.b FROM c' },
    ]
    await expect(create(properties)).rejects.toMatchObject({ code: 400 })
  })

  const query = 'SELECT VALUE c.name FROM c'
  it.each([
    ['a name of the system', [{ name: '_ts', query }], {}],
    ['a name that is used twice', ['cp', 'cp'].map((name) => ({ name, query })), {}],
    ['no name', [{ query }], {}],
    ['too many', Array.from({ length: 21 }, (_, index) => ({ name: `cp${index}`, query })), {}],
    ['a spatial index', [{ name: 'cp', query }], { spatialIndexes: [{ path: '/cp/*', types: ['Point'] }] }],
  ])('refuses %s', async (_case, properties, policy) => {
    await expect(create(properties, policy)).rejects.toMatchObject({ code: 400 })
  })

  it('stays after a restart', async () => {
    const dataDirectory = scratchDirectory()
    const first = createInProcessCosmos({ dataDirectory })
    await goodsIn(first)
    await first.close()
    const second = createInProcessCosmos({ dataDirectory })
    const container = second.client().database('shop').container('goods')
    expect(await rowsOf(container, 'SELECT VALUE c.cp_low FROM c WHERE c.cp_half = 5')).toEqual(['bell'])
    await second.close()
  })
})
