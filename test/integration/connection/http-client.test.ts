import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { CosmosClient } from '@azure/cosmos'
import { httpClient } from '../../../src/connection/azure/http-client.js'
import { cosmosErrorKind } from '../../../lease-store/internal.js'
import { startEmulator } from '../../../src/emulator/index.js'

let server: Server | null = null
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve) ?? resolve(null))
  server = null
})

/** Starts a server and returns its address. */
async function served(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

type Request = Parameters<typeof httpClient.sendRequest>[0]

/** Sends a request as the SDK does, without its retries. */
function sent(url: string, abortSignal = new AbortController().signal): Promise<unknown> {
  const headers = { toJSON: () => ({ accept: 'application/json' }) }
  return httpClient.sendRequest({
    url,
    method: 'POST',
    body: '{}',
    headers,
    abortSignal,
  } as unknown as Request)
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'it did not fail',
    (error: unknown) => error,
  )
}

describe('the client that sends the requests of the SDK', () => {
  it('carries documents in both directions, and the headers and status of an answer', async () => {
    const emulator = await startEmulator({ port: 0 })
    const client = new CosmosClient({ endpoint: emulator.endpoint, key: emulator.key, httpClient })
    const { database } = await client.databases.createIfNotExists({ id: 'shop' })
    const { container } = await database.containers.createIfNotExists({ id: 'orders', partitionKey: '/pk' })
    const order = { id: 'a', pk: 'p', note: 'größer als 🙂 \u2028' }
    const { etag, requestCharge } = await container.items.create(order)
    expect(requestCharge).toBeGreaterThan(0)
    expect((await container.item('a', 'p').read()).resource).toMatchObject({ ...order, _etag: etag })
    const missing = await container.item('b', 'p').read()
    expect(missing.statusCode).toBe(404)
    const condition = { type: 'IfMatch', condition: '"other"' }
    const failed = container.item('a', 'p').replace(order, { accessCondition: condition })
    expect(cosmosErrorKind(await failureOf(failed), 'write')).toEqual({ kind: 'preconditionFailed' })
    client.dispose()
    await emulator.close()
  })

  it('says that a store was not reached, so that nothing was written', async () => {
    const endpoint = await served(() => undefined)
    await new Promise((resolve) => server?.close(resolve))
    const failed = await failureOf(sent(endpoint))
    expect(failed).toMatchObject({ code: 'ECONNREFUSED' })
    expect(cosmosErrorKind(failed, 'write')).toEqual({ kind: 'unavailable' })
  })

  it('leaves open whether a write counts when the connection ends before the answer', async () => {
    const endpoint = await served((request) => request.socket.destroy())
    const failed = await failureOf(sent(`${endpoint}/dbs`))
    expect(failed).toMatchObject({ code: 'ECONNRESET' })
    expect(cosmosErrorKind(failed, 'write')).toEqual({ kind: 'unknownOutcome' })
  })

  it('ends a request at once when its caller aborts it', async () => {
    const aborting = new AbortController()
    const endpoint = await served(() => aborting.abort())
    const failed = await failureOf(sent(`${endpoint}/dbs`, aborting.signal))
    expect(failed).toMatchObject({ name: 'AbortError' })
    const early = await failureOf(sent(`${endpoint}/dbs`, AbortSignal.abort()))
    expect(early).toMatchObject({ name: 'AbortError' })
  })
})
