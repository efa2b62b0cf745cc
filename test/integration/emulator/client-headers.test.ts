import { beforeEach, describe, expect, it } from 'vitest'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import type { RestResponse } from '../../../src/emulator/messages/rest-message.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { doors, ordersIn } from './doors.js'
import { signed, type Asked } from './signed-request.js'

const collection = '/dbs/shop/colls/orders'

describe('the headers that clients read', () => {
  let account: Account

  beforeEach(() => {
    account = openAccount({}, wellKnownKey)
    account.engine.createDatabase('shop')
    const container = account.engine.createContainer('shop', {
      id: 'orders',
      partitionKey: { paths: ['/pk'] },
    })
    for (let index = 0; index < 10; index += 1) {
      const document = { id: `o${index}`, pk: `k${index}`, even: index % 2 === 0, list: [1, 2] }
      container.execute([document.pk], { kind: 'create', document })
    }
  })

  function ask(asked: Asked): Promise<RestResponse> {
    return account.respond(signed(asked, wellKnownKey))
  }

  /** Asks for all documents, which are in one range. */
  function query(
    text: string,
    headers: Readonly<Record<string, string>> = {},
    scope: Readonly<Record<string, string>> = { 'x-ms-documentdb-partitionkeyrangeid': '0' },
  ): Promise<RestResponse> {
    return ask({
      method: 'POST',
      path: `${collection}/docs`,
      headers: { 'x-ms-documentdb-isquery': 'true', ...scope, ...headers },
      body: JSON.stringify({ query: text }),
    })
  }

  async function metricsOf(text: string, headers = {}): Promise<ReadonlyMap<string, number>> {
    const answer = await query(text, { 'x-ms-documentdb-populatequerymetrics': 'True', ...headers })
    const fields = (answer.headers['x-ms-documentdb-query-metrics'] ?? '').split(';')
    return new Map(fields.map((field) => [field.split('=')[0] ?? '', Number(field.split('=')[1])]))
  }

  it.each([
    ['SELECT * FROM c WHERE c.even', 5, 0.5],
    ['SELECT * FROM c WHERE c.even ORDER BY c.id', 5, 0.5],
    ['SELECT VALUE COUNT(1) FROM c WHERE c.even', 1, 0.5],
    ['SELECT VALUE c.id FROM c JOIN x IN c.list WHERE c.even', 10, 0.5],
    ['SELECT * FROM c', 10, 1],
  ])('count the documents that %s reads, matches and returns', async (text, rows, ratio) => {
    const metrics = await metricsOf(text)
    expect(metrics.get('retrievedDocumentCount')).toBe(10)
    expect(metrics.get('outputDocumentCount')).toBe(rows)
    expect(metrics.get('indexUtilizationRatio')).toBe(ratio)
  })

  it('measure sizes in bytes, and times that add up', async () => {
    const metrics = await metricsOf('SELECT * FROM c')
    const { body } = await query('SELECT * FROM c')
    const { Documents } = JSON.parse(body) as { Documents: readonly object[] }
    const bytes = Documents.reduce((sum, document) => sum + JSON.stringify(document).length, 0)
    expect(metrics.get('retrievedDocumentSize')).toBe(bytes)
    expect(metrics.get('outputDocumentSize')).toBe(bytes)
    const total = metrics.get('totalExecutionTimeInMs') ?? 0
    expect(total).toBeGreaterThan(0)
    expect(metrics.get('VMExecutionTimeInMs')).toBeLessThanOrEqual(total)
    expect(metrics.get('documentLoadTimeInMs')).toBeLessThanOrEqual(total)
  })

  it('have no metrics unless the client asks', async () => {
    expect((await query('SELECT * FROM c')).headers).not.toHaveProperty('x-ms-documentdb-query-metrics')
  })

  it('say that more may follow after a page that the last row fills', async () => {
    for (const text of ['SELECT * FROM c', 'SELECT * FROM c ORDER BY c.id']) {
      const first = await query(text, { 'x-ms-max-item-count': '10' })
      const continuation = first.headers['x-ms-continuation'] ?? ''
      expect(first.headers['x-ms-item-count']).toBe('10')
      expect(continuation).not.toBe('')
      const second = await query(text, { 'x-ms-max-item-count': '10', 'x-ms-continuation': continuation })
      expect(second.headers['x-ms-item-count']).toBe('0')
      expect(second.headers).not.toHaveProperty('x-ms-continuation')
    }
  })

  it.each(['SELECT VALUE COUNT(1) FROM c', 'SELECT TOP 1 * FROM c', 'SELECT * FROM c OFFSET 2 LIMIT 1'])(
    'say that nothing follows after the last row of %s',
    async (text) => {
      const { headers } = await query(text, { 'x-ms-max-item-count': '1' })
      expect(headers['x-ms-item-count']).toBe('1')
      expect(headers).not.toHaveProperty('x-ms-continuation')
    },
  )

  it('charge a page once, however many ranges it reads', async () => {
    account.engine.container('shop', 'orders').splitPartition('0')
    const text = 'SELECT * FROM c WHERE c.id = "none"'
    const ofAll = await query(text, {}, { 'x-ms-documentdb-query-enablecrosspartition': 'true' })
    const ofOne = await query(text, {}, { 'x-ms-documentdb-partitionkeyrangeid': '1' })
    expect(ofAll.headers['x-ms-request-charge']).toBe('2.5')
    expect(ofOne.headers['x-ms-request-charge']).toBe('2.5')
  })

  it('tell quota and usage with a document, and with a container if the client asks', async () => {
    const key = { 'x-ms-documentdb-partitionkey': '["k1"]' }
    const ofDocument = await ask({ method: 'GET', path: `${collection}/docs/o1`, headers: key })
    expect(ofDocument.headers).toMatchObject({
      'x-ms-resource-quota': expect.stringContaining('documentsCount=-1;') as string,
      'x-ms-resource-usage': expect.stringMatching(/documentsSize=[34];documentsCount=10;/u) as string,
    })
    await ask({ method: 'DELETE', path: `${collection}/docs/o1`, headers: key })
    const quota = { 'x-ms-documentdb-populatequotainfo': 'True' }
    const { headers } = await ask({ method: 'GET', path: collection, headers: quota })
    expect(headers['x-ms-resource-usage']).toContain('documentsCount=9;')
    expect(headers['x-ms-documentdb-collection-index-transformation-progress']).toBe('100')
    expect(headers).not.toHaveProperty('x-ms-documentdb-collection-lazy-indexing-progress')
    const unasked = await ask({ method: 'GET', path: collection })
    expect(unasked.headers).not.toHaveProperty('x-ms-resource-usage')
  })

  it.each(['http://localhost:8081', 'https://cosmos.test', 'http://[::1]:9000'])(
    'follow the address %s, which the account document gives as the client used it',
    async (origin) => {
      const request = signed({ method: 'GET', path: '/' }, wellKnownKey)
      const { body } = await account.respond({ ...request, origin })
      const location = { name: 'Embedded', databaseAccountEndpoint: `${origin}/` }
      expect(JSON.parse(body)).toMatchObject({ writableLocations: [location], readableLocations: [location] })
    },
  )

  it('tell the progress of lazy indexing', async () => {
    account.engine.createContainer('shop', {
      id: 'lazy',
      partitionKey: { paths: ['/pk'] },
      indexingPolicy: { indexingMode: 'lazy' },
    })
    const headers = { 'x-ms-documentdb-populatequotainfo': 'true' }
    const answer = await ask({ method: 'GET', path: '/dbs/shop/colls/lazy', headers })
    expect(answer.headers['x-ms-documentdb-collection-lazy-indexing-progress']).toBe('100')
  })
})

describe.each(doors)('the headers as the SDK reads them, %s', (_name, open) => {
  it('contain query metrics with the right numbers', async () => {
    const container = await ordersIn(await open({ partitionCount: 2 }))
    for (const id of ['a', 'b', 'c']) await container.items.create({ id, pk: id })
    const iterator = container.items.query('SELECT * FROM c', { populateQueryMetrics: true })
    const { queryMetrics, resources } = await iterator.fetchAll()
    expect(resources).toHaveLength(3)
    expect(JSON.stringify(queryMetrics)).toContain('"retrievedDocumentCount":3')
  })

  it('contain the usage of a container', async () => {
    const container = await ordersIn(await open())
    await container.items.create({ id: 'a', pk: 'a' })
    const { headers } = await container.read({ populateQuotaInfo: true })
    expect(headers['x-ms-resource-usage']).toContain('documentsCount=1;')
  })
})
