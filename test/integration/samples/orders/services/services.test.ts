import { afterEach, describe, expect, it } from 'vitest'
import { systemClock, type Clock } from '../../../../../src/platform/index.js'
import {
  startServices,
  type FaultKind,
  type LedgerReport,
  type Services,
  type ServicesOptions,
} from '../../../../../samples/orders/services/index.js'

let services: Services | undefined
afterEach(async () => {
  await services?.close()
  services = undefined
})

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown>
}

class Client {
  constructor(private readonly services: Services) {}

  post(path: string, key: string, body: unknown, signal?: AbortSignal): Promise<Reply> {
    return this.send(path, {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  charge(key: string, amount = 10): Promise<Reply> {
    return this.post('/payments/charges', key, { orderId: 'A', amount })
  }

  async send(path: string, init: RequestInit): Promise<Reply> {
    const response = await fetch(this.services.url + path, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }

  get ledger(): LedgerReport {
    return this.services.ledger()
  }
}

interface SleeplessClock extends Clock {
  /** The duration of each sleep. */
  readonly sleptMs: number[]
  /** Resolves at the next sleep: a request has arrived, and its fault is chosen. */
  nextSleep(): Promise<void>
}

/** The system clock, but its sleeps take no time. */
function sleeplessClock(): SleeplessClock {
  const sleptMs: number[] = []
  const waiting: (() => void)[] = []
  return {
    ...systemClock,
    sleptMs,
    nextSleep: () => new Promise((resolve) => waiting.push(resolve)),
    sleep: async (ms) => {
      sleptMs.push(ms)
      for (const wake of waiting.splice(0)) wake()
    },
  }
}

async function given(options: ServicesOptions = {}): Promise<Client> {
  services = await startServices({ faults: 'none', clock: sleeplessClock(), ...options })
  return new Client(services)
}

/** Starts services in which every key meets one fault of this kind, and then works. */
const givenFault = (kind: FaultKind, clock: Clock = sleeplessClock()): Promise<Client> =>
  given({ clock, faults: { shares: { [kind]: 1 }, maxFaultsPerKey: 1 } })

describe('the services without faults', () => {
  it('process an order from stock to parcel, and undo it', async () => {
    const client = await given({ stock: [{ productId: 1, unitsInStock: 5 }] })
    const lines = [{ productId: 1, quantity: 5, product: '茶' }]
    const reserved = await client.post('/inventory/reservations', 'r', { orderId: 'A', lines })
    const charged = await client.charge('c')
    const shipment = {
      orderId: 'A',
      shipTo: { name: '佐倉', country: 'Japan' },
      chargeId: charged.body['chargeId'],
    }
    const shipped = await client.post('/shipping/shipments', 's', shipment)
    expect([reserved.status, charged.status, shipped.status]).toEqual([201, 201, 201])
    expect(shipped.body['trackingNumber']).toMatch(/^parcel-/)

    const refunded = await client.post('/payments/refunds', 'u', { chargeId: charged.body['chargeId'] })
    const path = `/inventory/reservations/${String(reserved.body['reservationId'])}`
    const released = [
      await client.send(path, { method: 'DELETE' }),
      await client.send(path, { method: 'DELETE' }),
    ]
    expect([refunded, ...released].map(({ status }) => status)).toEqual([201, 204, 204])
    expect(client.ledger.effects.map(({ kind }) => kind)).toEqual([
      'reserve',
      'charge',
      'ship',
      'refund',
      'release',
    ])
  })

  it('name the missing product when stock is too low', async () => {
    const client = await given({ stock: [{ productId: 1, unitsInStock: 5 }], unlistedUnits: 2 })
    const reserve = (key: string, productId: number) =>
      client.post('/inventory/reservations', key, { orderId: 'A', lines: [{ productId, quantity: 6 }] })
    expect(await reserve('k', 1)).toMatchObject({
      status: 409,
      body: { code: 'out-of-stock', productId: 1, requested: 6, available: 5 },
    })
    expect(await reserve('l', 2)).toMatchObject({ status: 409, body: { productId: 2, available: 2 } })
  })

  it('act once for one key, even when asked fifty times at the same time', async () => {
    // Real, different delays let requests overlap between their arrival and their work.
    const client = await given({ clock: systemClock, faults: { shares: { slow: 1 }, maxFaultsPerKey: 2 } })
    const replies = await Promise.all(Array.from({ length: 50 }, () => client.charge('k')))
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1)
    expect(replies[0]?.status).toBe(201)
    expect(client.ledger.effects).toHaveLength(1)
    expect(client.ledger.counters).toMatchObject({ requests: 50, answeredFromMemory: 49 })
  })

  it('refuse a key with another body or for another operation', async () => {
    const client = await given()
    const charged = await client.charge('k', 10)
    const refused = [
      await client.charge('k', 11),
      await client.post('/payments/refunds', 'k', { chargeId: charged.body['chargeId'] }),
    ]
    expect(refused).toMatchObject([
      { status: 422, body: { code: 'key-reused' } },
      { status: 422, body: { code: 'key-reused' } },
    ])
    expect(await client.charge('k', 10)).toEqual(charged)
    expect(client.ledger.effects).toHaveLength(1)
  })

  it('keep the keys of one service apart from those of another', async () => {
    const client = await given()
    const lines = [{ productId: 1, quantity: 1 }]
    await client.charge('k')
    expect((await client.post('/inventory/reservations', 'k', { orderId: 'A', lines })).status).toBe(201)
    expect(client.ledger.duplicateEffects).toBe(0)
  })

  it('show in the ledger that an order was charged twice', async () => {
    const client = await given()
    await client.charge('k')
    await client.charge('l')
    expect(await client.send('/ledger', {})).toEqual({ status: 200, body: client.ledger })
    expect(client.ledger.duplicateEffects).toBe(1)
  })

  it('reject invalid requests, without an effect and without remembering the key', async () => {
    const client = await given()
    const charge = JSON.stringify({ orderId: 'A', amount: 10 })
    const keyed = { 'idempotency-key': 'k' }
    const post = (path: string, headers: Record<string, string>, body: string) =>
      client.send(path, { method: 'POST', headers, body })
    expect(
      await Promise.all([
        post('/payments/charges', {}, charge),
        post('/payments/charges', keyed, '{'),
        post('/payments/charges', keyed, '{"orderId":"A","amount":-1}'),
        post('/payments/charges', keyed, JSON.stringify('x'.repeat(1_000_001))),
        post('/payments', keyed, charge),
        client.send('/payments/charges', {}),
        client.send('/inventory/reservations/reservation-0', { method: 'DELETE' }),
      ]),
    ).toMatchObject([
      { status: 400, body: { code: 'no-idempotency-key' } },
      { status: 400, body: { code: 'bad-request' } },
      { status: 400, body: { code: 'bad-request', message: expect.stringContaining('amount') as unknown } },
      { status: 413, body: { code: 'too-large' } },
      { status: 404, body: { code: 'unknown-operation' } },
      { status: 404, body: { code: 'unknown-operation' } },
      { status: 404, body: { code: 'unknown-reservation' } },
    ])
    expect(client.ledger.effects).toEqual([])
    expect((await client.charge('k')).status).toBe(201)
  })
})

describe('the services with faults', () => {
  it('answer after 50 to 300 ms (slow)', async () => {
    const clock = sleeplessClock()
    const client = await givenFault('slow', clock)
    expect((await client.charge('k')).status).toBe(201)
    expect(clock.sleptMs[0]).toBeGreaterThanOrEqual(50)
    expect(clock.sleptMs[0]).toBeLessThanOrEqual(300)
    expect(client.ledger.counters.faults.slow).toBe(1)
  })

  it('answer 503 and do nothing, and work at the next try (unavailable)', async () => {
    const client = await givenFault('unavailable')
    expect(await client.charge('k')).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(client.ledger.effects).toEqual([])
    expect((await client.charge('k')).status).toBe(201)
    expect(client.ledger.counters).toMatchObject({ answeredFromMemory: 0, faults: { unavailable: 1 } })
  })

  it('do the work once, and answer the next try (dropAfterWork)', async () => {
    const client = await givenFault('dropAfterWork')
    await expect(client.charge('k')).rejects.toThrow()
    const [effect] = client.ledger.effects
    expect(await client.charge('k')).toEqual({ status: 201, body: { chargeId: effect?.id } })
    expect(client.ledger.effects).toHaveLength(1)
    expect(client.ledger.counters).toMatchObject({ answeredFromMemory: 1, faults: { dropAfterWork: 1 } })
  })

  it.each([
    { kind: 'hangBeforeWork', answeredFromMemory: 0 },
    { kind: 'hangAfterWork', answeredFromMemory: 1 },
  ] as const)(
    'do not answer a request until it is aborted, and answer the next try ($kind)',
    async ({ kind, answeredFromMemory }) => {
      const { client, hanging, abort } = await givenHanging(kind)
      expect((await client.charge('k')).status).toBe(201)
      expect(client.ledger.effects).toHaveLength(1)
      expect(client.ledger.counters).toMatchObject({ requests: 2, answeredFromMemory, faults: { [kind]: 1 } })
      abort.abort()
      await expect(hanging).rejects.toThrow('aborted')
    },
  )

  it('cut hanging connections when they are closed', async () => {
    const { client, hanging } = await givenHanging('hangBeforeWork')
    await client.charge('k')
    const cut = expect(hanging).rejects.toThrow()
    await services?.close()
    await cut
  })

  /** Sends a charge that arrives and gets no answer. */
  async function givenHanging(kind: FaultKind) {
    const clock = sleeplessClock()
    const client = await givenFault(kind, clock)
    const abort = new AbortController()
    const arrived = clock.nextSleep()
    const hanging = client.post('/payments/charges', 'k', { orderId: 'A', amount: 10 }, abort.signal)
    await arrived
    return { client, hanging, abort }
  }

  it('release a reservation once when the answer to its release is lost', async () => {
    const client = await givenFault('dropAfterWork')
    const lines = [{ productId: 1, quantity: 1 }]
    const reserve = () => client.post('/inventory/reservations', 'k', { orderId: 'A', lines })
    await expect(reserve()).rejects.toThrow()
    const path = `/inventory/reservations/${String((await reserve()).body['reservationId'])}`
    await expect(client.send(path, { method: 'DELETE' })).rejects.toThrow()
    expect((await client.send(path, { method: 'DELETE' })).status).toBe(204)
    expect(client.ledger.effects.map(({ kind }) => kind)).toEqual(['reserve', 'release'])
  })
})
