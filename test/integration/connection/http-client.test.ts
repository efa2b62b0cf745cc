import { CosmosClient } from '@azure/cosmos'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import {
  connect as connectTo,
  createServer as createSocketServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { httpClient } from '../../../src/connection/azure/http-client.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { AnswerHeaders } from '../../../src/platform/http/answer-headers.js'
import { deferred } from '../../support/deferred.js'

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a server that answers each request in this way. Returns its address. */
const answering = (respond: RequestListener): Promise<string> => listening(createServer(respond))

/** Starts a server that treats each connection in this way. Returns its address. */
const connecting = (connected: (socket: Socket) => void): Promise<string> => {
  return listening(createSocketServer((socket) => connected(socket.on('error', () => undefined))))
}

type Request = Parameters<typeof httpClient.sendRequest>[0]

function requestOf(url: string, more: Partial<Request> = {}): Request {
  const headers = new AnswerHeaders()
  return {
    url,
    method: 'POST',
    body: '{}',
    headers,
    timeout: 0,
    withCredentials: false,
    requestId: '1',
    ...more,
  }
}

/** Returns the name and the code of the error with which a request fails. */
async function failureOf(request: Request): Promise<object> {
  const failed = (error: unknown): object => {
    const { name, code } = error as { readonly name: string; readonly code?: string }
    return { name, code }
  }
  return httpClient.sendRequest(request).then(({ status }) => ({ status }), failed)
}

describe('a request of the SDK', () => {
  it('arrives with its path, method, headers and body', async () => {
    const origin = await answering((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { url, method, headers } = request
        const seen = { url, method, body: Buffer.concat(chunks).toString(), mark: headers['x-ms-mark'] }
        response.end(JSON.stringify({ ...seen, length: headers['content-length'] }))
      })
    })
    const headers = new AnswerHeaders([['x-ms-mark', 'A']])
    const { bodyAsText } = await httpClient.sendRequest(
      requestOf(`${origin}/dbs/a?b=c%20d`, { headers, body: '"ü"' }),
    )
    const length = String(Buffer.byteLength('"ü"'))
    expect(JSON.parse(bodyAsText ?? '')).toEqual({
      url: '/dbs/a?b=c%20d',
      method: 'POST',
      body: '"ü"',
      mark: 'A',
      length,
    })
  })

  it('gets the status, the headers and the text of the answer, also if a character comes in two parts', async () => {
    const text = Buffer.from('{"a":"ü€"}')
    const origin = await answering((_request, response) => {
      response.writeHead(429, { 'X-MS-Retry-After-MS': '12', 'x-ms-twice': ['one', 'two'] })
      response.write(text.subarray(0, 7))
      response.end(text.subarray(7))
    })
    const { status, headers, bodyAsText } = await httpClient.sendRequest(requestOf(origin))
    expect([status, bodyAsText]).toEqual([429, text.toString()])
    expect(headers.get('x-ms-Retry-After-ms')).toBe('12')
    expect(headers.toJSON()).toMatchObject({
      'x-ms-retry-after-ms': '12',
      'x-ms-twice': expect.stringContaining('one') as string,
    })
  })

  it('gets an empty text if the answer has no body', async () => {
    const origin = await answering((_request, response) => response.writeHead(204).end())
    expect(await httpClient.sendRequest(requestOf(origin))).toMatchObject({ status: 204, bodyAsText: '' })
  })

  it('gets no headers of an answer that only announces another one', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nx-ms-substatus: 7\r\n\r\n'
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1'
    const origin = await connecting((socket) => socket.once('data', () => socket.end(`${hints}${answer}`)))
    const { status, headers, bodyAsText } = await httpClient.sendRequest(requestOf(origin))
    expect({ status, bodyAsText, headers: headers.toJSON() }).toEqual({
      ...{ status: 200, bodyAsText: '1', headers: { 'content-length': '1' } },
    })
  })

  it('uses connections of the requests before', async () => {
    const ports = new Set<number | undefined>()
    const origin = await answering((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('1')
    })
    for (let count = 0; count < 5; count += 1) await httpClient.sendRequest(requestOf(origin))
    expect(ports.size).toBeLessThanOrEqual(2)
  })
})

describe('a request that fails has a code that the SDK knows', () => {
  it.each([
    ['closes the connection', (socket: Socket) => socket.once('data', () => socket.end()), 'ECONNRESET'],
    [
      'resets the connection',
      (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
      'ECONNRESET',
    ],
    [
      'ends in the middle of an answer',
      (socket: Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"')),
      'ECONNRESET',
    ],
    [
      'sends no HTTP',
      (socket: Socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n')),
      'PARSE_ERROR',
    ],
  ])('if the server %s', async (_what, connected, code) => {
    const origin = await connecting(connected)
    expect(await failureOf(requestOf(origin))).toEqual({ name: 'RestError', code })
  })

  it('if no server listens', async () => {
    const server = createServer()
    const origin = await listening(server)
    server.close()
    expect(await failureOf(requestOf(origin))).toEqual({ name: 'RestError', code: 'ECONNREFUSED' })
  })
})

describe('a request that is aborted', () => {
  const aborted = { name: 'AbortError', code: undefined }

  it('is not sent if the signal has aborted before', async () => {
    let requests = 0
    const origin = await answering(() => (requests += 1))
    expect(await failureOf(requestOf(origin, { abortSignal: AbortSignal.abort() }))).toEqual(aborted)
    expect(requests).toBe(0)
  })

  it('fails at once while its connection opens, or while the server does not answer', async () => {
    const opening = new AbortController()
    const silent = await connecting(() => undefined)
    const early = failureOf(requestOf(silent, { abortSignal: opening.signal }))
    opening.abort()
    expect(await early).toEqual(aborted)
    const waiting = new AbortController()
    const origin = await answering(() => waiting.abort())
    expect(await failureOf(requestOf(origin, { abortSignal: waiting.signal }))).toEqual(aborted)
  })

  it('fails in the middle of the answer, and closes its connection', async () => {
    const aborting = new AbortController()
    const ended = deferred<undefined>()
    const origin = await answering((request, response) => {
      request.socket.once('close', () => ended.resolve(undefined))
      response.write('{', () => aborting.abort())
    })
    expect(await failureOf(requestOf(origin, { abortSignal: aborting.signal }))).toEqual(aborted)
    await ended.promise
  })

  it('leaves nothing at the signal afterwards', async () => {
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const origin = await answering((_request, response) => response.end('1'))
    await httpClient.sendRequest(requestOf(origin, { abortSignal: signal }))
    expect(added).toHaveBeenCalledOnce()
    expect(removed.mock.calls).toEqual(added.mock.calls)
  })
})

/** Starts an emulator, and a server before it that spoils the first answer to a create of a document. */
async function spoiledEmulator(spoilt: string) {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const { port } = new URL(emulator.endpoint)
  const seen = { creates: 0 }
  const endpoint = await connecting((client) => {
    const upstream = connectTo(Number(port), '127.0.0.1').on('error', () => undefined)
    let isSpoilt = false
    client.on('close', () => upstream.destroy())
    client.on('data', (data) => {
      if (data.toString('latin1').startsWith('POST /dbs/d/colls/c/docs')) {
        seen.creates += 1
        isSpoilt = seen.creates === 1
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => (isSpoilt ? client.end(spoilt) : client.write(data)))
  })
  return { emulator, endpoint, seen }
}

it.each([
  ['no HTTP', 'nonsense\r\n\r\n'],
  [
    'a header that is too long',
    `HTTP/1.1 201 Created\r\nx: ${'y'.repeat(40_000)}\r\ncontent-length: 2\r\n\r\n{}`,
  ],
])(
  'a write is not sent again if its answer is %s, because the store may have carried it out',
  async (_what, spoilt) => {
    const { emulator, endpoint, seen } = await spoiledEmulator(spoilt)
    const options = { key: emulator.key, connectionPolicy: { enableEndpointDiscovery: false } }
    const client = new CosmosClient({ ...options, endpoint, httpClient })
    onTestFinished(() => client.dispose())
    const { database } = await client.databases.createIfNotExists({ id: 'd' })
    const { container } = await database.containers.createIfNotExists({ id: 'c', partitionKey: '/pk' })
    await expect(container.items.create({ id: 'a', pk: 'p' })).rejects.toMatchObject({ code: 'PARSE_ERROR' })
    expect(seen.creates).toBe(1)
    expect((await container.item('a', 'p').read()).statusCode).toBe(200)
  },
)

it('the SDK works through this client', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const client = new CosmosClient({ endpoint: emulator.endpoint, key: emulator.key, httpClient })
  const { database } = await client.databases.createIfNotExists({ id: 'd' })
  const { container } = await database.containers.createIfNotExists({ id: 'c', partitionKey: '/pk' })
  await container.items.create({ id: 'ä', pk: 'p', text: '€' })
  expect((await container.item('ä', 'p').read()).resource).toMatchObject({ text: '€' })
  expect((await container.item('b', 'p').read()).statusCode).toBe(404)
  await expect(container.items.create({ id: 'ä', pk: 'p' })).rejects.toMatchObject({ code: 409 })
})
