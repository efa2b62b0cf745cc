import type { Container, ContainerRequest, FeedOptions } from '@azure/cosmos'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'

const paths = (...names: readonly string[]): { path: string }[] => names.map((path) => ({ path }))

/** Indexing policies by the name of their container. */
const settings: Readonly<Record<string, Partial<ContainerRequest>>> = {
  everything: {
    indexingPolicy: {
      compositeIndexes: [
        [
          { path: '/a', order: 'ascending' },
          { path: '/b', order: 'descending' },
        ],
      ],
    },
  },
  little: { indexingPolicy: { includedPaths: paths('/a/?'), excludedPaths: paths('/*') } },
  none: { indexingPolicy: { indexingMode: 'none', automatic: false } },
  planar: { geospatialConfig: { type: 'Geometry' as never } },
  searched: {
    indexingPolicy: { fullTextIndexes: paths('/inner/text') },
    fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [{ path: '/inner/text', language: 'en-US' }] },
  },
  vectors: {
    vectorEmbeddingPolicy: {
      vectorEmbeddings: [
        { path: '/v', dataType: 'float32' as never, dimensions: 2, distanceFunction: 'euclidean' as never },
      ],
    },
  },
}

describe('the indexing policy of a container', () => {
  let cosmos: InProcessCosmos
  const containers = new Map<string, Container>()

  beforeAll(async () => {
    cosmos = createInProcessCosmos({ partitionCount: 2 })
    const { database } = await cosmos.client().databases.create({ id: 'shop' })
    for (const [id, more] of Object.entries(settings)) {
      const { container } = await database.containers.create({ id, partitionKey: '/pk', ...more })
      for (const n of [1, 2, 3]) {
        const inner = { text: 'red bike' }
        await container.items.create({ id: `${n}`, pk: `${n}`, a: n % 2, b: n, v: [n, 3], inner, at: point })
      }
      containers.set(id, container)
    }
  })

  const point = { type: 'Point', coordinates: [1, 2] }

  afterAll(() => cosmos.close())

  async function ask(id: string, text: string, options: FeedOptions = {}): Promise<unknown[]> {
    const items = containers.get(id)?.items
    if (items === undefined) throw new Error(`there is no container ${id}`)
    return (await items.query<unknown>(text, options).fetchAll()).resources
  }

  const noComposite = /does not have a corresponding composite index that it can be served from/u
  const isExcluded = /The index path corresponding to the specified order-by item is excluded/u

  it.each([
    ['everything', 'c.a, c.b', noComposite],
    ['everything', 'c.b DESC, c.a', noComposite],
    ['everything', 'c.a, c.b DESC, c.id', noComposite],
    ['little', 'c.b', isExcluded],
    ['none', 'c.id', isExcluded],
  ])('of the container “%s” refuses ORDER BY %s', async (id, order, words) => {
    const text = `SELECT * FROM c ORDER BY ${order}`
    for (const options of [{}, { partitionKey: '1' }, { forceQueryPlan: true }]) {
      await expect(ask(id, text, options)).rejects.toMatchObject({
        code: 400,
        message: expect.stringMatching(words) as string,
      })
    }
  })

  it.each([
    ['everything', 'c.a, c.b DESC', ['2', '3', '1']],
    ['everything', 'c.a DESC, c.b', ['1', '3', '2']],
    ['little', 'c.id DESC', ['3', '2', '1']],
  ])('of the container “%s” gives the order of ORDER BY %s', async (id, order, ids) => {
    expect(await ask(id, `SELECT VALUE c.id FROM c ORDER BY ${order}`)).toEqual(ids)
  })

  it('without an index refuses a filter, unless the client allows a scan', async () => {
    const text = 'SELECT VALUE c.id FROM c WHERE c.b > 2'
    await expect(ask('none', text)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('filters against path(s) excluded from indexing') as string,
    })
    expect(await ask('none', text, { enableScanInQuery: true })).toEqual(['3'])
    expect(await ask('none', 'SELECT VALUE c.id FROM c')).toHaveLength(3)
    expect(await ask('little', text)).toEqual(['3'])
  })

  it('needs a full-text index for FullTextScore, but not for FullTextContains', async () => {
    const ranked = 'SELECT VALUE c.id FROM c ORDER BY RANK FullTextScore(c.inner.text, "red")'
    await expect(ask('everything', ranked, { partitionKey: '1' })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('full-text index for the path /inner/text') as string,
    })
    expect(await ask('searched', ranked, { partitionKey: '1' })).toEqual(['1'])
    const contained = 'SELECT VALUE c.id FROM c WHERE FullTextContains(c.inner.text, "bike")'
    expect(await ask('everything', contained)).toHaveLength(3)
  })

  it('needs no spatial index for spatial functions, which are refused in a plane', async () => {
    const text = 'SELECT VALUE c.id FROM c WHERE ST_ISVALID(c.at)'
    expect(await ask('everything', text)).toHaveLength(3)
    await expect(ask('planar', text)).rejects.toMatchObject({ code: 501 })
  })

  it('gives VectorDistance the measure of the vector policy', async () => {
    const distance = (call: string): Promise<unknown[]> =>
      ask('vectors', `SELECT VALUE ${call} FROM c WHERE c.id = "1"`)
    expect(await distance('VectorDistance(c.v, [4, 7])')).toEqual([5])
    expect(await distance('VectorDistance([4, 7], c.v, true)')).toEqual([5])
    expect(await distance('VectorDistance(c.v, [4, 7], false, {})')).toEqual([5])
    expect(await distance('VectorDistance(c.v, [4, 7], false, {dataType: "float32"})')).toEqual([5])
    expect(await distance('VectorDistance(c.v, [4, 7], false, {distanceFunction: "dotproduct"})')).toEqual([
      25,
    ])
    const nearest = 'SELECT TOP 2 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [3, 3])'
    expect(await ask('vectors', nearest)).toEqual(['3', '2'])
  })
})
