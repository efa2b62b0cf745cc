import { beforeEach, describe, expect, it } from 'vitest'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import type { RestResponse } from '../../../src/emulator/messages/rest-message.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { signed, type Asked } from './signed-request.js'

const collection = '/dbs/shop/colls/orders'
const docs = `${collection}/docs`

describe('the store, as clients in other languages expect,', () => {
  let account: Account
  let container: Container

  beforeEach(() => {
    account = openAccount({ partitionCount: 2 }, wellKnownKey)
    account.engine.createDatabase('shop')
    container = account.engine.createContainer('shop', {
      id: 'orders',
      partitionKey: { paths: ['/tenant', '/user'], kind: 'MultiHash' },
    })
    for (const user of ['x', 'y']) {
      container.execute(['a', user], { kind: 'create', document: { id: user, tenant: 'a', user } })
    }
  })

  function ask(asked: Asked): Promise<RestResponse> {
    return account.respond(signed(asked, wellKnownKey))
  }

  function query(text: string, headers: Readonly<Record<string, string>>): Promise<RestResponse> {
    return ask({
      method: 'POST',
      path: docs,
      headers: { 'x-ms-documentdb-isquery': 'true', ...headers },
      body: JSON.stringify({ query: text }),
    })
  }

  const asPlan = {
    'x-ms-cosmos-is-query-plan-request': 'True',
    'x-ms-cosmos-supported-query-features': 'Aggregate, Top, OrderBy',
  }

  it('gives Java the owner’s path and rid of a container and of a document', async () => {
    const ofContainer = await ask({ method: 'GET', path: collection })
    expect(ofContainer.headers).toMatchObject({
      'x-ms-alt-content-path': 'dbs/shop',
      'x-ms-content-path': container.databaseRid,
    })
    const headers = { 'x-ms-documentdb-partitionkey': '["a","x"]' }
    const ofDocument = await ask({ method: 'GET', path: `${docs}/x`, headers })
    expect(ofDocument.headers).toMatchObject({
      'x-ms-alt-content-path': 'dbs/shop/colls/orders',
      'x-ms-content-path': container.rid,
    })
  })

  it('gives Java one session token in an answer, of one range', async () => {
    const { headers } = await query('SELECT * FROM c', {
      'x-ms-documentdb-query-enablecrosspartition': 'True',
    })
    expect(headers['x-ms-session-token']).toMatch(/^[01]:-1#\d+$/u)
    expect(headers['x-ms-documentdb-partitionkeyrangeid']).toBe(headers['x-ms-session-token']?.split(':')[0])
  })

  it('gives containers of two databases rids with different second halves, by which Java keeps sessions', () => {
    account.engine.createDatabase('other')
    const other = account.engine.createContainer('other', { id: 'orders', partitionKey: { paths: ['/pk'] } })
    const second = account.engine.createContainer('shop', { id: 'more', partitionKey: { paths: ['/pk'] } })
    const halves = [container, other, second].map(({ rid }) =>
      Buffer.from(rid, 'base64').subarray(4).toString('hex'),
    )
    expect(new Set(halves).size).toBe(3)
    expect(halves.filter((half) => Number.parseInt(half, 16) < 0x8000_0000)).toEqual([])
  })

  it('takes the names of hash versions from Java, and shows numbers', async () => {
    const created = async (id: string, version: unknown): Promise<RestResponse> => {
      const partitionKey = { paths: ['/a', '/b'], kind: 'MultiHash', version }
      return ask({ method: 'POST', path: '/dbs/shop/colls', body: JSON.stringify({ id, partitionKey }) })
    }
    const named = await created('named', 'V2')
    expect(named.status).toBe(201)
    expect(JSON.parse(named.body)).toMatchObject({ partitionKey: { version: 2 } })
    // A hierarchical key has no version 1, so the name was read as this number.
    expect((await created('first', 'V1')).body).toContain('needs version 2')
    expect((await created('third', 'V3')).status).toBe(400)
  })

  it('takes a container back from Go, which leaves out empty settings of its conflict policy', async () => {
    const read = JSON.parse((await ask({ method: 'GET', path: collection })).body) as Record<string, object>
    const replaced = (conflictResolutionPolicy: object): Promise<RestResponse> =>
      ask({ method: 'PUT', path: collection, body: JSON.stringify({ ...read, conflictResolutionPolicy }) })
    const kept = { mode: 'LastWriterWins', conflictResolutionPath: '/_ts' }
    expect((await replaced(kept)).status).toBe(200)
    expect((await replaced({ ...kept, conflictResolutionPath: '/other' })).status).toBe(400)
  })

  it('gives Java a plan of an aggregate, whose parts it merges', async () => {
    const planned = await query('SELECT VALUE COUNT(1) FROM c', asPlan)
    expect(JSON.parse(planned.body)).toMatchObject({
      queryInfo: {
        rewrittenQuery: 'SELECT VALUE [{"item": COUNT(1)}] FROM c',
        aggregates: ['Count'],
        hasSelectValue: true,
      },
    })
    const rows = await query('SELECT * FROM c', asPlan)
    expect(JSON.parse(rows.body)).toMatchObject({ queryInfo: { hasSelectValue: false } })
  })

  it('rejects a request that names another container, as Python and Java expect (400/1024)', async () => {
    const intended = (rid: string): Asked => ({
      method: 'GET',
      path: docs,
      headers: { 'x-ms-cosmos-intended-collection-rid': rid },
    })
    expect((await ask(intended(container.rid))).status).toBe(200)
    account.engine.deleteContainer('shop', 'orders')
    const again = account.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
    const refused = await ask(intended(container.rid))
    expect(refused.status).toBe(400)
    expect(refused.headers['x-ms-substatus']).toBe('1024')
    expect((await ask(intended(again.rid))).status).toBe(200)
  })

  it('answers 410 for a bulk operation whose key has moved, and executes the others', async () => {
    const [own] = container.partitions
    const keys = Array.from({ length: 20 }, (_, index) => [`b${index}`, 'x'])
    const inRange = keys.map((key) => container.locate(key).partition === own)
    const operations = keys.map((key, index) => ({
      operationType: 'Create',
      partitionKey: JSON.stringify(key),
      resourceBody: { id: `b${index}`, tenant: key[0], user: key[1] },
    }))
    const { status, body } = await ask({
      method: 'POST',
      path: docs,
      headers: {
        'x-ms-cosmos-is-batch-request': 'True',
        'x-ms-cosmos-batch-atomic': 'False',
        'x-ms-cosmos-batch-continue-on-error': 'True',
        'x-ms-documentdb-partitionkeyrangeid': own?.id ?? '',
      },
      body: JSON.stringify(operations),
    })
    expect(new Set(inRange)).toEqual(new Set([true, false]))
    expect(status).toBe(207)
    const answers = JSON.parse(body) as { statusCode: number; subStatusCode?: number }[]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(inRange.map((isIn) => (isIn ? 201 : 410)))
    expect(new Set(answers.map(({ subStatusCode }) => subStatusCode))).toEqual(new Set([undefined, 1002]))
    expect(container.documentCount).toBe(2 + inRange.filter(Boolean).length)
  })

  it('rejects a bulk request without a range', async () => {
    const headers = { 'x-ms-cosmos-is-batch-request': 'True', 'x-ms-cosmos-batch-atomic': 'False' }
    expect((await ask({ method: 'POST', path: docs, headers, body: '[]' })).status).toBe(400)
  })
})
