import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readOrders } from '../../../../samples/orders/orders-file.js'
import { readStock } from '../../../../samples/orders/services/index.js'

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../../../samples/orders/data/${name}`, import.meta.url))
const orders = await readOrders(pathOf('orders.jsonl'))
const stock = await readStock(pathOf('stock.json'))
const unitsOf = new Map(stock.map((item) => [item.productId, item.unitsInStock]))
const isOutOfStock = (order: (typeof orders)[number]) =>
  order.lines.some((line) => line.quantity > (unitsOf.get(line.productId) ?? 0))

describe('the orders of the sample', () => {
  it('are 40, and contain the 12 products of the stock file', () => {
    expect(orders).toHaveLength(40)
    const products = new Set(orders.flatMap((order) => order.lines.map((line) => line.productId)))
    expect([...products].sort()).toEqual([...unitsOf.keys()].sort())
    expect(products.size).toBe(12)
  })

  it('run out of stock three times in any order', () => {
    const possible = orders.filter((order) => !isOutOfStock(order))
    expect(possible).toHaveLength(37)
    // Impossible orders need more of one product than the whole stock. The stock is enough for all others.
    for (const [productId, units] of unitsOf) {
      const lines = possible.flatMap((order) => order.lines.filter((line) => line.productId === productId))
      expect(lines.reduce((sum, line) => sum + line.quantity, 0)).toBeLessThanOrEqual(units)
    }
  })

  it.each(orders)('have a correct total: $orderId', ({ lines, freight = 0, total }) => {
    const goods = lines.reduce(
      (sum, { unitPrice, quantity, discount }) => sum + unitPrice * quantity * (1 - discount),
      0,
    )
    expect(Math.abs(goods + freight - total)).toBeLessThanOrEqual(0.005 * lines.length + 1e-9)
  })

  it('have addresses in many scripts', () => {
    const text = JSON.stringify(orders.map((order) => order.shipTo))
    const scripts = [
      'Latin',
      'Greek',
      'Cyrillic',
      'Arabic',
      'Hebrew',
      'Devanagari',
      'Thai',
      'Han',
      'Hangul',
      'Hiragana',
    ]
    for (const script of scripts) expect(text).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'))
  })
})
