import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, ordersIn, type Door } from './doors.js'

interface Order {
  readonly id: string
  readonly pk: string
  readonly total: number
}

describe.each(doors)('a query through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open({ partitionCount: 3 })
    container = await ordersIn(door)
    for (let index = 0; index < 30; index += 1) {
      await container.items.create({ id: `o${index}`, pk: `k${index % 10}`, total: index })
    }
  })

  const query = (text: string): { query: string } => ({ query: text })

  it('filters documents of all partitions', async () => {
    const spec = {
      query: 'SELECT * FROM c WHERE c.total >= @from',
      parameters: [{ name: '@from', value: 20 }],
    }
    const { resources } = await container.items.query<Order>(spec).fetchAll()
    expect(resources.map(({ total }) => total)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
  })

  it('finds a text regardless of its JSON escapes', async () => {
    const note = 'é "quoted" \\ \n\u2028 😀'
    await container.items.create({ id: 'noted', pk: 'k1', inner: [{ note }] })
    const spec = {
      query: 'SELECT VALUE c.id FROM c WHERE c.inner[0].note = @note',
      parameters: [{ name: '@note', value: note }],
    }
    expect((await container.items.query(spec).fetchAll()).resources).toEqual(['noted'])
  })

  it('sorts again if a document was written between two pages of one partition key', async () => {
    const spec = query('SELECT VALUE c.total FROM c ORDER BY c.total DESC')
    const iterator = container.items.query<number>(spec, { maxItemCount: 1, partitionKey: 'k9' })
    expect((await iterator.fetchNext()).resources).toEqual([29])
    expect((await iterator.fetchNext()).resources).toEqual([19])
    await container.items.upsert({ id: 'o9', pk: 'k9', total: 9.5 })
    expect((await iterator.fetchNext()).resources).toEqual([9.5])
  })

  it.each([
    ['streamed', 'SELECT * FROM c WHERE c.isLong', 3],
    ['sorted', 'SELECT * FROM c WHERE c.isLong ORDER BY c.total', 3],
  ])('ends a %s page after 4 MB, however few characters they are', async (_kind, text, count) => {
    // A euro sign is one character and three bytes.
    const note = '€'.repeat(600_000)
    for (const total of [1, 2, 3, 4]) {
      await container.items.create({ id: `long${total}`, pk: 'long', isLong: true, total, note })
    }
    const first = await container.items.query(query(text), { partitionKey: 'long' }).fetchNext()
    expect(first.resources).toHaveLength(count)
    expect(first.hasMoreResults).toBe(true)
  })

  it('pages through all partitions without loss', async () => {
    const iterator = container.items.query<Order>(query('SELECT * FROM c'), { maxItemCount: 7 })
    const pages: number[] = []
    const seen = new Set<string>()
    while (iterator.hasMoreResults()) {
      const { resources, continuationToken } = await iterator.fetchNext()
      pages.push(resources.length)
      for (const { id } of resources) seen.add(id)
      expect(JSON.stringify({ continuationToken }).length).toBeLessThan(1024)
    }
    expect(seen.size).toBe(30)
    expect(Math.max(...pages)).toBe(7)
  })

  it('continues from a token in another iterator', async () => {
    const first = container.items.query<Order>(query('SELECT * FROM c'), {
      maxItemCount: 12,
      partitionKey: 'k3',
    })
    expect((await first.fetchNext()).resources).toHaveLength(3)
    const all = container.items.query<Order>(query('SELECT * FROM c'), { maxItemCount: 12 })
    const { resources, continuationToken } = await all.fetchNext()
    const rest = container.items.query<Order>(query('SELECT * FROM c'), {
      maxItemCount: 100,
      continuationToken,
    })
    expect(resources.length + (await rest.fetchAll()).resources.length).toBe(30)
  })

  it('is limited to one partition key', async () => {
    const { resources } = await container.items
      .query<Order>(query('SELECT * FROM c WHERE c.total > 5'), { partitionKey: 'k3' })
      .fetchAll()
    expect(resources.map(({ id }) => id)).toEqual(['o13', 'o23'])
  })

  it('orders, limits and counts over all partitions', async () => {
    const ordered = await container.items
      .query<Order>(query('SELECT * FROM c ORDER BY c.total DESC'), { maxItemCount: 4 })
      .fetchAll()
    expect(ordered.resources.map(({ total }) => total)).toEqual(Array.from({ length: 30 }, (_, i) => 29 - i))
    const top = await container.items.query<Order>(query('SELECT TOP 3 * FROM c')).fetchAll()
    expect(top.resources).toHaveLength(3)
    const count = await container.items.query<number>(query('SELECT VALUE COUNT(1) FROM c')).fetchAll()
    expect(count.resources).toEqual([30])
  })

  it('finds a document by key and id in its filter', async () => {
    const found = await container.items
      .query<Order>(query("SELECT * FROM c WHERE c.pk = 'k4' AND c.id = 'o14'"))
      .fetchAll()
    expect(found.resources).toMatchObject([{ id: 'o14', pk: 'k4', total: 14 }])
    const none = await container.items
      .query<Order>(query("SELECT * FROM c WHERE c.pk = 'k5' AND c.id = 'o14'"))
      .fetchAll()
    expect(none.resources).toEqual([])
  })

  it('reads everything', async () => {
    expect((await container.items.readAll().fetchAll()).resources).toHaveLength(30)
  })

  it('does not confuse a path with a partition key whose name has a dot', async () => {
    const { container: dotted } = await container.database.containers.create({
      id: 'dotted',
      partitionKey: '/a.b',
    })
    await dotted.items.create({ id: '1', a: { b: 'x' }, 'a.b': 'y' })
    const { resources } = await dotted.items.query('SELECT VALUE c.id FROM c WHERE c.a.b = "x"').fetchAll()
    expect(resources).toEqual(['1'])
  })

  it('finds nothing for a value that is too long for a partition key', async () => {
    const parameters = [{ name: '@pk', value: 'k'.repeat(3_000) }]
    const spec = { query: 'SELECT * FROM c WHERE c.pk = @pk', parameters }
    expect((await container.items.query(spec).fetchAll()).resources).toEqual([])
  })

  it('names the indexes that it uses, and those that would help', async () => {
    const spec = query("SELECT * FROM c WHERE c.pk = 'k5' AND c.total > 3")
    const iterator = container.items.query<Order>(spec, { populateIndexMetrics: true })
    const { indexMetrics } = await iterator.fetchNext()
    expect(JSON.parse(indexMetrics)).toEqual({
      UtilizedIndexes: {
        SingleIndexes: [{ IndexSpec: '/pk/?' }, { IndexSpec: '/total/?' }],
        CompositeIndexes: [],
      },
      PotentialIndexes: {
        SingleIndexes: [],
        CompositeIndexes: [{ IndexSpecs: ['/pk ASC', '/total ASC'], IndexImpactScore: 'High' }],
      },
    })
  })

  it('with a syntax error is answered with 400', async () => {
    const broken = container.items.query(query('SELEC * FROM c')).fetchAll()
    await expect(broken).rejects.toMatchObject({ code: 400 })
  })
})
