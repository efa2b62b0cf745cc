import type { Container, OperationInput, PatchOperation } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, ordersIn, type Door } from './doors.js'

interface Order {
  readonly id: string
  readonly pk: string
  readonly total?: number
  readonly tags?: readonly string[]
}

/** Returns the error that the SDK throws. */
async function failure(
  work: Promise<unknown>,
): Promise<{ code: unknown; substatus: unknown; message: string }> {
  try {
    await work
  } catch (error) {
    return error as { code: unknown; substatus: unknown; message: string }
  }
  throw new Error('it was expected to fail')
}

describe.each(doors)('the items of a container through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open()
    container = await ordersIn(door)
  })

  it('are created, read, replaced and deleted with the service’s statuses', async () => {
    const created = await container.items.create<Order>({ id: 'o1', pk: 'a', total: 1 })
    expect(created.statusCode).toBe(201)
    expect(created.requestCharge).toBeGreaterThan(5)
    const read = await container.item('o1', 'a').read<Order>()
    expect(read.statusCode).toBe(200)
    expect(read.resource).toMatchObject({ id: 'o1', pk: 'a', total: 1, _etag: created.etag })
    const replaced = await container.item('o1', 'a').replace<Order>({ id: 'o1', pk: 'a', total: 2 })
    expect(replaced.statusCode).toBe(200)
    expect(replaced.etag).not.toBe(created.etag)
    const upserted = await container.items.upsert<Order>({ id: 'o2', pk: 'a' })
    expect(upserted.statusCode).toBe(201)
    expect((await container.items.upsert<Order>({ id: 'o2', pk: 'a' })).statusCode).toBe(200)
    const deleted = await container.item('o1', 'a').delete()
    expect(deleted.statusCode).toBe(204)
    expect((await container.item('o1', 'a').read()).statusCode).toBe(404)
  })

  it('keep awkward ids, keys and values unchanged', async () => {
    const documents = [
      { id: 'späce and % & + ü', pk: 'ключ', total: -0.5 },
      { id: 'quote"\'', pk: 'tab\t"' },
      { id: 'emoji 🦊', pk: '' },
    ]
    for (const document of documents) {
      await container.items.create(document)
      const read = await container.item(document.id, document.pk).read<Order>()
      expect(read.resource).toMatchObject(document)
    }
  })

  it('reject writes to an existing id, a missing id or an outdated etag', async () => {
    const { etag } = await container.items.create<Order>({ id: 'o1', pk: 'a' })
    expect((await failure(container.items.create({ id: 'o1', pk: 'a' }))).code).toBe(409)
    expect((await failure(container.item('no', 'a').replace({ id: 'no', pk: 'a' }))).code).toBe(404)
    await container.item('o1', 'a').replace<Order>({ id: 'o1', pk: 'a', total: 1 })
    const accessCondition = { type: 'IfMatch', condition: etag }
    const stale = container.item('o1', 'a').replace({ id: 'o1', pk: 'a', total: 2 }, { accessCondition })
    expect((await failure(stale)).code).toBe(412)
    expect((await failure(container.item('o1', 'a').delete({ accessCondition }))).code).toBe(412)
  })

  it('answer 304 to a read of the client’s own version', async () => {
    const { etag } = await container.items.create<Order>({ id: 'o1', pk: 'a' })
    const accessCondition = { type: 'IfNoneMatch', condition: etag }
    expect((await container.item('o1', 'a').read({ accessCondition })).statusCode).toBe(304)
  })

  it('reject another document’s key with 400/1001', async () => {
    await container.items.create<Order>({ id: 'o1', pk: 'a' })
    const error = await failure(container.item('o1', 'a').replace({ id: 'o1', pk: 'b' }))
    expect(error).toMatchObject({ code: 400, substatus: 1001 })
  })

  it('have different keys for values of different types', async () => {
    const byText = database(container, '/k')
    const odd = (await byText).container
    await odd.items.create({ id: 'x', k: '1' })
    await odd.items.create({ id: 'x', k: 1 })
    await odd.items.create({ id: 'x', k: null })
    await odd.items.create({ id: 'x' })
    expect((await odd.item('x', 1).read()).resource).toMatchObject({ k: 1 })
    expect((await odd.item('x', null).read()).resource).toMatchObject({ k: null })
    expect((await odd.item('x', undefined).read()).resource).not.toHaveProperty('k')
  })

  it('can be patched', async () => {
    await container.items.create<Order>({ id: 'o1', pk: 'a', total: 1, tags: ['x'] })
    const operations: PatchOperation[] = [
      { op: 'incr', path: '/total', value: 4 },
      { op: 'add', path: '/tags/-', value: 'y' },
      { op: 'set', path: '/note', value: { by: 'me' } },
    ]
    const patched = await container.item('o1', 'a').patch<Order>(operations)
    expect(patched.resource).toMatchObject({ total: 5, tags: ['x', 'y'], note: { by: 'me' } })
    const guarded = container.item('o1', 'a').patch([{ op: 'set', path: '/pk', value: 'b' }])
    expect((await failure(guarded)).code).toBe(400)
  })

  it('change together in a batch', async () => {
    const operations: OperationInput[] = [
      { operationType: 'Create', resourceBody: { id: 'o1', pk: 'a' } },
      { operationType: 'Upsert', resourceBody: { id: 'o2', pk: 'a', total: 2 } },
      { operationType: 'Read', id: 'o1' },
    ]
    const answer = await container.items.batch(operations, 'a')
    expect(answer.code).toBe(200)
    expect(answer.result?.map((one) => one.statusCode)).toEqual([201, 201, 200])
    expect(answer.result?.[0]?.eTag).toBeDefined()
  })

  it('do not change when a batch fails, and the answer shows which operation failed', async () => {
    const { etag } = await container.items.create<Order>({ id: 'o1', pk: 'a', total: 1 })
    await container.item('o1', 'a').replace<Order>({ id: 'o1', pk: 'a', total: 2 })
    const answer = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: { id: 'new', pk: 'a' } },
        { operationType: 'Replace', id: 'o1', resourceBody: { id: 'o1', pk: 'a' }, ifMatch: etag },
        { operationType: 'Create', resourceBody: { id: 'later', pk: 'a' } },
      ],
      'a',
    )
    expect(answer.code).toBe(207)
    expect(answer.result?.map((one) => one.statusCode)).toEqual([424, 412, 424])
    expect((await container.item('new', 'a').read()).statusCode).toBe(404)
    expect((await container.item('o1', 'a').read<Order>()).resource?.total).toBe(2)
  })

  it('change separately in a bulk request', async () => {
    await container.items.create<Order>({ id: 'o1', pk: 'a' })
    const results = await container.items.executeBulkOperations([
      { operationType: 'Create', partitionKey: 'a', resourceBody: { id: 'o1', pk: 'a' } },
      { operationType: 'Upsert', partitionKey: 'b', resourceBody: { id: 'o2', pk: 'b' } },
    ])
    expect(results.map((one) => one.response?.statusCode ?? one.error?.code)).toEqual([409, 201])
  })

  it('may not be larger than 2 MB (413)', async () => {
    const large = { id: 'big', pk: 'a', text: 'x'.repeat(2 * 1024 * 1024) }
    expect((await failure(container.items.create(large))).code).toBe(413)
  })

  it('answer 404 when their container is missing', async () => {
    const gone = container.database.container('gone')
    expect(await failure(gone.items.create({ id: 'o1', pk: 'a' }))).toMatchObject({ code: 404 })
    expect(await failure(gone.read())).toMatchObject({ code: 404, substatus: 1003 })
  })
})

async function database(
  container: Container,
  path: string,
): ReturnType<Container['database']['containers']['create']> {
  return container.database.containers.create({ id: 'odd', partitionKey: path })
}
