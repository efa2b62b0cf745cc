import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { doors, ordersIn, type Door } from './doors.js'

describe.each(doors)('the time in a query through the SDK, %s', (_name, open) => {
  let door: Door
  let clock: VirtualClock
  let container: Container

  beforeEach(async () => {
    clock = new VirtualClock()
    door = await open({ clock })
    container = await ordersIn(door)
    for (const id of ['a', 'b', 'c']) {
      await container.items.create({ id, pk: 'k', due: clock.now() + 1000 })
    }
  })

  const answer = async (text: string): Promise<unknown[]> =>
    (await container.items.query<unknown>(text).fetchAll()).resources

  it("is that of the emulator's clock", async () => {
    await clock.advance(12_345)
    expect(await answer('SELECT VALUE GETCURRENTTIMESTAMP()')).toEqual([clock.now()])
    expect(await answer('SELECT VALUE GETCURRENTTIMESTAMPSTATIC() FROM c WHERE c.id = "a"')).toEqual([
      clock.now(),
    ])
  })

  it('is new for a query that was asked before and not read to its end', async () => {
    const text = 'SELECT VALUE c.id FROM c WHERE c.due > GETCURRENTTIMESTAMP() ORDER BY c.id'
    const first = await container.items
      .query<string>(text, { maxItemCount: 1, partitionKey: 'k' })
      .fetchNext()
    expect(first.resources).toEqual(['a'])
    await clock.advance(1000)
    const again = await container.items
      .query<string>(text, { maxItemCount: 1, partitionKey: 'k' })
      .fetchNext()
    expect(again.resources).toEqual([])
  })

  it('is that of the emulator for databases and for the condition of a patch', async () => {
    const condition = `from c where c.due > GETCURRENTTIMESTAMP()`
    const operations = [{ op: 'set' as const, path: '/early', value: true }]
    const spec = {
      query: `SELECT VALUE GETCURRENTTIMESTAMP() FROM c WHERE c._ts <= GETCURRENTTIMESTAMP() / 1000`,
    }
    await container.item('a', 'k').patch({ condition, operations })
    await clock.advance(1000)
    await expect(container.item('b', 'k').patch({ condition, operations })).rejects.toMatchObject({
      code: 412,
    })
    expect((await door.client().databases.query<unknown>(spec).fetchAll()).resources).toEqual([clock.now()])
  })

  it('finds a document by the number in its rid', async () => {
    const [first] = await answer('SELECT VALUE DOCUMENTID(c) FROM c WHERE c.id = "a"')
    expect(first).toBe(1)
    expect(await answer('SELECT VALUE c.id FROM c WHERE DOCUMENTID(c) BETWEEN 2 AND 3')).toEqual(['b', 'c'])
  })
})
