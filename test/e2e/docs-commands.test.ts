import { CosmosClient } from '@azure/cosmos'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChangeFeedProcessor } from '../../src/change-feed-processor/index.js'
import { wellKnownKey } from '../../src/emulator/internal.js'
import { pagePaths, textsIn } from './doc-page.js'
import { Reader } from './reader.js'

const tutorial = 'docs/tutorial.md'
/** Other tests run the commands and examples of these pages, because they start stores of their own. */
const elsewhere = ['docs/embedded-cosmos.md', 'docs/test-with-the-emulator.md']
const others = pagePaths.filter(
  (page) => page !== tutorial && !elsewhere.includes(page) && textsIn(page, 'sh', '').length > 0,
)

/** Every SELECT of a page. */
const queries = pagePaths.flatMap((page) =>
  textsIn(page, 'sql').flatMap((text) => text.trim().split(/\n(?=SELECT)/u)),
)

describe('the commands on the pages work as printed:', () => {
  let directory: string
  let reader: Reader

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stepward-'))
    reader = await Reader.in(directory)
  })

  afterAll(async () => {
    await reader.leave()
    await rm(directory, { recursive: true, force: true })
  })

  it(tutorial, async () => {
    expect(await reader.follow(tutorial)).toEqual([])
    expect(reader.heard('"type":"job.finished"'), 'the roles print their events').toBeGreaterThan(0)
    expect(reader.heard('"type":"deadline.doubted"'), 'warnings about its deadlines').toBe(0)
  })

  it('a change feed processor leaves the leases that later pages look at', async () => {
    const client = new CosmosClient({ endpoint: reader.endpoint, key: wellKnownKey })
    const { database } = await client.databases.create({ id: 'shop' })
    const { container: monitoredContainer } = await database.containers.create({
      id: 'orders',
      partitionKey: '/id',
    })
    const { container: leaseContainer } = await database.containers.create({
      id: 'leases',
      partitionKey: '/id',
      defaultTtl: -1,
      indexingPolicy: { excludedPaths: [{ path: '/*' }] },
    })
    await database.containers.create({ id: 'poison', partitionKey: '/id' })
    const names = { processorName: 'order-projection', instanceName: 'worker-1' }
    const onChanges = () => Promise.resolve()
    const processor = new ChangeFeedProcessor({ monitoredContainer, leaseContainer, ...names, onChanges })
    await processor.start()
    await processor.stop()
    client.dispose()
  })

  it.each(others)('%s, in the folder and on the store of the tutorial', async (page) => {
    reader.isBrief = true
    expect(await reader.follow(page)).toEqual([])
  })

  it.each(queries)('the store runs the query %s', async (query) => {
    const client = new CosmosClient({ endpoint: reader.endpoint, key: wellKnownKey })
    const state = client.database('stepward').container('state')
    const parameters = query.includes('@now') ? [{ name: '@now', value: 0 }] : []
    await expect(state.items.query({ query, parameters }).fetchAll()).resolves.toBeDefined()
    client.dispose()
  })

  it('all programs that are still running end with exit code 0', async () => {
    expect(await reader.leave()).toEqual([])
  })
})
