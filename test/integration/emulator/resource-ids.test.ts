import { createHmac } from 'node:crypto'
import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator/index.js'
import { anEmulator } from './doors.js'

interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

interface Range {
  readonly id: string
  readonly parents: readonly string[]
}

/** Requests like those of the Java and .NET SDKs: rids in paths, signatures over the lower-cased rid. */
describe('a path of rids over HTTP', () => {
  let emulator: Emulator
  let container: Container
  let databaseRid: string
  let rid: string
  let documentRid: string

  beforeEach(async () => {
    emulator = await anEmulator({ partitionCount: 2 })
    const { database, resource: owner } = await emulator.client().databases.create({ id: 'shop' })
    const created = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
    container = created.container
    const { resource } = await container.items.create({ id: 'x', pk: 'a' })
    databaseRid = owner?._rid ?? ''
    rid = created.resource?._rid ?? ''
    documentRid = resource?._rid ?? ''
  })

  async function ask(
    request: {
      readonly method?: string
      readonly kind: string
      readonly signed: string
      readonly path: string
    },
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<Asked> {
    const { method = 'GET', kind, signed, path } = request
    const date = new Date().toUTCString()
    const text = `${method.toLowerCase()}\n${kind}\n${signed.toLowerCase()}\n${date.toLowerCase()}\n\n`
    const signature = createHmac('sha256', Buffer.from(emulator.key, 'base64')).update(text).digest('base64')
    const response = await fetch(new URL(path, emulator.endpoint), {
      method,
      headers: {
        ...headers,
        'x-ms-date': date,
        authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: answer === '' ? {} : (JSON.parse(answer) as Record<string, unknown>),
    }
  }

  it('reaches databases, containers and their feeds', async () => {
    const database = await ask({ kind: 'dbs', signed: databaseRid, path: `dbs/${databaseRid}` })
    expect(database).toMatchObject({ status: 200, body: { id: 'shop' } })
    const containers = await ask({ kind: 'colls', signed: databaseRid, path: `dbs/${databaseRid}/colls` })
    expect(containers.body).toMatchObject({ DocumentCollections: [{ id: 'orders' }] })
    const path = `dbs/${databaseRid}/colls/${rid}/`
    expect(await ask({ kind: 'colls', signed: rid, path })).toMatchObject({
      status: 200,
      body: { _rid: rid },
    })
  })

  it('reads, replaces and deletes documents', async () => {
    const path = `dbs/${databaseRid}/colls/${rid}/docs`
    const headers = { 'x-ms-documentdb-partitionkey': '["a"]' }
    const one = { kind: 'docs', signed: documentRid, path: `${path}/${documentRid}` }
    const key = { ...headers, 'content-type': 'application/json' }
    expect(await ask(one, headers)).toMatchObject({ status: 200, body: { id: 'x' } })
    const replaced = await ask({ ...one, method: 'PUT' }, key, { id: 'x', pk: 'a', n: 1 })
    expect(replaced).toMatchObject({ status: 200, body: { n: 1, _rid: documentRid } })
    const feed = await ask({ kind: 'docs', signed: rid, path }, headers)
    expect(feed.body).toMatchObject({ Documents: [{ id: 'x', n: 1 }] })
    expect((await ask({ ...one, method: 'DELETE' }, headers)).status).toBe(204)
    expect((await ask(one, headers)).status).toBe(404)
  })

  it('does not mix rids and names: a rid in place of a name is answered with 404', async () => {
    const read = await container.item(documentRid, 'a').read()
    expect(read.statusCode).toBe(404)
  })

  it('reads and replaces offers', async () => {
    const { resource } = await container.readOffer()
    const path = `offers/${encodeURIComponent(resource?.id ?? '')}`
    const offer = { kind: 'offers', signed: resource?.id ?? '', path }
    expect((await ask(offer)).body).toEqual(resource)
    const raised = { ...resource, content: { offerThroughput: 500 } }
    const { headers, body } = await ask({ ...offer, method: 'PUT' }, {}, raised)
    expect(body).toMatchObject({ content: { offerThroughput: 500 } })
    expect(headers.get('x-ms-offer-replace-pending')).toBe('false')
    expect(headers.get('x-ms-cosmos-min-throughput')).toBe('400')
  })

  it('lists ranges as an incremental feed, and later only new ranges', async () => {
    const feed = { kind: 'pkranges', signed: rid, path: `dbs/${databaseRid}/colls/${rid}/pkranges` }
    const incremental = { 'a-im': 'Incremental Feed', 'x-ms-max-item-count': '-1' }
    const all = await ask(feed, incremental)
    expect((all.body['PartitionKeyRanges'] as Range[]).map(({ id }) => id)).toEqual(['0', '1'])
    const known = { ...incremental, 'if-none-match': all.headers.get('etag') ?? '' }
    expect((await ask(feed, known)).status).toBe(304)
    await emulator.splitPartition(container, '1')
    await emulator.splitPartition(container, '3')
    const since = await ask(feed, known)
    const ranges = since.body['PartitionKeyRanges'] as Range[]
    expect(ranges.map(({ id, parents }) => [id, parents])).toEqual([
      ['2', ['1']],
      ['4', ['1', '3']],
      ['5', ['1', '3']],
    ])
    const newest = { ...incremental, 'if-none-match': since.headers.get('etag') ?? '' }
    expect((await ask(feed, newest)).status).toBe(304)
    await emulator.mergePartitions(container, ['0', '2'])
    expect((await ask(feed, newest)).body).toMatchObject({
      PartitionKeyRanges: [{ parents: ['0', '1', '2'] }],
    })
  })

  it('lists all ranges for an etag of another container', async () => {
    const feed = { kind: 'pkranges', signed: rid, path: `dbs/${databaseRid}/colls/${rid}/pkranges` }
    const stale = { 'a-im': 'Incremental Feed', 'if-none-match': '"AAAAAAAAAAA= 1"' }
    expect((await ask(feed, stale)).body).toMatchObject({ _count: 2 })
  })
})
