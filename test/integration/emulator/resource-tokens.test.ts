import {
  CosmosClient,
  PermissionMode,
  type Container,
  type CosmosClientOptions,
  type Database,
  type Permission,
  type PermissionDefinition,
} from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import { inProcessOptions } from '../../../src/emulator/doors/in-process-client.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import type { RestRequest, RestResponse } from '../../../src/emulator/messages/rest-message.js'
import { scratchDirectory } from '../../support/scratch-directory.js'
import { anEmulator, doors, ordersIn, type Door } from './doors.js'

const forbidden = { code: 403 }

describe.each(doors)('users and permissions through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container
  let database: Database

  beforeEach(async () => {
    door = await open()
    container = await ordersIn(door)
    database = door.client().database('shop')
  })

  it('are created, read, listed, queried, replaced and deleted', async () => {
    const { user, resource } = await database.users.create({ id: 'ada' })
    expect(resource).toMatchObject({ id: 'ada', _permissions: 'permissions/' })
    await expect(database.users.create({ id: 'ada' })).rejects.toMatchObject({ code: 409 })
    expect((await database.users.upsert({ id: 'ada' })).statusCode).toBe(200)
    await database.users.upsert({ id: 'bob' })
    const query = { query: "SELECT VALUE u.id FROM u WHERE u.id = 'bob'" }
    expect((await database.users.query<string>(query).fetchAll()).resources).toEqual(['bob'])
    await user.permissions.create({ id: 'p', permissionMode: PermissionMode.Read, resource: container.url })
    await user.replace({ id: 'eve' })
    expect((await database.users.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(['eve', 'bob'])
    await expect(database.user('ada').read()).rejects.toMatchObject({ code: 404 })
    const renamed = database.user('eve')
    expect((await renamed.permission('p').read()).resource).toMatchObject({
      id: 'p',
      resource: container.url,
    })
    await renamed.delete()
    await expect(renamed.permissions.readAll().fetchAll()).rejects.toMatchObject({ code: 404 })
  })

  it('have one permission for each resource and partition key', async () => {
    const { user } = await database.users.create({ id: 'ada' })
    const wanted = { id: 'p', permissionMode: PermissionMode.Read, resource: container.url }
    const { permission } = await user.permissions.create(wanted)
    await expect(user.permissions.create(wanted)).rejects.toMatchObject({ code: 409 })
    await expect(user.permissions.create({ ...wanted, id: 'q' })).rejects.toMatchObject({ code: 409 })
    const restricted = { ...wanted, id: 'q', resourcePartitionKey: ['a'] as never }
    expect((await user.permissions.create(restricted)).statusCode).toBe(201)
    const all = { ...wanted, permissionMode: PermissionMode.All }
    expect((await permission.replace(all)).resource?.permissionMode).toBe('all')
    expect((await user.permissions.upsert(wanted)).statusCode).toBe(200)
    await permission.delete()
    expect((await user.permissions.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(['q'])
  })

  it.each([
    ['an unknown mode', { permissionMode: 'Write' as never }, 400],
    ['no container', { resource: 'dbs/shop' }, 400],
    ['a missing container', { resource: 'dbs/shop/colls/none' }, 404],
    ['a stored procedure', { resource: 'dbs/shop/colls/orders/sprocs/s' }, 501],
    ['a partition key that is no array', { resourcePartitionKey: 'a' as never }, 400],
  ])('refuse a permission with %s', async (_case, more, code) => {
    const { user } = await database.users.create({ id: 'ada' })
    const wanted = { id: 'p', permissionMode: PermissionMode.Read, resource: container.url, ...more }
    await expect(user.permissions.create(wanted)).rejects.toMatchObject({ code })
  })
})

describe('a resource token', () => {
  let clock: VirtualClock
  let account: Account
  let cosmos: Pick<Door, 'client' | 'stats'>
  let owned: Container

  beforeEach(async () => {
    clock = new VirtualClock()
    account = openAccount({ clock, partitionCount: 2 }, wellKnownKey)
    const { respond } = account
    cosmos = {
      client: (options = {}) => new CosmosClient(inProcessOptions(respond, options)),
      stats: () => account.stats(),
    }
    owned = await ordersIn(cosmos)
    for (const pk of ['a', 'b']) await owned.items.create({ id: pk, pk })
  })

  async function permissionFor(
    mode: PermissionMode,
    more: Partial<PermissionDefinition> = {},
    seconds?: number,
  ): Promise<{ permission: Permission; resource: PermissionDefinition & { _token: string } }> {
    const { user } = await owned.database.users.upsert({ id: 'ada' })
    const wanted = { id: 'p', permissionMode: mode, resource: owned.url, ...more }
    const options = seconds === undefined ? {} : { resourceTokenExpirySeconds: seconds }
    const { permission, resource } = await user.permissions.create(wanted, options)
    if (resource === undefined) throw new Error('the permission was not shown')
    return { permission, resource }
  }

  /** Sends a request that the SDK does not send. */
  function asked(
    token: string,
    request: Pick<RestRequest, 'method' | 'path' | 'headers'> & { readonly body?: string },
  ): Promise<RestResponse> {
    const headers = { ...request.headers, authorization: encodeURIComponent(token) }
    return account.respond({ body: '', origin: '', ...request, headers })
  }

  function using(options: Partial<CosmosClientOptions>, path = 'orders'): Container {
    return cosmos.client(options).database('shop').container(path)
  }

  it('of mode Read reads and queries its container, and writes nothing', async () => {
    const { resource } = await permissionFor(PermissionMode.Read)
    const mine = using({ permissionFeed: [resource] })
    expect((await mine.item('a', 'a').read()).statusCode).toBe(200)
    expect((await mine.items.query('SELECT * FROM c').fetchAll()).resources).toHaveLength(2)
    expect((await mine.items.readAll().fetchAll()).resources).toHaveLength(2)
    expect((await mine.items.getChangeFeedIterator({}).readNext()).statusCode).toBe(304)
    await expect(mine.items.upsert({ id: 'a', pk: 'a' })).rejects.toMatchObject(forbidden)
    await expect(mine.item('a', 'a').delete()).rejects.toMatchObject(forbidden)
    await expect(mine.item('a', 'a').patch([{ op: 'set', path: '/x', value: 1 }])).rejects.toMatchObject(
      forbidden,
    )
    await expect(mine.delete()).rejects.toMatchObject(forbidden)
    expect(cosmos.stats().documents).toBe(2)
  })

  it('of mode Read refuses a batch that calls itself a query', async () => {
    const { resource } = await permissionFor(PermissionMode.Read)
    const mine = using({
      permissionFeed: [resource],
      defaultHeaders: { 'x-ms-documentdb-isquery': 'true' },
    })
    const batch = mine.items.batch([{ operationType: 'Delete', id: 'a' }], 'a')
    await expect(batch).rejects.toThrow(/Insufficient permissions/u)
    expect(cosmos.stats().documents).toBe(2)
  })

  it('of mode All writes to its container and to no other', async () => {
    const other = (await owned.database.containers.create({ id: 'other', partitionKey: '/pk' })).container
    const { resource } = await permissionFor(PermissionMode.All)
    const tokens = { 'dbs/shop/colls/orders': resource._token, [other.url]: resource._token }
    const mine = using({ resourceTokens: tokens })
    expect((await mine.items.create({ id: 'c', pk: 'c' })).statusCode).toBe(201)
    expect((await mine.item('c', 'c').delete()).statusCode).toBe(204)
    const elsewhere = using({ resourceTokens: tokens }, 'other')
    await expect(elsewhere.items.create({ id: 'c', pk: 'c' })).rejects.toMatchObject(forbidden)
    await expect(elsewhere.read()).rejects.toMatchObject(forbidden)
  })

  it('of a document covers only this document', async () => {
    const { resource } = await permissionFor(PermissionMode.All, { resource: owned.item('a', 'a').url })
    const tokens = Object.fromEntries(
      ['dbs/shop/colls/orders', 'dbs/shop/colls/orders/docs/a'].map((link) => [link, resource._token]),
    )
    const mine = using({ resourceTokens: tokens })
    expect((await mine.item('a', 'a').read()).statusCode).toBe(200)
    expect((await mine.item('a', 'a').replace({ id: 'a', pk: 'a', x: 1 })).statusCode).toBe(200)
    await expect(mine.item('b', 'b').read()).rejects.toMatchObject(forbidden)
    await expect(mine.items.readAll().fetchAll()).rejects.toMatchObject(forbidden)
  })

  it('with a partition key covers only documents of this key', async () => {
    const { resource } = await permissionFor(PermissionMode.All, { resourcePartitionKey: ['a'] as never })
    const mine = using({ permissionFeed: [resource] })
    expect((await mine.item('a', 'a').read()).statusCode).toBe(200)
    expect((await mine.items.create({ id: 'a2', pk: 'a' })).statusCode).toBe(201)
    const inKey = mine.items.query('SELECT VALUE c.id FROM c', { partitionKey: 'a' })
    expect((await inKey.fetchAll()).resources).toEqual(['a', 'a2'])
    await expect(mine.items.query('SELECT * FROM c').fetchAll()).rejects.toMatchObject(forbidden)
    await expect(mine.item('b', 'b').read()).rejects.toMatchObject(forbidden)
    const [bulk] = await mine.items.executeBulkOperations([
      { operationType: 'Delete', id: 'b', partitionKey: 'b' },
    ])
    expect(bulk?.error).toMatchObject(forbidden)
    await expect(mine.delete()).rejects.toMatchObject(forbidden)
  })

  it('with a partition key refuses a bulk request, whose operations name other keys', async () => {
    const { resource } = await permissionFor(PermissionMode.All, { resourcePartitionKey: ['a'] as never })
    const answer = await asked(resource._token, {
      method: 'POST',
      path: '/dbs/shop/colls/orders/docs',
      headers: {
        'x-ms-cosmos-is-batch-request': 'true',
        'x-ms-documentdb-partitionkey': '["a"]',
      },
      body: JSON.stringify([{ operationType: 'Delete', id: 'b', partitionKey: '["b"]' }]),
    })
    expect(answer.status).toBe(403)
  })

  it('of a document does not open another document whose id is the rid of the first one', async () => {
    const { resource: document } = await owned.item('a', 'a').read<{ _rid: string }>()
    const trap = document?._rid ?? ''
    await owned.items.create({ id: trap, pk: 'b' })
    const { resource } = await permissionFor(PermissionMode.Read, { resource: owned.item('a', 'a').url })
    const path = `/dbs/shop/colls/orders/docs/${encodeURIComponent(trap)}`
    const headers = { 'x-ms-documentdb-partitionkey': '["b"]' }
    expect((await asked(resource._token, { method: 'GET', path, headers })).status).toBe(403)
  })

  it('does not open a database whose id is the rid of the first one', async () => {
    const { resource: shop } = await owned.database.read()
    const { database: trap } = await cosmos.client().databases.create({ id: shop?._rid ?? '' })
    const { container } = await trap.containers.create({ id: 'orders', partitionKey: '/pk' })
    await container.items.create({ id: 'secret', pk: 'a' })
    const { resource } = await permissionFor(PermissionMode.Read)
    const path = `/dbs/${encodeURIComponent(trap.id)}/colls/orders/docs/secret`
    const headers = { 'x-ms-documentdb-partitionkey': '["a"]' }
    expect((await asked(resource._token, { method: 'GET', path, headers })).status).toBe(403)
  })

  it('lasts one hour, or as long as the client asked', async () => {
    const read = async (token: string): Promise<number> =>
      (
        await using({ resourceTokens: { 'dbs/shop/colls/orders': token } })
          .item('a', 'a')
          .read()
      ).statusCode
    const { permission, resource } = await permissionFor(PermissionMode.Read, {}, 10)
    const longer = (await permission.read()).resource?._token ?? ''
    await clock.advance(9_000)
    expect(await read(resource._token)).toBe(200)
    await clock.advance(1_000)
    await expect(read(resource._token)).rejects.toMatchObject(forbidden)
    await clock.advance(3_600_000 - 11_000)
    expect(await read(longer)).toBe(200)
    await clock.advance(1_000)
    await expect(read(longer)).rejects.toMatchObject(forbidden)
    await expect(permission.read({ resourceTokenExpirySeconds: 9 })).rejects.toMatchObject({ code: 400 })
    await expect(permission.read({ resourceTokenExpirySeconds: 86_401 })).rejects.toMatchObject({ code: 400 })
  })

  it('ends with its permission, and gives no access to users or to a forged permission', async () => {
    const { permission, resource } = await permissionFor(PermissionMode.All)
    const tokens = { 'dbs/shop/colls/orders': resource._token, 'dbs/shop': resource._token }
    const client = cosmos.client({ resourceTokens: tokens })
    await expect(client.database('shop').read()).rejects.toMatchObject(forbidden)
    await expect(client.database('shop').users.readAll().fetchAll()).rejects.toMatchObject(forbidden)
    const grant = Buffer.from(JSON.stringify({ permission: 'other', expires: 9e9 })).toString('base64')
    const forged = resource._token.replace(/;[^;]+;$/u, `;${grant};`)
    await expect(
      using({ resourceTokens: { 'dbs/shop/colls/orders': forged } })
        .item('a', 'a')
        .read(),
    ).rejects.toMatchObject({ code: 401 })
    await permission.delete()
    await expect(using({ resourceTokens: tokens }).item('a', 'a').read()).rejects.toMatchObject(forbidden)
  })
})

it('a resource token opens its container over HTTP, also after a restart', async () => {
  const dataDirectory = scratchDirectory()
  const first = await anEmulator({ dataDirectory })
  const container = await ordersIn(first)
  await container.items.create({ id: 'a', pk: 'a' })
  const { user } = await container.database.users.create({ id: 'ada' })
  const wanted = { id: 'p', permissionMode: PermissionMode.Read, resource: container.url }
  const { resource } = await user.permissions.create(wanted)
  await first.close()
  const second = await anEmulator({ dataDirectory })
  const client = new CosmosClient({
    endpoint: second.endpoint,
    permissionFeed: [resource as PermissionDefinition],
  })
  expect((await client.database('shop').container('orders').item('a', 'a').read()).statusCode).toBe(200)
  client.dispose()
  const { resources } = await second.client().database('shop').user('ada').permissions.readAll().fetchAll()
  expect(resources).toMatchObject([{ id: 'p', permissionMode: 'read' }])
})
