/** Checks of items, batches, patches and keys. */
import type { Container, OperationInput, PatchOperation } from '@azure/cosmos'
import { check, containerOf, idsOf, refused, same } from './registry.js'

/** Demands that an item does not exist. This client answers such a read without an error. */
async function absent(container: Container, id: string, key: string): Promise<void> {
  same((await container.item(id, key).read()).statusCode, 404)
}

check('items', async (shop) => {
  const container = await containerOf(shop)
  const { resource } = await container.items.create({ id: '1', pk: 'a', n: 1 })
  same(typeof resource?._etag === 'string' && resource._ts > 0, true)
  same((await container.item('1', 'a').read<{ n: number }>()).resource?.n, 1)
  await refused(409, () => container.items.create({ id: '1', pk: 'a' }))
  same((await container.items.upsert({ id: '1', pk: 'a', n: 2 })).statusCode, 200)
  same((await container.item('1', 'a').replace({ id: '1', pk: 'a', n: 3 })).resource?.['n'], 3)
  await refused(404, () => container.item('2', 'a').replace({ id: '2', pk: 'a' }))
  same((await container.items.upsert({ id: '2', pk: 'a' })).statusCode, 201)
  same(idsOf((await container.items.readAll().fetchAll()).resources), ['1', '2'])
  await container.item('1', 'a').delete()
  await absent(container, '1', 'a')
  await refused(404, () => container.item('1', 'a').delete())
})

check('etags', async (shop) => {
  const container = await containerOf(shop)
  const first = await container.items.create({ id: '1', pk: 'a', n: 1 })
  const second = await container.item('1', 'a').replace({ id: '1', pk: 'a', n: 2 })
  const match = (condition: string) => ({ accessCondition: { type: 'IfMatch', condition } })
  const stale = match(first.etag)
  await refused(412, () => container.item('1', 'a').replace({ id: '1', pk: 'a', n: 3 }, stale))
  await refused(412, () => container.items.upsert({ id: '1', pk: 'a', n: 3 }, stale))
  await refused(412, () => container.item('1', 'a').delete(stale))
  const { resource } = await container.item('1', 'a').replace({ id: '1', pk: 'a', n: 3 }, match(second.etag))
  same(resource?.['n'], 3)
  const unchanged = { accessCondition: { type: 'IfNoneMatch', condition: resource?._etag ?? '' } }
  same((await container.item('1', 'a').read(unchanged)).statusCode, 304)
})

check('keys', async (shop) => {
  const container = await containerOf(shop)
  const values = ['text', 'ключ', '', 5, -1.5, 1e300, true, false, null]
  for (const [index, pk] of values.entries()) await container.items.create({ id: 'same', pk, index })
  await container.items.create({ id: 'same', index: values.length })
  for (const [index, value] of [...values, {}].entries()) {
    const key = value as string
    same((await container.item('same', key).read<{ index: number }>()).resource?.index, index)
    const rows = await container.items.query('SELECT VALUE c.index FROM c', { partitionKey: key }).fetchAll()
    same(rows.resources, [index])
  }
  const none = {} as string
  await container.item('same', none).delete()
  await absent(container, 'same', none)
})

check('unicode', async (shop) => {
  const container = await containerOf(shop)
  const names = [
    'with space',
    'a+b',
    '100%',
    '%20',
    'ünï',
    '名前',
    'a&b=c',
    '\'"',
    '😀',
    '<tag>',
    'a:b@c',
    '[x]',
    '~',
  ]
  for (const id of names) {
    const item = container.item(id, id)
    await container.items.create({ id, pk: id, text: id.repeat(3) })
    same((await item.read<{ text: string }>()).resource?.text, id.repeat(3))
    await item.replace({ id, pk: id, n: 1 })
    await item.patch([{ op: 'incr', path: '/n', value: 1 }])
    same((await item.read<{ n: number }>()).resource?.n, 2)
    const query = { query: 'SELECT * FROM c WHERE c.id = @id', parameters: [{ name: '@id', value: id }] }
    same(idsOf((await container.items.query(query, { partitionKey: id }).fetchAll()).resources), [id])
    await item.delete()
  }
})

check('big-documents', async (shop) => {
  const container = await containerOf(shop)
  const text = 'x'.repeat(1_900_000)
  await container.items.create({ id: 'big', pk: 'a', text })
  same((await container.item('big', 'a').read<{ text: string }>()).resource?.text === text, true)
  await refused(413, () =>
    container.items.create({ id: 'bigger', pk: 'a', text: text + 'x'.repeat(300_000) }),
  )
})

check('patch', async (shop) => {
  const container = await containerOf(shop)
  const item = container.item('1', 'a')
  await container.items.create({ id: '1', pk: 'a', n: 1, list: [1, 2], gone: 1, old: 'v' })
  // The service moves values too, which the types of this client leave out.
  const operations = [
    { op: 'add', path: '/list/1', value: 9 },
    { op: 'set', path: '/state', value: 'open' },
    { op: 'replace', path: '/n', value: 5 },
    { op: 'incr', path: '/n', value: 2 },
    { op: 'remove', path: '/gone' },
    { op: 'move', from: '/old', path: '/new' },
  ] as PatchOperation[]
  const resource: unknown = (await item.patch(operations)).resource
  const own = Object.fromEntries(Object.entries(resource as object).filter(([name]) => !name.startsWith('_')))
  const expected = { id: '1', pk: 'a', n: 7, list: [1, 9, 2], state: 'open', new: 'v' }
  same(Object.entries(own).toSorted(), Object.entries(expected).toSorted())
  const close = (state: string) => ({
    condition: `from c where c.state = '${state}'`,
    operations: [{ op: 'set' as const, path: '/state', value: 'closed' }],
  })
  await refused(412, () => item.patch(close('Open')))
  await item.patch(close('open'))
  same((await item.read<{ state: string }>()).resource?.state, 'closed')
  const increment: PatchOperation = { op: 'incr', path: '/n', value: 1 }
  await refused(400, () => item.patch(Array<PatchOperation>(11).fill(increment)))
  await refused(400, () => item.patch([{ op: 'set', path: '/pk', value: 'b' }]))
  await refused(400, () => item.patch([{ op: 'replace', path: '/nothing', value: 1 }]))
  await refused(404, () => container.item('2', 'a').patch([increment]))
})

check('batch', async (shop) => {
  const container = await containerOf(shop)
  const statuses = async (operations: OperationInput[]) =>
    (await container.items.batch(operations, 'a')).result?.map(({ statusCode }) => statusCode)
  const operations: OperationInput[] = [
    { operationType: 'Create', resourceBody: { id: '1', pk: 'a', n: 1 } },
    { operationType: 'Upsert', resourceBody: { id: '2', pk: 'a' } },
    { operationType: 'Read', id: '1' },
    { operationType: 'Replace', id: '2', resourceBody: { id: '2', pk: 'a', n: 2 } },
    { operationType: 'Patch', id: '1', resourceBody: [{ op: 'incr', path: '/n', value: 5 }] as never },
    { operationType: 'Delete', id: '2' },
  ]
  same(await statuses(operations), [201, 201, 200, 200, 200, 204])
  same((await container.item('1', 'a').read<{ n: number }>()).resource?.n, 6)
  const collision: OperationInput[] = [
    { operationType: 'Create', resourceBody: { id: '3', pk: 'a' } },
    { operationType: 'Create', resourceBody: { id: '1', pk: 'a' } },
    { operationType: 'Delete', id: '1' },
  ]
  same(await statuses(collision), [424, 409, 424])
  await absent(container, '3', 'a')
  same(await statuses([{ operationType: 'Delete', id: '1', ifMatch: '"nothing"' } as OperationInput]), [412])
})

check('bulk', async (shop) => {
  const container = await containerOf(shop)
  const operations = Array.from({ length: 500 }, (_, n) => ({
    operationType: 'Create' as const,
    partitionKey: `k${n % 17}`,
    resourceBody: { id: String(n), pk: `k${n % 17}` },
  }))
  const results = await container.items.executeBulkOperations([...operations, ...operations.slice(0, 1)])
  const statuses = results.map(({ response, error }) => response?.statusCode ?? Number(error?.code))
  same(
    [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length],
    [500, 1],
  )
  same((await container.items.readAll().fetchAll()).resources.length, 500)
})

check('read-many', async (shop) => {
  const container = await containerOf(shop)
  for (let n = 0; n < 40; n += 1) await container.items.create({ id: String(n), pk: n % 7 })
  // This client has no call for many items at once; it sends reads in bulk.
  const reads = Array.from({ length: 20 }, (_, half) => ({
    operationType: 'Read' as const,
    id: String(half * 2),
    partitionKey: (half * 2) % 7,
  }))
  const results = await container.items.executeBulkOperations(reads)
  const found = results.map(({ response }) => response?.resourceBody as { id: string })
  same(
    found.map(({ id }) => id),
    reads.map(({ id }) => id),
  )
})

check('sessions', async (shop) => {
  const container = await containerOf(shop)
  const { headers, requestCharge } = await container.items.create({ id: '1', pk: 'a' })
  same(requestCharge > 0, true)
  const token = String(headers['x-ms-session-token'])
  const read = (sessionToken: string) =>
    shop
      .connected()
      .database(shop.database.id)
      .container('orders')
      .item('1', 'a')
      .read<{ id: string }>({ sessionToken, consistencyLevel: 'Session' })
  same((await read(token)).resource?.id, '1')
  // The store refuses a token that is ahead of it. The client then reads again without the token.
  const ahead = token.replace(/#(\d+)/u, (_, lsn: string) => `#${Number(lsn) + 1_000_000}`)
  same((await read(ahead)).resource?.id, '1')
})

check('time-to-live', async (shop) => {
  const container = await containerOf(shop, { defaultTtl: -1 })
  await container.items.create({ id: 'short', pk: 'a', ttl: 1 })
  await container.items.create({ id: 'long', pk: 'a' })
  const deadline = Date.now() + 10_000
  let left = 2
  while (left > 1) {
    if (Date.now() > deadline) throw new Error('the item did not expire')
    left = (await container.items.readAll().fetchAll()).resources.length
  }
  await absent(container, 'short', 'a')
})

check('delete-by-key', async (shop) => {
  const container = await containerOf(shop)
  for (let n = 0; n < 20; n += 1) await container.items.create({ id: String(n), pk: n % 2 })
  await container.deleteAllItemsForPartitionKey(1)
  same((await container.items.query('SELECT VALUE c.pk FROM c').fetchAll()).resources, Array(10).fill(0))
})
