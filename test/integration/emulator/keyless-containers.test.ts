import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import type { RestResponse } from '../../../src/emulator/messages/rest-message.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { signed, type Asked } from './signed-request.js'

const old = { 'x-ms-version': '2018-09-17' }
const definition = JSON.stringify({ id: 'fixed' })
const create: Asked = { method: 'POST', path: '/dbs/shop/colls', body: definition, headers: old }
const docs = '/dbs/shop/colls/fixed/docs'

describe('a container that an old client creates without a partition key', () => {
  let account: Account
  const ask = (asked: Asked): Promise<RestResponse> => account.respond(signed(asked, wellKnownKey))

  beforeEach(() => {
    account = openAccount({ partitionCount: 3 }, wellKnownKey)
    account.engine.createDatabase('shop')
  })

  it('gets the service’s own key and one range', async () => {
    const answer = await ask(create)
    expect(answer.status).toBe(201)
    const partitionKey = { paths: ['/_partitionKey'], kind: 'Hash', systemKey: true }
    expect(JSON.parse(answer.body)).toMatchObject({ partitionKey })
    expect(account.engine.container('shop', 'fixed').partitions).toHaveLength(1)
  })

  it('is refused to a client with a newer version of the interface', async () => {
    expect(await ask({ ...create, headers: { 'x-ms-version': '2020-07-15' } })).toMatchObject({ status: 400 })
  })

  it.each([[{}], [{ 'x-ms-documentdb-partitionkey': '[]' }], [{ 'x-ms-documentdb-partitionkey': '{}' }]])(
    'holds documents of one key, with the headers %j',
    async (headers) => {
      await ask(create)
      const body = JSON.stringify({ id: 'a', total: 1 })
      expect((await ask({ method: 'POST', path: docs, body, headers })).status).toBe(201)
      expect((await ask({ method: 'POST', path: docs, body, headers })).status).toBe(409)
      expect((await ask({ method: 'GET', path: `${docs}/a`, headers })).status).toBe(200)
      expect((await ask({ method: 'DELETE', path: `${docs}/a`, headers })).status).toBe(204)
    },
  )

  it('serves the present SDK, and is still there after a restart', async () => {
    const dataDirectory = scratchDirectory()
    const first = openAccount({ dataDirectory }, wellKnownKey)
    first.engine.createDatabase('shop')
    await first.respond(signed(create, wellKnownKey))
    await first.close()
    const cosmos: InProcessCosmos = createInProcessCosmos({ dataDirectory })
    const container = cosmos.client().database('shop').container('fixed')
    await container.items.create({ id: 'a', total: 1 })
    expect((await container.item('a').read()).statusCode).toBe(200)
    expect((await container.item('a').replace({ id: 'a', total: 2 })).statusCode).toBe(200)
    const { resources } = await container.items.query('SELECT VALUE c.total FROM c').fetchAll()
    expect(resources).toEqual([2])
    const { resource } = await container.read()
    expect(resource?.partitionKey).toMatchObject({ systemKey: true })
    await cosmos.close()
  })
})
