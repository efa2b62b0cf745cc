import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../../../src/emulator/index.js'

describe('query metrics', () => {
  let container: Container

  beforeEach(async () => {
    const cosmos = createInProcessCosmos()
    const { database } = await cosmos.client().databases.create({ id: 'shop' })
    const created = await database.containers.create({
      id: 'orders',
      partitionKey: '/pk',
      indexingPolicy: { excludedPaths: [{ path: '/note/?' }], includedPaths: [{ path: '/*' }] },
    })
    container = created.container
    for (let index = 0; index < 10; index += 1) {
      const document = { id: `o${index}`, pk: 'a', place: (index * 7) % 10, note: `note ${index % 5}` }
      await container.items.create(document)
    }
  })

  /** Returns how many documents each page retrieved and returned. Runs `between` after each page. */
  async function pagesOf(
    text: string,
    maxItemCount: number,
    between: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<readonly (readonly [number, number])[]> {
    const pages: (readonly [number, number])[] = []
    const options = { partitionKey: 'a', maxItemCount, populateQueryMetrics: true }
    const iterator = container.items.query(text, options)
    while (iterator.hasMoreResults()) {
      const { queryMetrics } = await iterator.fetchNext()
      const [metrics] = Object.values(queryMetrics as unknown as Readonly<Record<string, PageMetrics>>)
      if (metrics !== undefined) pages.push([metrics.retrievedDocumentCount, metrics.outputDocumentCount])
      await between()
    }
    return pages
  }

  interface PageMetrics {
    readonly retrievedDocumentCount: number
    readonly outputDocumentCount: number
  }

  it.each([
    ['an index', 'c.place = 3', 1, 1],
    ['an index for one of two conditions', 'c.place < 5 AND c.note = "note 1"', 5, 1],
    ['no index', 'c.note = "note 1"', 10, 2],
  ])(
    'count the documents that a filter with %s finds, in a small scope',
    async (_what, filter, read, found) => {
      expect(await pagesOf(`SELECT * FROM c WHERE ${filter}`, 100)).toEqual([[read, found]])
    },
  )

  it.each([
    [
      'SELECT * FROM c ORDER BY c.place',
      [
        [4, 4],
        [4, 4],
        [2, 2],
      ],
    ],
    [
      'SELECT * FROM c WHERE c.place > 2 ORDER BY c.place DESC',
      [
        [4, 4],
        [3, 3],
      ],
    ],
    [
      'SELECT DISTINCT VALUE c.note FROM c',
      [
        [10, 4],
        [0, 1],
      ],
    ],
  ])('count each document on one page of %s, even if pages are computed again', async (text, pages) => {
    const another = (): Promise<unknown> =>
      container.items.query('SELECT * FROM c ORDER BY c.id', { maxItemCount: 1 }).fetchNext()
    expect(await pagesOf(text, 4)).toEqual(pages)
    expect(await pagesOf(text, 4, another)).toEqual(pages)
  })
})
