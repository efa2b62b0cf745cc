import type { Container } from '../../src/emulator/engine/index.js'
import type { CosmosEngine } from '../../src/emulator/internal.js'

/** A document of 1 KB as people store them: some fields, a list, a text; not one long string. */
export function anOrder(number: number): Record<string, unknown> {
  return {
    id: `order-${number}`,
    pk: `customer-${number % 1_000}`,
    number,
    state: number % 3 === 0 ? 'shipped' : 'open',
    total: number * 1.25,
    currency: 'EUR',
    isGift: number % 7 === 0,
    address: { street: `Harbour Street ${number % 200}`, city: 'Rotterdam', country: 'NL', code: '3011 AA' },
    lines: [1, 2, 3].map((line) => ({
      line,
      sku: `sku-${number % 500}-${line}`,
      quantity: line,
      price: 9.95,
    })),
    note: 'As discussed, please deliver to the back door. '.repeat(7),
  }
}

/** An empty container `shop/orders`. */
export function anOrdersContainer(engine: CosmosEngine): Container {
  engine.createDatabase('shop')
  return engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
}

/** Stores order `number`, in whatever version it is. */
export function store(container: Container, number: number): void {
  const document = anOrder(number)
  container.execute([String(document['pk'])], { kind: 'upsert', document })
}
