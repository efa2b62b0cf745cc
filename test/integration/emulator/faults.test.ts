import { createHmac } from 'node:crypto'
import type { Container } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { cosmosErrorKind } from '../../../lease-store/internal.js'
import type { Emulator, FaultOptions } from '../../../src/emulator/index.js'
import { systemClock, type Clock } from '../../../src/platform/index.js'
import { deferred } from '../../support/deferred.js'
import { anEmulator, type Door, doors, ordersIn } from './doors.js'

interface Failure {
  readonly code: number | string
  readonly substatus?: number
  readonly headers: Readonly<Record<string, string>>
}

describe.each(doors)('a fault that the SDK meets %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open()
    container = await ordersIn(door)
    await container.items.create({ id: 'first', pk: 'a', count: 1 })
  })

  /** The error of a request that is expected to fail. */
  async function failureOf(request: Promise<unknown>): Promise<Failure> {
    return request.then(
      () => {
        throw new Error('it was expected to fail')
      },
      (error: unknown) => error as Failure,
    )
  }

  const stored = (): number => door.engine.container('shop', 'orders').documentCount

  it.each([
    [{ status: 408 }, 'unknownOutcome'],
    [{ status: 449 }, 'retryWith'],
    [{ status: 503 }, 'unknownOutcome'],
    [{ status: 410, substatus: 1002 }, 'gone'],
    [{ status: 403 }, 'forbidden'],
    [{ status: 500 }, 'unknownOutcome'],
    [{ reset: true }, 'unknownOutcome'],
  ] as readonly (readonly [FaultOptions, string])[])(
    'answers one write with %o and does not apply it',
    async (options, kind) => {
      door.faults.add({ match: { operation: 'create' }, times: 1, ...options })
      const failure = await failureOf(container.items.create({ id: 'second', pk: 'a' }))
      expect(cosmosErrorKind(failure, 'write').kind).toBe(kind)
      expect(failure.code).toBe(options.reset === true ? 'ECONNRESET' : options.status)
      if (options.substatus !== undefined) expect(failure.substatus).toBe(options.substatus)
      expect(stored()).toBe(1)
      await container.items.create({ id: 'second', pk: 'a' })
      expect(stored()).toBe(2)
    },
  )

  it.each([[{ status: 503 }], [{ status: 408 }], [{ reset: true }]] as const)(
    'loses the answer of a write that is applied, with %o',
    async (options) => {
      const fault = door.faults.add({
        match: { operation: 'create' },
        times: 1,
        afterApply: true,
        ...options,
      })
      const failure = await failureOf(container.items.create({ id: 'second', pk: 'a' }))
      expect(cosmosErrorKind(failure, 'write').kind).toBe('unknownOutcome')
      expect((await container.item('second', 'a').read()).resource).toMatchObject({ id: 'second' })
      expect(fault.fired).toBe(1)
    },
  )

  it('throttles as the service does, and the SDK tries again if its policy allows it', async () => {
    const once = door.faults.add({ match: { operation: 'read' }, status: 429, retryAfter: 1, times: 2 })
    const { resource, headers } = await container.item('first', 'a').read<{ count: number }>()
    expect(resource?.count).toBe(1)
    expect(once.fired).toBe(2)
    expect(headers).toMatchObject({ 'x-ms-throttle-retry-count': 2, 'x-ms-throttle-retry-wait-time-ms': 2 })

    const impatient = door.client({
      connectionPolicy: {
        retryOptions: {
          maxRetryAttemptCount: 0,
          fixedRetryIntervalInMilliseconds: 0,
          maxWaitTimeInSeconds: 0,
        },
      },
    })
    door.faults.add({ match: { operation: 'read' }, status: 429, retryAfter: '77ms' })
    const item = impatient.database('shop').container('orders').item('first', 'a')
    const failure = await failureOf(item.read())
    expect(cosmosErrorKind(failure)).toEqual({ kind: 'throttled', retryAfterMs: 77 })
    expect(failure.substatus).toBe(3200)
    expect(failure.headers['x-ms-request-charge']).toBe('0')
  })

  it('reports a lost session as the service does, and the SDK reads again', async () => {
    const fault = door.faults.add({
      match: { operation: 'read' },
      status: 404,
      substatus: 1002,
      times: 1,
    })
    const { resource } = await container.item('first', 'a').read<{ id: string }>()
    expect(resource?.id).toBe('first')
    expect(fault.fired).toBe(1)
  })

  it('cuts the connection of a read, and the SDK reads again', async () => {
    const fault = door.faults.add({ match: { operation: 'read' }, reset: true, times: 1 })
    const { diagnostics, resource } = await container.item('first', 'a').read<{ id: string }>()
    expect(resource?.id).toBe('first')
    expect(fault.fired).toBe(1)
    expect(
      diagnostics.clientSideRequestStatistics.gatewayStatistics.map(({ statusCode }) => statusCode),
    ).toContain(200)
  })

  it('affects only requests that it matches', async () => {
    await container.items.create({ id: 'second', pk: 'a' })
    const refused = { status: 410, substatus: 1002 }
    const none = [
      door.faults.add({ match: { operation: 'read', container: 'other' }, ...refused }),
      door.faults.add({ match: { operation: 'read', id: 'second' }, ...refused }),
      door.faults.add({ match: { operation: ['replace', 'patch'] }, ...refused }),
      door.faults.add({ match: { partitionKey: 'b' }, ...refused }),
      door.faults.add({ match: ({ ids }) => ids.includes('third'), ...refused }),
    ]
    const item = container.item('first', 'a')
    await item.read()
    expect(none.map(({ fired }) => fired)).toEqual([0, 0, 0, 0, 0])
    const [, byId, byOperation, byKey, byPredicate] = none
    await failureOf(container.item('second', 'a').read())
    await failureOf(item.patch([{ op: 'incr', path: '/count', value: 1 }]))
    await failureOf(container.item('first', 'b').read())
    const batch = [{ operationType: 'Create' as const, resourceBody: { id: 'third', pk: 'a' } }]
    await failureOf(container.items.batch(batch, 'a'))
    expect([byId, byOperation, byKey, byPredicate].map((fault) => fault?.fired)).toEqual([1, 1, 1, 1])
  })

  it('distinguishes the operations of the SDK', async () => {
    const seen: string[] = []
    door.faults.add({ match: ({ operation }) => seen.push(operation) < 0, status: 503 })
    const item = container.item('first', 'a')
    const { resource } = await item.read<{ id: string }>()
    await container.items.upsert({ id: 'u', pk: 'a' })
    await item.replace({ ...resource, id: 'first', pk: 'a' })
    await item.patch([{ op: 'set', path: '/x', value: 1 }])
    await item.delete()
    await container.items.query('SELECT * FROM c', { partitionKey: 'a' }).fetchAll()
    await container.items.getChangeFeedIterator({ maxItemCount: 1 }).readNext()
    await container.items.executeBulkOperations([
      { operationType: 'Create', partitionKey: 'a', resourceBody: { id: 'bulk', pk: 'a' } },
    ])
    const expected = 'read,upsert,replace,patch,delete,query,changeFeed,bulk,pkranges,container'
    for (const operation of expected.split(',')) expect(seen).toContain(operation)
    expect(seen).not.toContain('other')
  })

  it('with a probability affects the same requests for the same seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const fault = door.faults.add({ match: { operation: 'read' }, status: 410, probability: 0.5, seed })
      let outcomes = ''
      for (let index = 0; index < 20; index += 1) {
        outcomes += await container
          .item('first', 'a')
          .read()
          .then(
            () => '.',
            () => 'x',
          )
      }
      door.faults.remove(fault)
      return outcomes
    }
    const first = await run(7)
    expect(first).toMatch(/x/u)
    expect(first).toMatch(/\./u)
    expect(await run(7)).toBe(first)
    expect(await run(8)).not.toBe(first)
  })

  it('is listed until it is removed', async () => {
    const [one, two] = [door.faults.add({ status: 503 }), door.faults.add({ delay: 1 })]
    expect(door.faults.list()).toEqual([one, two])
    door.faults.remove(one)
    door.faults.remove(one.id)
    expect(door.faults.list()).toEqual([two])
    door.faults.clear()
    expect(door.faults.list()).toEqual([])
    await container.item('first', 'a').read()
    expect(one.fired + two.fired).toBe(0)
  })

  it('is counted, and so is the charge of a request that is applied', async () => {
    const before = door.stats()
    const match = { operation: 'upsert' } as const
    door.faults.add({ match, status: 503, times: 1, afterApply: true })
    door.faults.add({ match, status: 503, times: 1 })
    await failureOf(container.items.upsert({ id: 'second', pk: 'a' }))
    const between = door.stats()
    expect(between).toMatchObject({ faults: 1, requests: before.requests + 1, refusals: before.refusals })
    expect(between.charge - before.charge).toBeGreaterThan(5)
    await failureOf(container.items.upsert({ id: 'third', pk: 'a' }))
    expect(door.stats()).toMatchObject({ faults: 2, requests: before.requests + 2, charge: between.charge })
  })

  it('with invalid options is refused, and the error names every problem', () => {
    const add = (options: unknown) => () => door.faults.add(options as FaultOptions)
    expect(add({})).toThrow('needs one of status, reset and delay')
    expect(add({ status: 200, times: 0, colour: 'red', match: { operation: 'dance', verb: 1 } })).toThrow(
      /colour is not an option.*match\.verb is not an option.*match\.operation is "dance".*/u,
    )
    expect(add({ status: 503, reset: true })).toThrow('exclude each other')
    expect(add({ status: 503, seed: 1 })).toThrow('seed needs a probability')
    expect(door.faults.list()).toEqual([])
  })
})

/** The system's clock, except that a sleep lasts until `wake` or its signal. */
function sleepyClock(): Clock & { readonly asleep: Promise<number>; wake(): void } {
  const asleep = deferred<number>()
  const woken = deferred()
  return {
    ...systemClock,
    sleep: (ms, signal) => {
      asleep.resolve(ms)
      signal?.addEventListener('abort', () => {
        woken.resolve()
      })
      return woken.promise
    },
    asleep: asleep.promise,
    wake: () => {
      woken.resolve()
    },
  }
}

describe.each(doors)('a delay that the SDK meets %s', (_name, open) => {
  async function delayed(options: Partial<FaultOptions>, clock: Clock): Promise<[Door, Container]> {
    const door = await open({ clock })
    const container = await ordersIn(door)
    door.faults.add({ match: { operation: 'create' }, delay: '1m', ...options })
    return [door, container]
  }

  it.each([
    [false, 0],
    [true, 1],
  ])('holds a request back by the clock of the account; afterApply: %s', async (afterApply, during) => {
    const clock = sleepyClock()
    const [door, container] = await delayed({ afterApply }, clock)
    const creating = container.items.create({ id: 'first', pk: 'a' })
    expect(await clock.asleep).toBe(60_000)
    expect(door.stats().documents).toBe(during)
    clock.wake()
    expect((await creating).statusCode).toBe(201)
    expect(door.stats().documents).toBe(1)
  })

  it('does not keep the client from giving up', async () => {
    const clock = sleepyClock()
    const [door, container] = await delayed({ afterApply: true }, clock)
    const controller = new AbortController()
    const creating = container.items.create({ id: 'first', pk: 'a' }, { abortSignal: controller.signal })
    await clock.asleep
    controller.abort()
    await expect(creating).rejects.toMatchObject({ name: 'AbortError' })
    expect(door.stats().documents).toBe(1)
  })

  it('ends when the account closes', async () => {
    const clock = sleepyClock()
    const [door, container] = await delayed({}, clock)
    const creating = container.items.create({ id: 'first', pk: 'a' })
    await clock.asleep
    await door.close()
    expect((await creating).statusCode).toBe(201)
  })
})

describe('the admin route for faults', () => {
  let emulator: Emulator

  beforeEach(async () => {
    emulator = await anEmulator()
  })

  async function admin(method: string, body?: unknown, query = '', key = emulator.key): Promise<Response> {
    const date = new Date().toUTCString().toLowerCase()
    const text = `${method.toLowerCase()}\n_stepward\n_stepward/faults\n${date}\n\n`
    const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
    return fetch(`${emulator.endpoint}_stepward/faults${query}`, {
      method,
      headers: {
        'x-ms-date': date,
        authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  it('adds, lists and removes faults, which never affect the route itself', async () => {
    const added = await admin('POST', { status: 403, match: { operation: 'database' } })
    expect(added.status).toBe(201)
    const { id } = (await added.json()) as { id: string }
    await expect(emulator.client().databases.create({ id: 'shop' })).rejects.toMatchObject({ code: 403 })
    await admin('POST', { status: 503 })
    expect(await (await admin('GET')).json()).toMatchObject({
      Faults: [{ id, status: 403, match: { operation: 'database' }, fired: 1 }, { status: 503 }],
    })
    expect((await admin('DELETE', undefined, `?id=${id}`)).status).toBe(204)
    expect(emulator.faults.list().map(({ options }) => options.status)).toEqual([503])
    expect((await admin('DELETE')).status).toBe(204)
    expect(emulator.faults.list()).toEqual([])
  })

  it('requires the key of the account, and valid options', async () => {
    const other = Buffer.from('another key').toString('base64')
    expect((await admin('POST', { status: 503 }, '', other)).status).toBe(401)
    const refused = await admin('POST', { status: 99 })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('status is 99')
    expect((await admin('PUT', {})).status).toBe(400)
    expect(emulator.faults.list()).toEqual([])
  })
})
