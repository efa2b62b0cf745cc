import { describe, expect, it } from 'vitest'
import { openAccount } from '../../../src/emulator/doors/account.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { doors, ordersIn } from './doors.js'
import { signed } from './signed-request.js'

describe.each(doors)('the conflict feed through the SDK, %s', (_name, open) => {
  it('is empty', async () => {
    const container = await ordersIn(await open())
    expect((await container.conflicts.readAll().fetchAll()).resources).toEqual([])
    expect((await container.conflicts.query('SELECT * FROM c').fetchAll()).resources).toEqual([])
  })
})

describe('a conflict', () => {
  it.each(['GET', 'DELETE'])('does not exist for %s', async (method) => {
    const account = openAccount({}, wellKnownKey)
    account.engine.createDatabase('shop')
    account.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
    const asked = { method, path: '/dbs/shop/colls/orders/conflicts/x' }
    expect((await account.respond(signed(asked, wellKnownKey))).status).toBe(404)
  })
})

describe.each(doors)('a conflict resolution policy through the SDK, %s', (_name, open) => {
  it.each([
    { mode: 'LastWriterWins', conflictResolutionPath: '/version' },
    { mode: 'Custom', conflictResolutionProcedure: 'dbs/shop/colls/orders/sprocs/resolve' },
  ])('is stored as given: %j', async (policy) => {
    const { database } = await (await open()).client().databases.create({ id: 'shop' })
    const definition = { id: 'orders', partitionKey: '/pk', conflictResolutionPolicy: policy as never }
    const { container } = await database.containers.create(definition)
    const { resource } = await container.read()
    expect(resource?.conflictResolutionPolicy).toEqual(policy)
    expect((await container.replace(resource as never)).statusCode).toBe(200)
    const other = { ...resource, conflictResolutionPolicy: { mode: 'LastWriterWins' } }
    await expect(container.replace(other as never)).rejects.toMatchObject({ code: 400 })
  })

  it('is refused with an unknown mode', async () => {
    const { database } = await (await open()).client().databases.create({ id: 'shop' })
    const conflictResolutionPolicy = { mode: 'FirstWriterWins' } as never
    const definition = { id: 'orders', partitionKey: '/pk', conflictResolutionPolicy }
    await expect(database.containers.create(definition)).rejects.toMatchObject({ code: 400 })
  })
})
