import { expect, it } from 'vitest'
import type { FeedPosition } from '../../../../src/change-feed-processor/index.js'
import { CosmosChangeFeed } from '../../../../src/change-feed-processor/internal.js'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import { CosmosStateStore } from '../../../../src/sas/internal.js'
import { storeError } from '../../../support/intercepted.js'

type Next = (context: object) => Promise<unknown>

/** A container through the SDK. While `isAway`, no request for its partition key ranges is answered. */
async function world() {
  const cosmos = createInProcessCosmos({ partitionCount: 1 })
  const { database } = await cosmos.client().databases.create({ id: 'shop' })
  await database.containers.create({ id: 'orders', partitionKey: '/pk', defaultTtl: -1 })
  const ranges = { isAway: false, refused: 0 }
  const plugin = (
    context: { readonly path?: string },
    _diagnostics: unknown,
    next: Next,
  ): Promise<unknown> => {
    if (!ranges.isAway || context.path?.endsWith('pkranges') !== true) return next(context)
    ranges.refused += 1
    return Promise.reject(storeError(503))
  }
  const client = cosmos.client({ plugins: [{ on: 'request', plugin }] } as object)
  return { container: client.database('shop').container('orders'), ranges }
}

const beginning: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }

it('reads the change feed again after the ranges of the container could not be read', async () => {
  const { container, ranges } = await world()
  const feed = new CosmosChangeFeed({ container })
  await container.items.create({ id: 'a', pk: 'a' })
  const read = () => feed.readNext(beginning, { maxItemCount: 10, signal: new AbortController().signal })
  ranges.isAway = true
  await expect(read()).rejects.toThrow('could not be read')
  expect(ranges.refused).toBeGreaterThan(0)
  ranges.isAway = false
  expect((await read()).changes.map(({ id }) => id)).toEqual(['a'])
})

it('replaces several documents after and while the ranges of the container could not be read', async () => {
  const { container, ranges } = await world()
  const store = new CosmosStateStore({ container })
  const ids = ['a', 'b', 'c', 'd']
  const etags = new Map<string, string>()
  const written = async (writes: readonly Promise<Awaited<ReturnType<typeof store.apply>>>[]) => {
    for (const [index, result] of (await Promise.all(writes)).entries()) {
      expect(result.kind).toBe('applied')
      if (result.kind === 'applied') etags.set(ids[index] ?? '', result.etags[0] ?? '')
    }
  }
  await written(ids.map((id) => store.apply(id, [{ kind: 'create', document: { id, pk: id } }])))
  const replaceAll = () =>
    written(
      ids.map((id) =>
        store.apply(id, [{ kind: 'replace', document: { id, pk: id }, ifMatch: etags.get(id) ?? '' }]),
      ),
    )
  ranges.isAway = true
  await replaceAll()
  expect(ranges.refused).toBeGreaterThan(0)
  ranges.isAway = false
  await replaceAll()
})
