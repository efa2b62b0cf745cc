import type { Container } from '../../src/emulator/engine/index.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../src/emulator/index.js'
import { median, type Effort, type Figure } from './figure.js'
import { anOrder } from './orders.js'

/** An order as the plain loops read it. */
interface Order {
  readonly id: string
  readonly number: number
  readonly state: string
  readonly total: number
  readonly note: string
  readonly lines: readonly { readonly quantity: number }[]
}

/** A query, and a plain loop that computes the same from the same objects. */
interface Contest {
  readonly name: string
  readonly query: string
  readonly loop: (orders: readonly Order[]) => unknown
  /** The largest ratio of the query's time to the time of the loop. */
  readonly atMost: number
}

/** The number of the order that the selective filters look for. */
const wanted = 321

const contests: readonly Contest[] = [
  {
    name: 'filter without index',
    query: `SELECT * FROM c WHERE c.unindexed = ${wanted}`,
    loop: (orders) => orders.filter((order) => order.number === wanted),
    atMost: 3,
  },
  {
    name: 'filter with index',
    query: `SELECT * FROM c WHERE c.number = ${wanted}`,
    loop: (orders) => orders.filter((order) => order.number === wanted),
    atMost: 0.2,
  },
  {
    name: 'range with index',
    query: `SELECT * FROM c WHERE c.number > ${wanted} AND c.number <= ${wanted + 20}`,
    loop: (orders) => orders.filter((order) => order.number > wanted && order.number <= wanted + 20),
    atMost: 0.2,
  },
  {
    name: 'GROUP BY',
    query: 'SELECT c.state, COUNT(1) AS orders, SUM(c.total) AS total FROM c GROUP BY c.state',
    loop: grouped,
    atMost: 4,
  },
  {
    name: 'ORDER BY + TOP 10',
    query: 'SELECT TOP 10 * FROM c ORDER BY c.total DESC',
    loop: (orders) => [...orders].sort((one, other) => other.total - one.total).slice(0, 10),
    atMost: 4,
  },
  {
    name: 'JOIN over 5 elements',
    query: 'SELECT VALUE COUNT(1) FROM c JOIN l IN c.lines WHERE l.quantity > 3',
    loop: (orders) => orders.flatMap(({ lines }) => lines.filter(({ quantity }) => quantity > 3)).length,
    atMost: 8,
  },
]

const newest: Contest = {
  name: 'newest 50 by index',
  query: 'SELECT TOP 50 * FROM c ORDER BY c.number DESC',
  loop: (orders) => orders.filter((order) => order.number >= orders.length - 50),
  atMost: 0.1,
}

const newestOpen: Contest = {
  name: 'newest 50 of a state by index',
  query: "SELECT TOP 50 * FROM c WHERE c.state = 'open' ORDER BY c.state DESC, c.number DESC",
  loop: (orders) => orders.filter((order) => order.state === 'open' && order.number >= orders.length - 75),
  atMost: 0.1,
}

/** Measures queries as ratios to plain loops over the same objects. */
export async function queries({ loaded, starts }: Effort): Promise<readonly Figure[]> {
  const few = await measuredContests(contests, loaded, starts)
  const many = await measuredContests([newest, newestOpen], loaded * 2.5, starts)
  return [...few, ...many]
}

async function measuredContests(
  all: readonly Contest[],
  count: number,
  rounds: number,
): Promise<readonly Figure[]> {
  const cosmos = createInProcessCosmos()
  const orders = stored(cosmos, count)
  const container = cosmos.client().database('shop').container('orders')
  const figures: Figure[] = []
  for (const { name, query, loop, atMost } of all) {
    const times: number[] = []
    const loops: number[] = []
    for (let round = 0; round < rounds * 2 + 1; round += 1) {
      times.push(await timeOf(() => container.items.query(query).fetchAll()))
      loops.push(await timeOf(() => Promise.resolve(loop(orders))))
    }
    // The first run builds the index, and parses the documents.
    const time = median(times.slice(1))
    const over = `${name}, ${count.toLocaleString('en')} documents`
    figures.push(
      { name: over, value: time, unit: 'ms' },
      { name: `${name} ÷ plain loop`, value: time / median(loops.slice(1)), unit: '×', target: { atMost } },
    )
  }
  await cosmos.close()
  return figures
}

const indexingPolicy = {
  includedPaths: [{ path: '/*' }],
  excludedPaths: [{ path: '/unindexed/?' }],
  compositeIndexes: [[{ path: '/state' }, { path: '/number' }]],
}

/** Stores orders of 1 KB with five lines, and returns them as plain objects. */
function stored({ engine }: InProcessCosmos, count: number): readonly Order[] {
  engine.createDatabase('shop')
  const definition = { id: 'orders', partitionKey: { paths: ['/pk'] }, indexingPolicy }
  const container: Container = engine.createContainer('shop', definition)
  return Array.from({ length: count }, (_, number) => {
    const order = anOrder(number)
    const lines = [1, 2, 3, 4, 5].map((quantity) => ({ sku: `sku-${number % 500}`, quantity }))
    const document = { ...order, lines, unindexed: number }
    container.execute([String(order['pk'])], { kind: 'upsert', document })
    return document as unknown as Order
  })
}

function grouped(orders: readonly Order[]): unknown {
  const groups = new Map<string, { count: number; total: number }>()
  for (const { state, total } of orders) {
    const group = groups.get(state) ?? { count: 0, total: 0 }
    group.count += 1
    group.total += total
    groups.set(state, group)
  }
  return groups
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
