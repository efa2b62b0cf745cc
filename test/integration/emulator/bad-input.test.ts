import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { openAccount } from '../../../src/emulator/doors/account.js'
import type { RestRequest, RestResponse } from '../../../src/emulator/messages/rest-message.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { signed, type Asked } from './signed-request.js'

/** Every run has the same inputs, so that a failure can be repeated. */
const seeded = { seed: 20_261_121 }

const docs = '/dbs/shop/colls/orders/docs'
const json = (value: unknown): string => JSON.stringify(value)
const keyHeader = { 'x-ms-documentdb-partitionkey': '["a"]' }
const asQuery = { 'x-ms-documentdb-isquery': 'true', 'content-type': 'application/query+json' }
const asBatch = {
  ...keyHeader,
  'x-ms-cosmos-is-batch-request': 'true',
  'x-ms-cosmos-batch-atomic': 'true',
}
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const queried = (query: string, parameters: unknown = []): Asked => ({
  method: 'POST',
  path: docs,
  headers: { ...asQuery, ...keyHeader },
  body: json({ query, parameters }),
})

/** Correct requests, from which the tests derive broken ones. */
const good: readonly Asked[] = [
  { method: 'POST', path: '/dbs', body: json({ id: 'other' }) },
  { method: 'GET', path: '/dbs/shop' },
  {
    method: 'POST',
    path: '/dbs/shop/colls',
    body: json({
      id: 'more',
      partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 },
      defaultTtl: 10,
      indexingPolicy: { indexingMode: 'consistent', automatic: true, includedPaths: [{ path: '/*' }] },
      uniqueKeyPolicy: { uniqueKeys: [] },
    }),
  },
  {
    method: 'PUT',
    path: '/dbs/shop/colls/orders',
    body: json({ id: 'orders', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 }, defaultTtl: -1 }),
  },
  { method: 'GET', path: '/dbs/shop/colls/orders/pkranges' },
  { method: 'POST', path: docs, headers: keyHeader, body: json({ id: 'y', pk: 'a', n: 1, ttl: 5 }) },
  {
    method: 'POST',
    path: docs,
    headers: { ...keyHeader, 'x-ms-documentdb-is-upsert': 'true' },
    body: json({ id: 'y', pk: 'a', list: [1, 2, { deep: true }] }),
  },
  { method: 'PUT', path: `${docs}/x`, headers: keyHeader, body: json({ id: 'x', pk: 'a', n: 2 }) },
  {
    method: 'PATCH',
    path: `${docs}/x`,
    headers: keyHeader,
    body: json({
      operations: [
        { op: 'set', path: '/n', value: 1 },
        { op: 'move', from: '/n', path: '/m' },
      ],
      condition: 'FROM c WHERE c.pk = "a"',
    }),
  },
  queried('SELECT * FROM c WHERE c.n = @n ORDER BY c.id', [{ name: '@n', value: 1 }]),
  {
    method: 'POST',
    path: docs,
    headers: asBatch,
    body: json([
      { operationType: 'Create', resourceBody: { id: 'b', pk: 'a' } },
      { operationType: 'Read', id: 'x', ifMatch: '*' },
      {
        operationType: 'Patch',
        id: 'x',
        resourceBody: { operations: [{ op: 'incr', path: '/n', value: 1 }] },
      },
    ]),
  },
  {
    method: 'GET',
    path: docs,
    headers: { 'a-im': 'Incremental Feed', 'if-none-match': '"1"', 'x-ms-max-item-count': '10' },
  },
  { method: 'GET', path: docs, headers: { 'x-ms-max-item-count': '10' } },
  { method: 'GET', path: '/offers' },
]

/** The problem, the request, and the statuses that are right. */
const wrong: readonly (readonly [string, Asked, readonly number[]])[] = [
  ['malformed JSON', { method: 'POST', path: docs, headers: keyHeader, body: '{"id": "x", ' }, [400]],
  ['no body', { method: 'POST', path: docs, headers: keyHeader }, [400]],
  ['a body that is no object', { method: 'POST', path: docs, headers: keyHeader, body: '7' }, [400]],
  [
    'an id that is no text',
    { method: 'POST', path: docs, headers: keyHeader, body: '{"id":7,"pk":"a"}' },
    [400],
  ],
  ['an unknown route', { method: 'GET', path: '/dbs/shop/nothing' }, [400, 404]],
  ['an unknown deep route', { method: 'GET', path: `${docs}/x/attachments/y/z/1/2/3` }, [400, 404]],
  ['a path into a stored procedure', { method: 'POST', path: '/dbs/shop/colls/orders/sprocs/x' }, [501]],
  ['an unknown method', { method: 'OPTIONS', path: docs }, [400, 405]],
  ['a broken escape', { method: 'GET', path: `${docs}/%zz`, headers: keyHeader }, [400]],
  ['a signature for another verb', { method: 'DELETE', path: '/dbs/shop', signedAs: 'GET' }, [401]],
  ['no signature', { method: 'GET', path: '/dbs', headers: { authorization: '' } }, [401]],
  [
    'a signature of rubbish',
    { method: 'GET', path: '/dbs', headers: { authorization: 'type%3Dmaster%26sig' } },
    [401],
  ],
  [
    'a traversal in the path',
    { method: 'GET', path: `${docs}/..%2F..%2Fetc`, headers: keyHeader },
    [400, 401, 404],
  ],
  [
    'a traversal in an id',
    { method: 'POST', path: docs, headers: keyHeader, body: json({ id: '../x', pk: 'a' }) },
    [400],
  ],
  ['a database called ..', { method: 'GET', path: '/dbs/../../etc/passwd' }, [400, 401, 404]],
  ['a name of objects', { method: 'GET', path: '/dbs/__proto__/colls/constructor' }, [404]],
  [
    'a nested document',
    { method: 'POST', path: docs, headers: keyHeader, body: `{"id":"n","pk":"a","v":${nested(200)}}` },
    [400],
  ],
  [
    'a very deep document',
    { method: 'POST', path: docs, headers: keyHeader, body: `{"id":"n","pk":"a","v":${nested(200_000)}}` },
    [400],
  ],
  [
    'a deep parameter',
    queried('SELECT * FROM c WHERE c.v = @v', JSON.parse(`[{"name":"@v","value":${nested(3_000)}}]`)),
    [400],
  ],
  [
    'a deep key',
    { method: 'POST', path: docs, headers: { 'x-ms-documentdb-partitionkey': nested(5_000) }, body: '{}' },
    [400],
  ],
  [
    'a key beyond numbers',
    {
      method: 'POST',
      path: docs,
      headers: { 'x-ms-documentdb-partitionkey': '[1e999]' },
      body: '{"id":"e","pk":1e999}',
    },
    [400],
  ],
  ['a deep query', queried(`SELECT * FROM c WHERE ${'('.repeat(50_000)}1${')'.repeat(50_000)}`), [400]],
  ['a query of many NOTs', queried(`SELECT * FROM c WHERE ${'NOT '.repeat(50_000)}true`), [400]],
  ['a query of many signs', queried(`SELECT VALUE ${'- '.repeat(50_000)}1`), [400]],
  ['a long sum', queried(`SELECT VALUE ${'1+'.repeat(50_000)}1`), [400]],
  ['a long path', queried(`SELECT VALUE c${'.a'.repeat(50_000)} FROM c`), [400]],
  ['a long conditional', queried(`SELECT VALUE ${'true?1:'.repeat(30_000)}1 FROM c`), [400]],
  ['a long coalescence', queried(`SELECT VALUE ${'null??'.repeat(30_000)}1 FROM c`), [400]],
  ['a query over the limit', queried(`SELECT * FROM c WHERE c.x = "${'x'.repeat(600_000)}"`), [400]],
  ['an endless pattern', queried(`SELECT * FROM c WHERE c.id LIKE "${'%a'.repeat(5_000)}"`), [200, 400]],
  [
    'a document over 2 MB',
    {
      method: 'POST',
      path: docs,
      headers: keyHeader,
      body: json({ id: 'l', pk: 'a', v: 'x'.repeat(2_100_000) }),
    },
    [413],
  ],
  [
    'a body over all limits',
    { method: 'POST', path: docs, headers: keyHeader, body: `"${'x'.repeat(5_000_000)}"` },
    [400, 413],
  ],
  ['a batch of nothing', { method: 'POST', path: docs, headers: asBatch, body: '[]' }, [400]],
  [
    'a batch of 101',
    {
      method: 'POST',
      path: docs,
      headers: asBatch,
      body: json(Array.from({ length: 101 }, () => ({ operationType: 'Read', id: 'x' }))),
    },
    [400],
  ],
  [
    'a continuation that is none',
    { method: 'GET', path: docs, headers: { 'x-ms-continuation': '{"after":"x"}' } },
    [400],
  ],
  ['a page of -7', { method: 'GET', path: docs, headers: { 'x-ms-max-item-count': '-7' } }, [400]],
  [
    'a feed position that is none',
    { method: 'GET', path: docs, headers: { 'a-im': 'Incremental Feed', 'if-none-match': 'x' } },
    [400],
  ],
  [
    'a range that is none',
    { method: 'GET', path: docs, headers: { 'x-ms-documentdb-partitionkeyrangeid': '99' } },
    [410],
  ],
  ['a container without a key', { method: 'POST', path: '/dbs/shop/colls', body: '{"id":"k"}' }, [400]],
]

/** Checks that an error has a client’s status and both fields, as SDKs expect, and no stack trace. */
function expectCosmosAnswer({ status, body }: Pick<RestResponse, 'status' | 'body'>): void {
  // Some random requests use features of the service that the embedded store does not support.
  if (status !== 501) expect(status, body.slice(0, 300)).toBeLessThan(500)
  expect(status).toBeGreaterThanOrEqual(200)
  if (status < 400) return
  const error = JSON.parse(body) as { code: unknown; message: unknown }
  expect(error.code).toEqual(expect.stringMatching(/^[A-Z][A-Za-z]+$/u))
  expect(error.message).toEqual(expect.stringMatching(/\S/u))
  expect(error.message).not.toContain('.js:')
}

type Send = (request: RestRequest) => Promise<Pick<RestResponse, 'status' | 'body'>>

/** Creates the documents that requests are about, and a database that must remain. */
async function prepare(send: Send): Promise<void> {
  const definition = { id: 'orders', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } }
  const steps: readonly Asked[] = [
    { method: 'DELETE', path: '/dbs/shop' },
    { method: 'POST', path: '/dbs', body: json({ id: 'shop' }) },
    { method: 'POST', path: '/dbs/shop/colls', body: json(definition) },
    { method: 'POST', path: docs, headers: keyHeader, body: json({ id: 'x', pk: 'a', n: 1 }) },
    { method: 'POST', path: '/dbs', body: json({ id: 'kept' }) },
  ]
  for (const step of steps) await send(signed(step, wellKnownKey))
}

async function expectStillAnswering(send: Send): Promise<void> {
  const { status, body } = await send(signed({ method: 'GET', path: '/dbs/kept' }, wellKnownKey))
  expect(status, body).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ id: 'kept' })
}

describe('the emulator, given bad input', () => {
  let emulator: Emulator
  const account = openAccount({}, wellKnownKey)

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0 })
  })

  afterAll(async () => {
    await emulator.close()
    await account.close()
  })

  const overHttp: Send = (request) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(emulator.endpoint)
      const { method, path, headers, body } = request
      const sent = httpRequest({ hostname, port, method, path, headers: { ...headers } }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: text })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })

  const doors: readonly (readonly [string, Send])[] = [
    ['in process', (request) => account.respond(request)],
    ['over HTTP', overHttp],
  ]

  describe.each(doors)('%s', (_, send) => {
    beforeEach(() => prepare(send))

    it.each(wrong)('answers with an expected status: %s', async (_name, asked, statuses) => {
      const answer = await send(signed(asked, wellKnownKey))
      expectCosmosAnswer(answer)
      expect(statuses, answer.body.slice(0, 300)).toContain(answer.status)
      await expectStillAnswering(send)
    })
  })

  describe('the emulator, given random input', () => {
    const send = doors[0]?.[1] ?? overHttp

    beforeEach(() => prepare(send))

    it('accepts the correct requests that the broken ones are derived from', async () => {
      for (const asked of good) {
        const answer = await send(signed(asked, wellKnownKey))
        expect(answer.status, `${asked.method} ${asked.path} ${answer.body}`).toBeLessThan(300)
      }
    })

    it('survives bodies with any one value replaced', async () => {
      const withBody = good.filter((asked) => asked.body !== undefined)
      const anyJson = fc.oneof(
        fc.jsonValue(),
        fc.constantFrom(-1, 1e308, 2 ** 53, '', '/', '\u0000', '\ud800', {}, []),
      )
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...withBody), fc.nat(), anyJson, async (asked, at, value) => {
          const body = json(replacedAt(JSON.parse(asked.body ?? ''), at, value))
          expectCosmosAnswer(await send(signed({ ...asked, body }, wellKnownKey)))
          await expectStillAnswering(send)
        }),
        { ...seeded, numRuns: 800 },
      )
    })

    it('survives bodies that are cut off or overwritten', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...good), fc.nat(), fc.string(), async (asked, at, junk) => {
          const text = asked.body ?? ''
          const place = at % (text.length + 1)
          const body = `${text.slice(0, place)}${junk}${at % 2 === 0 ? '' : text.slice(place + junk.length)}`
          expectCosmosAnswer(await send(signed({ ...asked, body }, wellKnownKey)))
          await expectStillAnswering(send)
        }),
        { ...seeded, numRuns: 400 },
      )
    })

    it('survives any header with any value', async () => {
      const names = [
        ...new Set(good.flatMap((asked) => Object.keys(asked.headers ?? {}))),
        ...['if-match', 'if-modified-since', 'x-ms-continuation', 'x-ms-session-token', 'x-ms-start-epk'],
        ...['x-ms-end-epk', 'x-ms-documentdb-partitionkeyrangeid', 'x-ms-offer-throughput', 'prefer'],
        'x-ms-cosmos-is-query-plan-request',
        'x-ms-documentdb-pre-trigger-include',
        'x-ms-cosmos-intended-collection-rid',
        'x-ms-indexing-directive',
        'x-ms-cosmos-batch-continue-on-error',
      ]
      const value = fc.oneof(
        fc.string(),
        fc.json(),
        fc.constantFrom('true', '-1', '0', '*', '[]', '[{}]', '"9"', '0:-1#9'),
      )
      const headers = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 })
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...good), headers, async (asked, given) => {
          const broken = { ...asked, headers: { ...asked.headers, ...given } }
          expectCosmosAnswer(await send(signed(broken, wellKnownKey)))
          await expectStillAnswering(send)
        }),
        { ...seeded, numRuns: 800 },
      )
    })

    it('survives any method on any path', async () => {
      const known = [
        'dbs',
        'shop',
        'colls',
        'orders',
        'docs',
        'x',
        'pkranges',
        'offers',
        'sprocs',
        '..',
        '.',
        '%2e%2e',
        '%',
        '',
      ]
      const segment = fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...known) },
        { weight: 1, arbitrary: fc.webSegment() },
      )
      const method = fc.constantFrom(
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'HEAD',
        'OPTIONS',
        'TRACE',
        'QUERY',
      )
      const path = fc.array(segment, { maxLength: 8 }).map((segments) => `/${segments.join('/')}`)
      await fc.assert(
        fc.asyncProperty(method, path, async (verb, where) => {
          expectCosmosAnswer(await send(signed({ method: verb, path: where, body: '{}' }, wellKnownKey)))
          if (verb === 'DELETE') await prepare(send)
          await expectStillAnswering(send)
        }),
        { ...seeded, numRuns: 600 },
      )
    })
  })

  describe('the emulator on its socket', () => {
    beforeEach(() => prepare(overHttp))

    /** Returns everything that the server sends until it closes the connection, as it must. */
    function afterBytes(bytes: Uint8Array): Promise<string> {
      return new Promise((resolve) => {
        let text = ''
        const socket = connect(Number(new URL(emulator.endpoint).port), '127.0.0.1', () => socket.end(bytes))
        socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
        // A connection that is reset is closed as well.
        socket.on('error', () => undefined)
        socket.on('close', () => {
          resolve(text)
        })
      })
    }

    it('closes the connection after random bytes, with or without an HTTP answer', async () => {
      const start = fc.constantFrom(
        '',
        'GET / HTTP/1.1\r\n',
        'POST /dbs HTTP/1.1\r\nhost: x\r\n',
        '\u0016\u0003\u0001',
      )
      await fc.assert(
        fc.asyncProperty(start, fc.uint8Array({ maxLength: 400 }), async (head, bytes) => {
          const said = await afterBytes(Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
          if (said !== '') expect(said).toMatch(/^HTTP\/1\.1 4\d\d /u)
        }),
        { ...seeded, numRuns: 60 },
      )
      await expectStillAnswering(overHttp)
    })

    it('closes the connection when a body is shorter than its content-length', async () => {
      await afterBytes(Buffer.from('POST /dbs HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"id":'))
      await expectStillAnswering(overHttp)
    })

    it('answers 431 to headers that are too large', async () => {
      const said = await afterBytes(
        Buffer.from(`GET / HTTP/1.1\r\nhost: x\r\nx-junk: ${'x'.repeat(200_000)}\r\n\r\n`),
      )
      expect(said).toMatch(/^HTTP\/1\.1 431 /u)
      expect(said).toContain('"RequestHeaderFieldsTooLarge"')
      await expectStillAnswering(overHttp)
    })

    it('answers about containers whose names need encoding in a header', async () => {
      const { container } = await emulator
        .client()
        .database('shop')
        .containers.create({ id: 'заказы 注文', partitionKey: '/pk' })
      await container.items.create({ id: 'Ünï/'.replace('/', ''), pk: 'ключ' })
      expect((await container.item('Ünï', 'ключ').read()).resource).toMatchObject({ pk: 'ключ' })
    })
  })
})

/** Returns the JSON value with one node replaced; `at` is taken modulo the number of nodes. */
function replacedAt(root: unknown, at: number, value: unknown): unknown {
  const target = at % nodesIn(root)
  let seen = -1
  const copy = (node: unknown): unknown => {
    seen += 1
    if (seen === target) return value
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, copy(inner)]))
  }
  return copy(root)
}

function nodesIn(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1
  return Object.values(node).reduce((count: number, inner: unknown) => count + nodesIn(inner), 1)
}
