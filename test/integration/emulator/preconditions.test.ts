import type { Container, RequestOptions } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, ordersIn, type Door } from './doors.js'

interface Order {
  readonly id: string
  readonly pk: string
  readonly total?: number
}

const order: Order = { id: 'o1', pk: 'a', total: 2 }

type Act = (container: Container, options: RequestOptions) => Promise<{ statusCode: number }>

/** Each operation on the document `o1`, with the status of its success. */
const acts: readonly (readonly [string, number, Act])[] = [
  ['read', 200, (container, options) => container.item('o1', 'a').read(options)],
  ['upsert', 200, (container, options) => container.items.upsert(order, options)],
  ['replace', 200, (container, options) => container.item('o1', 'a').replace(order, options)],
  [
    'patch',
    200,
    (container, options) =>
      container.item('o1', 'a').patch([{ op: 'set', path: '/total', value: 2 }], options),
  ],
  ['delete', 204, (container, options) => container.item('o1', 'a').delete(options)],
]

function onlyIf(type: 'IfMatch' | 'IfNoneMatch', condition: string): RequestOptions {
  return { accessCondition: { type, condition } }
}

/** Returns the status, whether the SDK returns or throws it. */
async function statusOf(work: Promise<{ statusCode: number }>): Promise<unknown> {
  try {
    return (await work).statusCode
  } catch (error) {
    return (error as { code: unknown }).code
  }
}

function nested(levels: number): unknown {
  let value: unknown = 'inside'
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value }
  return value
}

describe.each(doors)('the store’s preconditions and limits through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open()
    container = await ordersIn(door)
  })

  /** Creates `o1`, and returns its old and its current etag. */
  async function etags(): Promise<{ readonly old: string; readonly own: string }> {
    const { etag: old } = await container.items.create<Order>({ id: 'o1', pk: 'a' })
    const { etag: own } = await container.items.upsert<Order>({ id: 'o1', pk: 'a', total: 1 })
    return { old, own }
  }

  it.each(acts)('include If-Match on %s', async (_act, status, act) => {
    const { old, own } = await etags()
    expect(await statusOf(act(container, onlyIf('IfMatch', old)))).toBe(412)
    expect((await container.item('o1', 'a').read<Order>()).resource?.total).toBe(1)
    expect(await statusOf(act(container, onlyIf('IfMatch', own)))).toBe(status)
  })

  it.each(acts)('include If-Match: * on %s, which any version satisfies', async (_act, status, act) => {
    await etags()
    expect(await statusOf(act(container, onlyIf('IfMatch', '*')))).toBe(status)
  })

  it.each(acts)('include If-None-Match on %s', async (name, status, act) => {
    const { old, own } = await etags()
    const unchanged = name === 'read' ? 304 : 412
    expect(await statusOf(act(container, onlyIf('IfNoneMatch', own)))).toBe(unchanged)
    expect(await statusOf(act(container, onlyIf('IfNoneMatch', '*')))).toBe(unchanged)
    expect(await statusOf(act(container, onlyIf('IfNoneMatch', old)))).toBe(status)
  })

  it('answer 404, not 412, if the document does not exist', async () => {
    for (const [, , act] of acts.filter(([name]) => name !== 'upsert')) {
      expect(await statusOf(act(container, onlyIf('IfMatch', '"0"')))).toBe(404)
    }
    const created = await container.items.upsert(order, onlyIf('IfNoneMatch', '*'))
    expect(created.statusCode).toBe(201)
  })

  it('allow an answer without the document, but with its etag', async () => {
    const options: RequestOptions = { initialHeaders: { prefer: 'return=minimal' } }
    // The SDK’s own create and upsert need the body, except in a batch.
    await container.items.create(order)
    const answers = [
      await container.item('o1', 'a').replace(order, options),
      await container.item('o1', 'a').patch([{ op: 'incr', path: '/total', value: 1 }], options),
    ]
    for (const { resource, etag } of answers) {
      expect(resource ?? null).toBeNull()
      expect(etag).toMatch(/^".+"$/u)
    }
    const read = await container.item('o1', 'a').read<Order>(options)
    expect(read.resource?.total).toBe(3)
    expect(read.etag).toBe(answers.at(-1)?.etag)
  })

  it('allow ids of every legal character', async () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    const legal = printable.filter((character) => !'/\\?#'.includes(character)).join('')
    const ids = [
      legal.trimStart(),
      ` ${legal.trim()}`,
      '%41',
      'a%2Fb',
      '...',
      'é\u{1f98a}',
      'x'.repeat(1_023),
    ]
    for (const id of ids) {
      await container.items.create<Order>({ id, pk: 'a' })
      expect((await container.item(id, 'a').read<Order>()).resource?.id).toBe(id)
      expect((await container.item(id, 'a').delete()).statusCode).toBe(204)
    }
  })

  it.each([
    ['1,024 bytes in 512 characters', 'é'.repeat(512)],
    ['1,024 characters', 'x'.repeat(1_024)],
  ])('reject an id with %s', async (_what, id) => {
    await expect(container.items.create({ id, pk: 'a' })).rejects.toMatchObject({ code: 400 })
  })

  it('reject names of databases and containers of more than 255 characters', async () => {
    const { databases } = door.client()
    expect((await databases.create({ id: 'd'.repeat(255) })).statusCode).toBe(201)
    await expect(databases.create({ id: 'd'.repeat(256) })).rejects.toMatchObject({ code: 400 })
    const { containers } = container.database
    await expect(containers.create({ id: 'c'.repeat(256) })).rejects.toMatchObject({ code: 400 })
  })

  it('allow 128 levels within a document and no more', async () => {
    const deepest = { id: 'deep', pk: 'a', value: nested(128) }
    expect((await container.items.upsert(deepest)).statusCode).toBe(201)
    for (const levels of [129, 500]) {
      const deeper = { id: 'deeper', pk: 'a', value: nested(levels) }
      await expect(container.items.upsert(deeper)).rejects.toMatchObject({ code: 400 })
    }
  })
})
