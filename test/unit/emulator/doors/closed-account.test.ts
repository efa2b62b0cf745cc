import { CosmosClient, type CosmosClientOptions } from '@azure/cosmos'
import { expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'

it('refuses each request of the SDK after the account is closed, and the SDK does not retry', async () => {
  const cosmos = createInProcessCosmos()
  let sent = 0
  const client = new CosmosClient(counting(cosmos.clientOptions(), () => (sent += 1)))
  const { database } = await client.databases.create({ id: 'shop' })
  const { container } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
  await cosmos.close()
  const refused = { code: 'ECONNREFUSED', message: expect.stringContaining('account is closed') as string }
  sent = 0
  await expect(container.item('o1', 'a').read()).rejects.toMatchObject(refused)
  await expect(container.items.create({ id: 'o1', pk: 'a' })).rejects.toMatchObject(refused)
  await expect(client.databases.readAll().fetchAll()).rejects.toMatchObject(refused)
  expect(sent).toBe(3)
})

/** Calls `onRequest` before each request. */
function counting(options: CosmosClientOptions, onRequest: () => void): CosmosClientOptions {
  const { httpClient } = options
  if (httpClient === undefined) throw new Error('the options have no HTTP client')
  return {
    ...options,
    httpClient: {
      sendRequest: (request) => {
        onRequest()
        return httpClient.sendRequest(request)
      },
    },
  }
}
