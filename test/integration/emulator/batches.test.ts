import type { Container, OperationInput } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, ordersIn, type Door } from './doors.js'

interface Order {
  readonly id: string
  readonly pk: string
  readonly text?: string
}

function createOf(id: string, pk: string, text?: string): OperationInput & { partitionKey: string } {
  const resourceBody = { id, pk, ...(text === undefined ? {} : { text }) }
  return { operationType: 'Create', partitionKey: pk, resourceBody }
}

function patchOf(path: string): OperationInput {
  return { operationType: 'Patch', id: 'o1', resourceBody: { operations: [{ op: 'set', path, value: 1 }] } }
}

const elevenSteps = Array.from({ length: 11 }, () => ({ op: 'set' as const, path: '/text', value: 'x' }))

interface OlderItems {
  bulk(operations: OperationInput[], options: object): Promise<{ readonly statusCode: number }[]>
}

/** Deprecated, but code for version 3 calls it, and its requests differ from those of its successor. */
function olderBulk(
  { items }: Container,
  operations: OperationInput[],
  options: { readonly continueOnError?: boolean } = {},
): Promise<{ readonly statusCode: number }[]> {
  const older = items as unknown as OlderItems
  return older.bulk(operations, options)
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}

describe.each(doors)('a batch through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open()
    container = await ordersIn(door)
  })

  async function batch(...operations: OperationInput[]): Promise<readonly (readonly [number, boolean])[]> {
    const { result = [] } = await container.items.batch(operations, 'a')
    return result.map((one) => [one.statusCode, one.resourceBody !== undefined])
  }

  it('takes 100 operations', async () => {
    const most = await batch(...range(100).map((index) => createOf(`o${index}`, 'a')))
    expect(most.map(([status]) => status)).toEqual(range(100).map(() => 201))
    expect(door.stats().documents).toBe(100)
  })

  it('takes 2 MB and no more', async () => {
    const text = 'x'.repeat(700_000)
    expect(await batch(createOf('o1', 'a', text), createOf('o2', 'a', text))).toHaveLength(2)
    const tooLarge = ['p1', 'p2', 'p3'].map((id) => createOf(id, 'a', text))
    await expect(batch(...tooLarge)).rejects.toThrow('the limit is 2097152')
  })

  it('is rejected if it contains a document of another partition key', async () => {
    const answers = await container.items.batch([createOf('o1', 'a'), createOf('o2', 'b')], 'a')
    expect(answers.code).toBe(207)
    expect(answers.result?.map((one) => one.statusCode)).toEqual([424, 400])
    expect(JSON.stringify(answers.result?.[1])).toContain('1001')
    expect(door.stats().documents).toBe(0)
  })

  it.each<[string, OperationInput]>([
    ['a patch of eleven', { operationType: 'Patch', id: 'o1', resourceBody: { operations: elevenSteps } }],
    ['a patch of the key', patchOf('/pk')],
    ['a patch of the id', patchOf('/id')],
    ['an illegal id', { operationType: 'Upsert', resourceBody: { id: 'a#b', pk: 'a' } }],
    ['a replace of another id', { operationType: 'Replace', id: 'o1', resourceBody: { id: 'o9', pk: 'a' } }],
  ])('fails as a whole if one operation is invalid by itself: %s', async (_wrong, operation) => {
    await container.items.create<Order>({ id: 'o1', pk: 'a' })
    const { code, result } = await container.items.batch(
      [createOf('o2', 'a'), operation, createOf('o3', 'a')],
      'a',
    )
    expect(code).toBe(207)
    expect(result?.map((one) => one.statusCode)).toEqual([424, 400, 424])
    expect(door.stats().documents).toBe(1)
  })

  it('checks etags, and shows each operation the effects of earlier ones', async () => {
    const { etag } = await container.items.create<Order>({ id: 'o1', pk: 'a' })
    const replace: OperationInput = {
      operationType: 'Replace',
      id: 'o1',
      ifMatch: etag,
      resourceBody: { id: 'o1', pk: 'a', text: 'new' },
    }
    expect(
      await batch(replace, { operationType: 'Read', id: 'o1' }, { operationType: 'Delete', id: 'o1' }),
    ).toEqual([
      [200, true],
      [200, true],
      [204, false],
    ])
    expect((await batch(replace)).map(([status]) => status)).toEqual([404])
    await container.items.create<Order>({ id: 'o1', pk: 'a' })
    expect((await batch(createOf('o2', 'a'), replace)).map(([status]) => status)).toEqual([424, 412])
  })

  it('leaves documents out of the answer on request', async () => {
    const options = { contentResponseOnWriteEnabled: false }
    const { result } = await container.items.batch([createOf('o1', 'a')], 'a', options)
    expect(result?.[0]).toMatchObject({ statusCode: 201 })
    expect(result?.[0]?.resourceBody).toBeUndefined()
    expect(result?.[0]?.eTag).toBeDefined()
  })
})

describe.each(doors)('a bulk request through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open({ partitionCount: 3 })
    container = await ordersIn(door)
  })

  async function execute(operations: readonly OperationInput[]): Promise<unknown[]> {
    const results = await container.items.executeBulkOperations([...operations] as never)
    return results.map((one) => one.response?.statusCode ?? one.error?.code)
  }

  function splitAll(): void {
    const orders = door.engine.container('shop', 'orders')
    for (const { id } of orders.partitions) orders.splitPartition(id)
  }

  it('spreads hundreds of operations over ranges, and answers in their order', async () => {
    const creates = range(250).map((index) => createOf(`o${index}`, `key ${index % 40}`))
    expect(await execute(creates)).toEqual(creates.map(() => 201))
    expect(await execute(creates.slice(0, 3))).toEqual([409, 409, 409])
    const others: OperationInput[] = [
      { operationType: 'Read', id: 'o7', partitionKey: 'key 7' },
      { operationType: 'Replace', id: 'o8', partitionKey: 'key 8', resourceBody: { id: 'o8', pk: 'key 8' } },
      { operationType: 'Delete', id: 'o9', partitionKey: 'key 9' },
      { operationType: 'Read', id: 'o9', partitionKey: 'key 9' },
      { operationType: 'Upsert', partitionKey: 'x', resourceBody: { id: 'new', pk: 'x' } },
    ]
    expect(await execute(others)).toEqual([200, 200, 204, 404, 201])
    expect(door.stats().documents).toBe(250)
  })

  it('continues after a split, because the store refuses stale ranges', async () => {
    const keys = range(30).map((index) => `key ${index}`)
    expect(await execute(keys.map((pk) => createOf('before', pk)))).toEqual(keys.map(() => 201))
    splitAll()
    expect(await execute(keys.map((pk) => createOf('after', pk)))).toEqual(keys.map(() => 201))
    expect(door.engine.container('shop', 'orders').partitions).toHaveLength(6)
    expect(door.stats()).toMatchObject({ documents: 60 })
    expect(door.stats().refusals).toBeGreaterThan(0)
  })

  it('works in its older form before and after a split', async () => {
    const keys = range(20).map((index) => `key ${index}`)
    const before = await olderBulk(
      container,
      keys.map((pk) => createOf('before', pk)),
    )
    expect(before.map((one) => one.statusCode)).toEqual(keys.map(() => 201))
    splitAll()
    const after = await olderBulk(
      container,
      keys.map((pk) => createOf('after', pk)),
    )
    expect(after.map((one) => one.statusCode)).toEqual(keys.map(() => 201))
    expect(door.stats().documents).toBe(40)
  })

  it('stops at the first failure, unless asked to continue', async () => {
    const operations = [createOf('o1', 'a'), createOf('o1', 'a'), createOf('o2', 'a')]
    const stopped = await olderBulk(container, [...operations], { continueOnError: false })
    expect(stopped.map((one) => one.statusCode)).toEqual([201, 409, 424])
    const continued = await olderBulk(container, [...operations], { continueOnError: true })
    expect(continued.map((one) => one.statusCode)).toEqual([409, 409, 201])
  })

  it('makes the client ask again for documents that did not fit into one answer', async () => {
    const ids = range(6).map((index) => `large ${index}`)
    const text = 'x'.repeat(1_000_000)
    for (const id of ids) await container.items.create<Order>({ id, pk: 'a', text })
    const reads = ids.map((id): OperationInput => ({ operationType: 'Read', id, partitionKey: 'a' }))
    expect(await execute(reads)).toEqual(ids.map(() => 200))
    const inOneRequest = await olderBulk(container, [...reads], { continueOnError: true })
    expect(inOneRequest.map((one) => one.statusCode)).toEqual([200, 200, 200, 200, 413, 413])
  })
})
