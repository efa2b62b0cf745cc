import { describe, expect, it } from 'vitest'
import { listen } from '../../../../src/emulator/doors/http-server.js'
import type { RestRequest, RestResponse } from '../../../../src/emulator/messages/rest-message.js'

const answer: RestResponse = { status: 200, headers: { 'content-length': '2' }, body: '{}' }

describe('the HTTP server', () => {
  it('finishes a running request when it closes, and then closes the connection', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let arrived = (): void => undefined
    const arrival = new Promise<void>((resolve) => (arrived = resolve))
    const server = await listen({
      port: 0,
      host: '127.0.0.1',
      respond: async () => {
        arrived()
        await released
        return answer
      },
    })
    const fetched = fetch(`http://127.0.0.1:${server.port}/`)
    await arrival
    const closed = server.close()
    release()
    const response = await fetched
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe('close')
    await closed
  })

  it('passes on the request and the address that the client used', async () => {
    const asked: RestRequest[] = []
    const server = await listen({
      port: 0,
      host: '127.0.0.1',
      respond: async (request) => {
        asked.push(request)
        return answer
      },
    })
    await fetch(`http://localhost:${server.port}//dbs/%C3%BC?x=1`, { method: 'POST', body: 'ü' })
    expect(asked).toMatchObject([
      { method: 'POST', path: '//dbs/%C3%BC?x=1', body: 'ü', origin: `http://localhost:${server.port}` },
    ])
    await server.close()
  })

  it('closes the connection when answering fails', async () => {
    const server = await listen({
      port: 0,
      host: '127.0.0.1',
      respond: () => Promise.reject(new Error('a bug of ours')),
    })
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow()
    await server.close()
  })
})
