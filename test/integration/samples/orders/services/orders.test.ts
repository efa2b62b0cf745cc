import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { seededRandom, systemClock, type Clock } from '../../../../../src/platform/index.js'
import { readOrders, type Order } from '../../../../../samples/orders/orders-file.js'
import { readStock, startServices, type Services } from '../../../../../samples/orders/services/index.js'

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../../../../samples/orders/data/${name}`, import.meta.url))
const orders = await readOrders(pathOf('orders.jsonl'))
const stock = await readStock(pathOf('stock.json'))

const impatientMs = 400
/** Delays take no time, so a client loses patience only with a hanging request. */
const sleeplessClock: Clock = { ...systemClock, sleep: async () => undefined }

let services: Services | undefined
afterEach(async () => {
  await services?.close()
  services = undefined
})

/** Repeats a request with the same key until there is an answer, as an agent does. */
async function ask(path: string, key: string, body: unknown): Promise<{ status: number; body: unknown }> {
  for (;;) {
    try {
      const response = await fetch(`${services?.url ?? ''}${path}`, {
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(impatientMs),
      })
      if (response.status !== 503) return { status: response.status, body: await response.json() }
    } catch {
      // A cut or hanging request may have been executed, so it is repeated.
    }
  }
}

async function fulfil({ orderId, lines, total, shipTo }: Order): Promise<string> {
  const reserved = await ask('/inventory/reservations', `${orderId}/reserve`, { orderId, lines })
  if (reserved.status === 409) return 'out of stock'
  const charged = await ask('/payments/charges', `${orderId}/charge`, { orderId, amount: total })
  const { chargeId } = charged.body as { chargeId: string }
  const shipped = await ask('/shipping/shipments', `${orderId}/ship`, { orderId, shipTo, chargeId })
  return shipped.status === 201 ? 'shipped' : `shipping answered ${shipped.status}`
}

it.each([1, 2, 3])('the 40 orders, concurrent and shuffled by seed %i, survive many faults', async (seed) => {
  services = await startServices({ stock, seed: 5, faults: 'many', clock: sleeplessClock })
  const random = seededRandom(seed)
  const shuffled = orders.map((order) => ({ order, at: random.next() })).sort((a, b) => a.at - b.at)
  const results = await Promise.all(shuffled.map(({ order }) => fulfil(order)))

  expect(results.filter((result) => result === 'out of stock')).toHaveLength(3)
  expect(results.filter((result) => result === 'shipped')).toHaveLength(37)
  const { effects, duplicateEffects, counters } = services.ledger()
  expect(duplicateEffects).toBe(0)
  expect(effects).toHaveLength(37 * 3)
  for (const [kind, count] of Object.entries(counters.faults)) expect(count, kind).toBeGreaterThan(0)
})
