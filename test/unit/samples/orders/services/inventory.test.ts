import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../../src/platform/index.js'
import { Inventory } from '../../../../../samples/orders/services/inventory.js'
import { Ledger } from '../../../../../samples/orders/services/ledger.js'

const stock = [
  { productId: 1, unitsInStock: 10 },
  { productId: 2, unitsInStock: 4 },
]

function givenInventory() {
  const ledger = new Ledger(new VirtualClock())
  return { ledger, inventory: new Inventory(ledger, stock, 7) }
}

const order = (...lines: [productId: number, quantity: number][]) => ({
  orderId: 'A',
  lines: lines.map(([productId, quantity]) => ({ productId, quantity })),
})

const reservationIdOf = (answer: { body?: Readonly<Record<string, unknown>> }) =>
  String(answer.body?.['reservationId'])

describe('Inventory', () => {
  it('reserves every line of an order', () => {
    const { inventory, ledger } = givenInventory()
    const answer = inventory.reserve(order([1, 3], [2, 4]), 'k')
    expect(answer.status).toBe(201)
    expect([inventory.available(1), inventory.available(2)]).toEqual([7, 0])
    expect(ledger.report().effects).toMatchObject([
      { service: 'inventory', kind: 'reserve', key: 'k', orderId: 'A', id: reservationIdOf(answer) },
    ])
  })

  it('adds deliveries, also of products that are not listed', () => {
    const { inventory } = givenInventory()
    expect(inventory.deliver({ productId: 2, quantity: 6 }).body).toEqual({ productId: 2, unitsInStock: 10 })
    expect(inventory.deliver({ productId: 3, quantity: 1 }).body).toEqual({ productId: 3, unitsInStock: 8 })
    expect(inventory.reserve(order([2, 10]), 'k').status).toBe(201)
  })

  it('reserves nothing if one line exceeds the stock', () => {
    const { inventory, ledger } = givenInventory()
    expect(inventory.reserve(order([1, 3], [2, 5]), 'k')).toMatchObject({
      status: 409,
      body: { code: 'out-of-stock', productId: 2, requested: 5, available: 4 },
    })
    expect(inventory.available(1)).toBe(10)
    expect(ledger.report().effects).toEqual([])
  })

  it('adds up lines with the same product', () => {
    const { inventory } = givenInventory()
    expect(inventory.reserve(order([2, 3], [2, 3]), 'k')).toMatchObject({
      status: 409,
      body: { requested: 6, available: 4 },
    })
    expect(inventory.reserve(order([2, 2], [2, 2]), 'l').status).toBe(201)
  })

  it('has a default number of units of products that are not listed', () => {
    const { inventory } = givenInventory()
    expect(inventory.reserve(order([99, 8]), 'k')).toMatchObject({ status: 409, body: { available: 7 } })
    expect(inventory.reserve(order([99, 7]), 'l').status).toBe(201)
    expect(inventory.available(99)).toBe(0)
  })

  it('releases a reservation once, and confirms every repetition', () => {
    const { inventory, ledger } = givenInventory()
    const reservationId = reservationIdOf(inventory.reserve(order([1, 3], [99, 2]), 'k'))
    expect(inventory.release(reservationId)).toEqual({ status: 204 })
    expect(inventory.release(reservationId)).toEqual({ status: 204 })
    expect([inventory.available(1), inventory.available(99)]).toEqual([10, 7])
    expect(ledger.report().effects).toMatchObject([
      { kind: 'reserve' },
      { kind: 'release', undoes: reservationId },
    ])
    expect(ledger.report().duplicateEffects).toBe(0)
  })

  it('answers 404 for an unknown reservation', () => {
    expect(givenInventory().inventory.release('reservation-0')).toMatchObject({ status: 404 })
  })

  it('never reserves a unit twice and never loses one', () => {
    const product = fc.constantFrom(1, 2, 99)
    const act = fc.record({
      productId: product,
      quantity: fc.integer({ min: 1, max: 6 }),
      isReleased: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const { inventory } = givenInventory()
        const held = new Map<number, number>()
        acts.forEach(({ productId, quantity, isReleased }, index) => {
          const answer = inventory.reserve(order([productId, quantity]), String(index))
          if (answer.status !== 201) return
          if (isReleased) inventory.release(reservationIdOf(answer))
          else held.set(productId, (held.get(productId) ?? 0) + quantity)
        })
        const opening = { 1: 10, 2: 4, 99: 7 }
        for (const [productId, units] of Object.entries(opening)) {
          const available = inventory.available(Number(productId))
          expect(available).toBeGreaterThanOrEqual(0)
          expect(available + (held.get(Number(productId)) ?? 0)).toBe(units)
        }
      }),
    )
  })
})
