import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { doors, type Door } from './doors.js'

/** A text that costs more than a second allows. */
const large = 'x'.repeat(100_000)

describe.each(doors)('enforced throughput through the SDK, %s', (_name, open) => {
  let clock: VirtualClock
  let door: Door

  beforeEach(async () => {
    clock = new VirtualClock()
    door = await open({ clock, enforceThroughput: true, partitionCount: 2 })
  })

  /** Creates a container through a client that does not retry. */
  async function create(throughput: number, id = 'c'): Promise<Container> {
    const retryOptions = {
      maxRetryAttemptCount: 0,
      fixedRetryIntervalInMilliseconds: 1,
      maxWaitTimeInSeconds: 1,
    }
    const client = door.client({ connectionPolicy: { retryOptions } })
    const { database } = await client.databases.createIfNotExists({ id: 'shop' })
    return (await database.containers.create({ id, partitionKey: '/pk', throughput })).container
  }

  /** Writes until the store refuses, and returns the request units that were spent. */
  async function spendAll(container: Container, pk: string): Promise<number> {
    let spent = 0
    while (true) {
      try {
        const { requestCharge } = await container.items.upsert({ id: 'x', pk })
        spent += requestCharge
      } catch (error) {
        expect(error).toMatchObject({ code: 429, substatus: 3200 })
        return spent
      }
    }
  }

  it('allows the configured request units in each second', async () => {
    const container = await create(400)
    const dearest = 20
    for (let second = 0; second < 3; second += 1) {
      const spent = await spendAll(container, 'a')
      expect(spent).toBeGreaterThan(400 - dearest)
      expect(spent).toBeLessThan(400 + dearest)
      await clock.advance(1_000)
    }
  })

  it('refuses with the exact time after which a retry succeeds', async () => {
    const container = await create(400)
    await clock.advance(300)
    await container.items.create({ id: 'big', pk: 'a', large: large.repeat(5) })
    const refused = await container
      .item('big', 'a')
      .read()
      .then(
        () => 0,
        (error: unknown) => (error as { retryAfterInMs: number }).retryAfterInMs,
      )
    expect(refused).toBe(700)
    await clock.advance(699)
    await expect(container.item('big', 'a').read()).rejects.toMatchObject({ code: 429 })
    await clock.advance(1)
    expect((await container.item('big', 'a').read()).statusCode).toBe(200)
  })

  it('charges excess request units to the following seconds', async () => {
    const container = await create(400)
    await container.items.create({ id: 'big', pk: 'a', large: large.repeat(10) })
    await clock.advance(1_000)
    await expect(container.item('big', 'a').read()).rejects.toMatchObject({ code: 429 })
  })

  it('limits each physical partition separately', async () => {
    const container = await create(12_000)
    const engineContainer = door.engine.container('shop', 'c')
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`)
    const [left, right] = ['0', '1'].map((id) =>
      keys.find((key) => engineContainer.locate([key]).partition.id === id),
    )
    await container.items.create({ id: 'big', pk: left, large: large.repeat(19) })
    await container.items.upsert({ id: 'big', pk: left, large: large.repeat(19) })
    await container.items.upsert({ id: 'big', pk: left, large: large.repeat(19) })
    await expect(container.items.upsert({ id: 'x', pk: left })).rejects.toMatchObject({ code: 429 })
    expect((await container.items.upsert({ id: 'x', pk: right })).statusCode).toBe(201)
  })

  it('changes nothing when it refuses, and does not affect other containers', async () => {
    const [one, other] = [await create(400, 'one'), await create(400, 'other')]
    await spendAll(one, 'a')
    await expect(one.items.create({ id: 'late', pk: 'a' })).rejects.toMatchObject({ code: 429 })
    await other.items.create({ id: 'x', pk: 'a' })
    await clock.advance(1_000)
    expect((await one.item('late', 'a').read()).statusCode).toBe(404)
  })

  it('counts every request except one that gets a plan', async () => {
    const container = await create(400)
    await spendAll(container, 'a')
    const initialHeaders = { 'x-ms-cosmos-is-query-plan-request': 'True' }
    await expect(container.item('x', 'a').read({ initialHeaders })).rejects.toMatchObject({ code: 429 })
    await expect(container.item('x', 'a').delete({ initialHeaders })).rejects.toMatchObject({ code: 429 })
    const batch = [{ operationType: 'Read', id: 'x' } as const]
    await expect(container.items.batch(batch, 'a', { initialHeaders })).rejects.toThrow(/rate is large/u)
    const plan = await container.getQueryPlan('SELECT * FROM c')
    expect(plan.code).toBe(200)
  })

  it('counts refused requests by the charge in their answers', async () => {
    const container = await create(400)
    await container.items.create({ id: 'x', pk: 'a' })
    const codes = new Set<unknown>()
    for (let count = 0; count < 400; count += 1) {
      const error: unknown = await container.items
        .create({ id: 'x', pk: 'a' })
        .catch((refused: unknown) => refused)
      codes.add((error as { readonly code: unknown }).code)
    }
    expect([...codes]).toEqual([409, 429])
  })

  it('allows more as soon as the offer is raised', async () => {
    const container = await create(400)
    await spendAll(container, 'a')
    const { resource, offer } = await container.readOffer()
    await offer.replace({ ...resource, content: { offerThroughput: 1_000 } } as never)
    expect(await spendAll(container, 'a')).toBeGreaterThan(560)
  })
})
