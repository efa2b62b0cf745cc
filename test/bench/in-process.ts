import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChangeFeedStartFrom, type ChangeFeedIteratorOptions, type Container } from '@azure/cosmos'
import { createInProcessCosmos, type InProcessCosmos } from '../../src/emulator/index.js'
import { median, perSecond, type Effort, type Figure } from './figure.js'
import { anOrdersContainer, store } from './orders.js'

const writers = 64

/** Writers that continue when their write is on disk. */
export async function durableWrites({ seconds }: Effort): Promise<readonly Figure[]> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
  const cosmos = createInProcessCosmos({ dataDirectory })
  const container = anOrdersContainer(cosmos.engine)
  let number = 0
  const write = async (): Promise<number> => {
    store(container, (number += 1) % 20_000)
    await cosmos.engine.settled()
    return 1
  }
  const rates = await Promise.all(Array.from({ length: writers }, () => perSecond(seconds, write)))
  const alone = await perSecond(seconds / 3, write)
  await cosmos.close()
  rmSync(dataDirectory, { recursive: true })
  const value = rates.reduce((total, rate) => total + rate, 0)
  return [
    { name: `durable writes, ${writers} writers`, value, unit: '/s', target: { atLeast: 8_000 } },
    { name: 'durable writes, 1 writer', value: alone, unit: '/s' },
  ]
}

function loadedCosmos(count: number): { readonly cosmos: InProcessCosmos; readonly orders: Container } {
  const cosmos = createInProcessCosmos()
  const container = anOrdersContainer(cosmos.engine)
  for (let number = 0; number < count; number += 1) store(container, number)
  return { cosmos, orders: cosmos.client().database('shop').container('orders') }
}

const pageSize = 100

/** Reads the feed to its end through the SDK, which parses the documents. */
export async function changeFeed({ seconds, loaded }: Effort): Promise<readonly Figure[]> {
  const { orders } = loadedCosmos(Math.min(loaded, 20_000))
  const value = await perSecond(seconds, () => readFeed(orders))
  return [
    { name: `change feed, pages of ${pageSize}`, value, unit: 'documents/s', target: { atLeast: 40_000 } },
  ]
}

async function readFeed(orders: Container): Promise<number> {
  // The SDK declares its start twice, and the compiler considers the two types different.
  const beginning: unknown = ChangeFeedStartFrom.Beginning()
  const changeFeedStartFrom = beginning as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>
  const iterator = orders.items.getChangeFeedIterator({ changeFeedStartFrom, maxItemCount: pageSize })
  let count = 0
  while (true) {
    const { result, statusCode } = await iterator.readNext()
    if (statusCode === 304) return count
    count += result.length
  }
}

const filtered = 10_000

/** Runs queries that must examine every document, each with another value. */
export async function filter({ starts }: Effort): Promise<readonly Figure[]> {
  const { orders } = loadedCosmos(filtered)
  const times: number[] = []
  for (let round = 0; round < starts * 4 + 1; round += 1) {
    const query = `SELECT * FROM c WHERE c.lines[1].sku = "sku-77-2" AND c.total > ${round}`
    const started = performance.now()
    await orders.items.query(query).fetchAll()
    times.push(performance.now() - started)
  }
  const [first = Number.NaN, ...later] = times
  return [
    { name: 'filter over 10,000 documents', value: median(later), unit: 'ms', target: { atMost: 30 } },
    { name: 'filter over 10,000 documents, the first', value: first, unit: 'ms' },
  ]
}

/** Measures the memory per document, before and after a query has read all. Needs `node --expose-gc`. */
export async function memory({ loaded }: Effort): Promise<readonly Figure[]> {
  const before = usedBytes()
  const { cosmos, orders } = loadedCosmos(loaded)
  const stored = usedBytes() - before
  const [partition] = cosmos.engine.container('shop', 'orders').partitions
  const documentBytes = [...(partition?.documents.after(0) ?? [])].reduce((sum, one) => sum + one.bytes, 0)
  await orders.items.query('SELECT VALUE COUNT(1) FROM c WHERE c.isGift').fetchAll()
  const looked = usedBytes() - before
  const target = { atMost: 3 }
  return [
    { name: 'memory ÷ size of documents', value: stored / documentBytes, unit: '×', target },
    { name: 'memory ÷ size, after a filter', value: looked / documentBytes, unit: '×', target },
    { name: 'size of a document', value: documentBytes / loaded, unit: 'bytes' },
  ]
}

function usedBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
