import { TriggerOperation, TriggerType, type Container, type Database } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { openAccount } from '../../../src/emulator/doors/account.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { doors, type Door } from './doors.js'
import { signed, type Asked } from './signed-request.js'

interface Places {
  readonly database: Database
  readonly container: Container
}

const code = 'function () {}'
const partitionKey = '/pk'
const document = { id: '1', pk: 'a' }

/** Features that the embedded store lacks, each with the words that the answer must contain. */
const features: readonly (readonly [string, (places: Places) => Promise<unknown>])[] = [
  ['stored procedure', ({ container }) => container.scripts.storedProcedures.create({ id: 's', body: code })],
  ['stored procedure', ({ container }) => container.scripts.storedProcedure('s').execute('a')],
  ['stored procedure', ({ container }) => container.scripts.storedProcedures.readAll().fetchAll()],
  [
    'trigger',
    ({ container }) =>
      container.scripts.triggers.create({
        id: 't',
        body: code,
        triggerType: TriggerType.Pre,
        triggerOperation: TriggerOperation.All,
      }),
  ],
  ['trigger', ({ container }) => container.items.create(document, { preTriggerInclude: ['t'] })],
  ['trigger', ({ container }) => container.items.upsert(document, { postTriggerInclude: ['t'] })],
  [
    'user-defined function',
    ({ container }) => container.scripts.userDefinedFunctions.create({ id: 'u', body: code }),
  ],
  ['user-defined function', ({ container }) => queried(container, 'SELECT VALUE udf.f(c.id) FROM c')],
  ['index entries', ({ container }) => container.items.create(document, { indexingDirective: 'Exclude' })],
]

function queried(container: Container, query: string): Promise<unknown> {
  return container.items.query(query, { partitionKey: 'a' }).fetchAll()
}

describe.each(doors)('a feature that is not supported, through the SDK, %s', (_name, open) => {
  let door: Door
  let places: Places

  beforeEach(async () => {
    door = await open({ partitionCount: 2 })
    const { database } = await door.client().databases.create({ id: 'shop' })
    const { container } = await database.containers.create({ id: 'orders', partitionKey })
    places = { database, container }
  })

  it.each(features)('is refused by name: %s (%#)', async (words, attempt) => {
    const error: unknown = await attempt(places).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 501 })
    expect((error as Error).message).toContain(words)
    expect((error as Error).message).toContain('not supported by the embedded Cosmos DB')
    expect(door.stats()).toMatchObject({ containers: 1, documents: 0 })
  })
})

describe('a feature that is not supported, in a request that the SDK does not send,', () => {
  const docs = '/dbs/shop/colls/orders/docs'
  const requests: readonly (readonly [string, Asked])[] = [
    ['Direct mode', { method: 'GET', path: '/addresses' }],
    ['attachment', { method: 'GET', path: `${docs}/1/attachments` }],
    ['attachment', { method: 'GET', path: '/media/x' }],
    ['client encryption key', { method: 'GET', path: '/dbs/shop/clientencryptionkeys' }],
    [
      'Client-side encryption',
      { method: 'GET', path: docs, headers: { 'x-ms-cosmos-is-client-encrypted': 'true' } },
    ],
    [
      'HybridRow',
      {
        method: 'POST',
        path: docs,
        headers: { 'x-ms-cosmos-is-batch-request': 'True', 'x-ms-cosmos-batch-atomic': 'True' },
        body: '\ufffd\u0000\u0001',
      },
    ],
    [
      'analytical store',
      {
        method: 'POST',
        path: '/dbs/shop/colls',
        body: JSON.stringify({ id: 'a', partitionKey: { paths: ['/pk'] }, analyticalStorageTtl: -1 }),
      },
    ],
  ]

  it.each(requests)('is refused by name: %s (%#)', async (words, asked) => {
    const account = openAccount({}, wellKnownKey)
    const database = account.engine.createDatabase('shop')
    account.engine.createContainer(database.id, { id: 'orders', partitionKey: { paths: ['/pk'] } })
    const { status, body } = await account.respond(signed(asked, wellKnownKey))
    expect(status, body).toBe(501)
    const error = JSON.parse(body) as { code: string; message: string }
    expect(error.code).toBe('NotImplemented')
    expect(error.message).toContain(words)
    await account.close()
  })
})

describe('a container setting that asks for nothing', () => {
  it('is accepted', async () => {
    const account = openAccount({}, wellKnownKey)
    const database = account.engine.createDatabase('shop')
    const container = account.engine.createContainer(database.id, {
      id: 'orders',
      partitionKey: { paths: ['/pk'], version: 2 },
      computedProperties: [],
      fullTextPolicy: null,
      vectorEmbeddingPolicy: { vectorEmbeddings: [] },
      conflictResolutionPolicy: { mode: 'LastWriterWins', conflictResolutionProcedure: '' },
      analyticalStorageTtl: 0,
    })
    expect(container.id).toBe('orders')
    await account.close()
  })
})
