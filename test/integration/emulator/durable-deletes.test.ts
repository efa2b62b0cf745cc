import { beforeEach, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

let dataDirectory: string

beforeEach(() => {
  dataDirectory = scratchDirectory()
})

it('a data directory keeps deletes of whole keys and of expired documents over a restart', async () => {
  const clock = new VirtualClock()
  const before = createInProcessCosmos({ dataDirectory, clock })
  const { database } = await before.client().databases.createIfNotExists({ id: 'shop' })
  const definition = { id: 'orders', partitionKey: '/pk', defaultTtl: -1 }
  const { container } = await database.containers.createIfNotExists(definition)
  for (const id of ['x', 'y']) await container.items.create({ id, pk: 'emptied' })
  await container.items.create({ id: 'expired', pk: 'a', ttl: 10 })
  await container.items.create({ id: 'kept', pk: 'a' })
  await container.deleteAllItemsForPartitionKey('emptied')
  await clock.advance(11_000)
  await container.item('kept', 'a').read()
  await before.close()
  // An earlier time would show an expired document that was still stored.
  const after = createInProcessCosmos({ dataDirectory, clock: new VirtualClock() })
  const { resources } = await after
    .client()
    .database('shop')
    .container('orders')
    .items.readAll<{ id: string }>()
    .fetchAll()
  expect(resources.map(({ id }) => id)).toEqual(['kept'])
  await after.close()
})
