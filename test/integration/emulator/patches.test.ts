import type { Container, PatchOperation, PatchRequestBody } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, ordersIn, type Door } from './doors.js'

interface Order {
  readonly id: string
  readonly pk: string
  readonly total?: number
  readonly note?: string
}

describe.each(doors)('a patch through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open()
    container = await ordersIn(door)
    await container.items.create({ id: 'o1', pk: 'a', total: 1, tags: ['x', 'y'], old: true })
  })

  const patched = (body: PatchRequestBody): Promise<{ statusCode: number; resource?: Order | undefined }> =>
    container.item('o1', 'a').patch<Order>(body)

  it('applies every kind of operation in order', async () => {
    const { statusCode, resource } = await patched([
      { op: 'add', path: '/tags/1', value: 'between' },
      { op: 'add', path: '/tags/-', value: 'last' },
      { op: 'set', path: '/inner', value: {} },
      { op: 'set', path: '/inner/deep', value: [1] },
      { op: 'replace', path: '/tags/0', value: 'first' },
      { op: 'remove', path: '/old' },
      { op: 'incr', path: '/total', value: -3 },
      { op: 'incr', path: '/count', value: 2 },
      { op: 'move', from: '/inner/deep', path: '/moved' },
    ] as PatchOperation[])
    expect(statusCode).toBe(200)
    expect(resource).toMatchObject({
      total: -2,
      count: 2,
      tags: ['first', 'between', 'y', 'last'],
      inner: {},
      moved: [1],
    })
    expect(resource).not.toHaveProperty('old')
  })

  it('applies nothing if one operation fails', async () => {
    const operations: PatchOperation[] = [
      { op: 'set', path: '/total', value: 9 },
      { op: 'remove', path: '/none' },
    ]
    await expect(patched(operations)).rejects.toMatchObject({ code: 400 })
    expect((await container.item('o1', 'a').read<Order>()).resource?.total).toBe(1)
  })

  it('is refused if its condition is not met', async () => {
    const operations: PatchOperation[] = [{ op: 'set', path: '/note', value: 'paid' }]
    const refused = patched({ condition: 'from c where c.total > 5', operations })
    await expect(refused).rejects.toMatchObject({ code: 412 })
    const undefinedIsNotTrue = patched({ condition: 'FROM c WHERE c.none = 1', operations })
    await expect(undefinedIsNotTrue).rejects.toMatchObject({ code: 412 })
    const met = await patched({ condition: "from c where c.total = 1 and c.pk = 'a'", operations })
    expect(met.resource?.note).toBe('paid')
  })

  it.each(['where', 'from c order by c.total', 'from c where c.total >', 'select * from c'])(
    'is rejected with the condition "%s"',
    async (condition) => {
      const operations: PatchOperation[] = [{ op: 'set', path: '/note', value: 'paid' }]
      await expect(patched({ condition, operations })).rejects.toMatchObject({ code: 400 })
    },
  )

  it('may have ten operations, but not eleven', async () => {
    const many = (count: number): PatchOperation[] =>
      Array.from({ length: count }, () => ({ op: 'incr', path: '/total', value: 1 }))
    expect((await patched(many(10))).resource?.total).toBe(11)
    await expect(patched(many(11))).rejects.toMatchObject({ code: 400 })
  })

  it('works in batches and bulk requests, which attribute each failure to its operation', async () => {
    const operations: PatchOperation[] = [{ op: 'incr', path: '/total', value: 1 }]
    const patch = (
      resourceBody: PatchRequestBody,
    ): { operationType: 'Patch'; id: string; resourceBody: typeof resourceBody } => ({
      operationType: 'Patch',
      id: 'o1',
      resourceBody,
    })
    const met = { condition: 'from c where c.total < 3', operations }
    const batch = await container.items.batch([patch(operations), patch(met)], 'a')
    expect(batch.result?.map((one) => one.statusCode)).toEqual([200, 200])
    const rolledBack = await container.items.batch([patch(operations), patch(met)], 'a')
    expect(rolledBack.result?.map((one) => one.statusCode)).toEqual([424, 412])
    const bulk = await container.items.executeBulkOperations([
      { ...patch({ condition: 'from c where', operations }), partitionKey: 'a' },
      { ...patch([{ op: 'set', path: '/pk', value: 'b' }]), partitionKey: 'a' },
      { ...patch(operations), partitionKey: 'a' },
    ])
    expect(bulk.map((one) => one.response?.statusCode ?? one.error?.code)).toEqual([400, 400, 200])
    expect((await container.item('o1', 'a').read<Order>()).resource?.total).toBe(4)
  })
})
