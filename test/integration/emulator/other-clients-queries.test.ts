import { beforeEach, describe, expect, it } from 'vitest'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import type { RestResponse } from '../../../src/emulator/messages/rest-message.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { signed, type Asked } from './signed-request.js'

const docs = '/dbs/shop/colls/orders/docs'

interface Change {
  readonly current: { readonly id: string; readonly _lsn?: number }
  readonly metadata: Readonly<Record<string, number>>
}

describe('the store, given queries and feed reads of clients in Go and Java,', () => {
  let account: Account
  let container: Container

  beforeEach(() => {
    account = openAccount({ partitionCount: 2 }, wellKnownKey)
    account.engine.createDatabase('shop')
    container = account.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      container.execute([id], { kind: 'create', document: { id, pk: id } })
    }
  })

  function ask(asked: Asked): Promise<RestResponse> {
    return account.respond(signed(asked, wellKnownKey))
  }

  function rows({ body }: RestResponse, name = 'Documents'): readonly { readonly id: string }[] {
    return (JSON.parse(body) as Record<string, { id: string }[]>)[name] ?? []
  }

  /** Returns the ids of the ranges, beginning with the range of the key `a`. */
  function ranges(): readonly string[] {
    const own = container.locate(['a']).partition.id
    return [own, ...container.partitions.map(({ id }) => id).filter((id) => id !== own)]
  }

  it.each([
    ['Go', { 'content-type': 'application/query+json', 'x-ms-documentdb-query': 'True' }],
    ['a content type alone', { 'content-type': 'application/query+json; charset=utf-8' }],
    ['a header alone', { 'x-ms-documentdb-query': 'True' }],
  ])('recognises a query of any resource by its headers: %s', async (_name, headers) => {
    const asked = [
      ['/dbs', 'Databases', 'SELECT * FROM d WHERE d.id = "shop"'],
      ['/dbs/shop/colls', 'DocumentCollections', 'SELECT * FROM c WHERE c.id = "orders"'],
      [docs, 'Documents', 'SELECT * FROM c WHERE c.id = "a"'],
      ['/offers', 'Offers', 'SELECT * FROM o'],
    ] as const
    for (const [path, name, text] of asked) {
      const answer = await ask({
        method: 'POST',
        path,
        headers: { ...headers, 'x-ms-documentdb-query-enablecrosspartition': 'True' },
        body: JSON.stringify({ query: text }),
      })
      expect([path, answer.status]).toEqual([path, 200])
      expect(rows(answer, name)).toHaveLength(name === 'Offers' ? 0 : 1)
    }
    expect(container.documentCount).toBe(6)
    expect(account.engine.databases).toHaveLength(1)
  })

  it('injects a fault for queries into a query from Go', async () => {
    account.faults.add({ match: { operation: 'query' }, status: 503 })
    const headers = { 'content-type': 'application/query+json' }
    const body = JSON.stringify({ query: 'SELECT * FROM c' })
    expect((await ask({ method: 'POST', path: docs, headers, body })).status).toBe(503)
  })

  it('plans the TOP query for leases of Java’s processor, and limits each range’s answer', async () => {
    const body = JSON.stringify({
      query: 'SELECT TOP @n * FROM c WHERE c.id >= "b"',
      parameters: [{ name: '@n', value: 2 }],
    })
    const plan = await ask({
      method: 'POST',
      path: docs,
      headers: {
        'x-ms-cosmos-is-query-plan-request': 'True',
        'x-ms-cosmos-supported-query-features': 'Top',
        'x-ms-documentdb-isquery': 'True',
      },
      body,
    })
    expect(plan.status).toBe(200)
    expect(JSON.parse(plan.body)).toMatchObject({
      queryInfo: { top: 2, rewrittenQuery: '', distinctType: 'None', orderBy: [] },
      queryRanges: [{ min: '', max: 'FF' }],
    })
    for (const rangeId of ranges()) {
      const headers = { 'x-ms-documentdb-isquery': 'True', 'x-ms-documentdb-partitionkeyrangeid': rangeId }
      expect(rows(await ask({ method: 'POST', path: docs, headers, body }))).toHaveLength(2)
    }
  })

  it('plans TOP alone, and TOP with an order for a client that can order', async () => {
    const planOf = (query: string, key = {}): Promise<RestResponse> =>
      ask({
        method: 'POST',
        path: docs,
        headers: { 'x-ms-cosmos-is-query-plan-request': 'True', ...key },
        body: JSON.stringify({ query }),
      })
    const features = (names: string): Readonly<Record<string, string>> => ({
      'x-ms-cosmos-supported-query-features': names,
    })
    const key = { 'x-ms-documentdb-partitionkey': '["a"]' }
    const ofKey = await planOf('SELECT TOP 3 * FROM c', { ...features('Top'), ...key })
    expect(JSON.parse(ofKey.body)).toMatchObject({ queryInfo: { top: 3 } })
    const text = 'SELECT TOP 3 * FROM c ORDER BY c.id'
    expect(JSON.parse((await planOf(text, features('Top, OrderBy'))).body)).toMatchObject({
      queryInfo: { top: 3, orderBy: ['Ascending'], orderByExpressions: ['c.id'] },
    })
    const refused = await planOf(text, features('Top'))
    expect(refused.status).toBe(400)
    expect(refused.body).toContain('Query contained OrderBy, which the calling client does not support.')
  })

  it('returns latest versions with separate metadata if the client asks for that format', async () => {
    const [rangeId = ''] = ranges()
    const headers = { 'a-im': 'Incremental Feed', 'x-ms-documentdb-partitionkeyrangeid': rangeId }
    const wrapped = await ask({
      method: 'GET',
      path: docs,
      headers: { ...headers, 'x-ms-cosmos-changefeed-wire-format-version': '2021-09-15' },
    })
    const plain = rows(await ask({ method: 'GET', path: docs, headers }))
    const changes = (JSON.parse(wrapped.body) as { Documents: Change[] }).Documents
    expect(changes.map(({ current, metadata }) => ({ ...current, _lsn: metadata['lsn'] }))).toEqual(plain)
    expect(changes.map(({ current }) => current._lsn)).toEqual(changes.map(() => undefined))
    for (const { current, metadata } of changes) {
      expect(metadata['crts']).toBe((current as { readonly _ts?: number })._ts)
    }
  })

  it('answers for a key and a range only if the range owns the key', async () => {
    const [own = '', other = ''] = ranges()
    const within = (rangeId: string): Readonly<Record<string, string>> => ({
      'x-ms-documentdb-partitionkey': '["a"]',
      'x-ms-documentdb-partitionkeyrangeid': rangeId,
    })
    const read = (rangeId: string, more: Readonly<Record<string, string>>): Promise<RestResponse> =>
      ask({ method: 'GET', path: docs, headers: { ...within(rangeId), ...more } })
    expect(rows(await read(own, { 'a-im': 'Incremental Feed' })).map(({ id }) => id)).toEqual(['a'])
    expect((await read(other, { 'a-im': 'Incremental Feed' })).status).toBe(304)
    expect((await read('9', { 'a-im': 'Incremental Feed' })).status).toBe(410)
    expect(rows(await read(own, {})).map(({ id }) => id)).toEqual(['a'])
    expect(rows(await read(other, {}))).toEqual([])
    const body = JSON.stringify({ query: 'SELECT VALUE COUNT(1) FROM c' })
    const headers = { ...within(other), 'x-ms-documentdb-isquery': 'True' }
    expect(rows(await ask({ method: 'POST', path: docs, headers, body }))).toEqual([0])
  })
})
