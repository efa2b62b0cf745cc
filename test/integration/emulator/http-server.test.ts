import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { anEmulator } from './doors.js'

interface RawAnswer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

describe('the emulator over HTTP', () => {
  let emulator: Emulator

  beforeEach(async () => {
    emulator = await anEmulator()
  })

  function raw(method: string, path: string, body = ''): Promise<RawAnswer> {
    const { hostname, port } = new URL(emulator.endpoint)
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          resolve({
            status: answer.statusCode,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  it('describes an error in JSON, with its length', async () => {
    const answer = await raw('GET', '//dbs/')
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'Unauthorized' })
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
    expect(answer.headers['date']).toBeDefined()
  })

  it('answers 413 to a body that is too large, and continues', async () => {
    expect((await raw('POST', '/dbs/d/colls/c/docs', 'x'.repeat(5 * 1024 * 1024))).status).toBe(413)
    expect((await raw('GET', '/')).status).toBe(401)
  })

  it.each([
    ['400 to bytes that are not HTTP', 'what is this?', 400, 'BadRequest'],
    ['405 to a request for a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a', 405, 'not a proxy'],
  ])('answers %s', async (_name, sent, status, reason) => {
    const { port } = new URL(emulator.endpoint)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${sent}\r\n\r\n`))
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString('utf8')))
      socket.on('close', () => {
        resolve(text)
      })
      socket.on('error', reject)
    })
    expect(answer.slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
    expect(answer).toContain(reason)
  })

  it.each([
    ['no request', ''],
    ['a part of a request', 'GET / HTTP/1.1\r\n'],
    ['a part of a body', 'POST /dbs HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{'],
    ['what is not HTTP', 'what is this?\r\n\r\n'],
  ])('closes although a client has sent %s and keeps its connection', async (_name, sent) => {
    const { port } = new URL(emulator.endpoint)
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    const ended = once(socket, 'close')
    socket.on('error', () => undefined).resume()
    await once(socket, 'connect')
    socket.write(sent)
    // The server has the connection and the text when it has answered a later request.
    await raw('GET', '/')
    await emulator.close()
    socket.end()
    await ended
  })

  it('answers an invalid definition with an error', async () => {
    const client = emulator.client()
    const { database } = await client.databases.create({ id: 'shop' })
    const wrong = { id: 'x', partitionKey: { paths: ['no-slash'] } }
    await expect(database.containers.create(wrong)).rejects.toMatchObject({ code: 400 })
  })

  it('rejects a port that is in use, and says what to do', async () => {
    const { port } = new URL(emulator.endpoint)
    await expect(startEmulator({ port: Number(port) })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use, perhaps by another emulator.`,
    )
  })

  it('rejects an invalid key or option before it listens', async () => {
    for (const key of ['no key!', 'abc', 'abcd=', '']) {
      await expect(startEmulator({ port: 0, key }), key).rejects.toThrow('it must be base64')
    }
    await expect(startEmulator({ port: 0, partitionCount: 0 })).rejects.toThrow('partitionCount is 0')
  })

  it('accepts the configured key only', async () => {
    const key = Buffer.from('of our own').toString('base64')
    const own = await anEmulator({ key })
    const { resources } = await own.client().databases.readAll().fetchAll()
    expect(resources).toEqual([])
    await expect(own.client({ key: emulator.key }).databases.readAll().fetchAll()).rejects.toMatchObject({
      code: 401,
    })
  })

  it('closes at once although clients keep their connections open', async () => {
    const other = await anEmulator()
    const { database } = await other.client().databases.create({ id: 'shop' })
    await database.read()
    await other.close()
    await expect(fetch(other.endpoint)).rejects.toThrow()
  })
})
