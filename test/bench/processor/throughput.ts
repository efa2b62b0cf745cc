import { ChangeFeedStartFrom, type ChangeFeedIteratorOptions, type Container } from '@azure/cosmos'
import { systemClock } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import type { Figure } from '../figure.js'
import { aProcessor, aShop, aShopOverHttp, fill, type Shop } from './a-shop.js'
import type { ProcessorEffort } from './measured.js'

const pageSize = 100

/**
 * What a processor costs beside the SDK's iterator, in the process of the store and over HTTP as stores are
 * reached.
 */
export async function againstBareIterator(effort: ProcessorEffort): Promise<readonly Figure[]> {
  const inProcess = await aShop(1)
  const overHttp = await aShopOverHttp()
  try {
    const near = await compared(inProcess, effort)
    const far = await compared(overHttp, effort)
    const name = 'processor ÷ bare SDK iterator, pages of 100'
    return [
      { name: `${name}, over HTTP`, value: far.ratio, unit: '×', target: { atLeast: 0.9 } },
      { name: 'documents through one lease, over HTTP', value: far.perSecond, unit: '/s' },
      { name: `${name}, without a socket`, value: near.ratio, unit: '×' },
      { name: 'documents through one lease, without a socket', value: near.perSecond, unit: '/s' },
      {
        name: 'requests per checkpoint',
        value: near.requestsPerCheckpoint,
        unit: '',
        target: { atMost: 1 },
      },
    ]
  } finally {
    await inProcess.cosmos.close()
    await overHttp.cosmos.close()
  }
}

interface Comparison {
  readonly ratio: number
  readonly perSecond: number
  readonly requestsPerCheckpoint: number
}

/** The same feed read by a processor and by the SDK's iterator, in turns; and what its checkpoints took. */
async function compared(shop: Shop, { documents, rounds }: ProcessorEffort): Promise<Comparison> {
  fill(shop, documents)
  // The best of each: what else the machine does only ever adds.
  const best = { processorMs: Infinity, bareMs: Infinity }
  let checkpoints = 0
  let writes = 0
  for (let round = 0; round <= rounds; round += 1) {
    const telemetry = new TelemetryRecorder()
    const took = await inTurns(
      round,
      () => timed(() => readBare(shop.orders)),
      () => readByProcessor(shop, documents, telemetry),
    )
    // The first of each only warms up.
    if (round === 0) continue
    best.bareMs = Math.min(best.bareMs, took[0])
    best.processorMs = Math.min(best.processorMs, took[1])
    checkpoints += telemetry.of('checkpoint.stored').length
    writes += requestsOfCheckpoints(telemetry)
  }
  return {
    ratio: best.bareMs / best.processorMs,
    perSecond: (documents * 1_000) / best.processorMs,
    requestsPerCheckpoint: writes / checkpoints,
  }
}

/** Each goes first every other round, because the second one pays for the garbage of the first. */
async function inTurns(
  round: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<readonly [number, number]> {
  if (round % 2 === 0) return [await first(), await second()]
  const after = await second()
  return [await first(), after]
}

/** Lease requests beside the acquisition and the release: each checkpoint should be one. */
function requestsOfCheckpoints(telemetry: TelemetryRecorder): number {
  const leaseRequests = telemetry
    .of('store.charged')
    .filter(({ operation }) => operation === 'lease.replace' || operation === 'lease.read').length
  return leaseRequests - telemetry.of('lease.acquired').length
}

async function readBare(
  orders: Container,
  { maxItemCount = pageSize, delegateMs = 0 }: { maxItemCount?: number; delegateMs?: number } = {},
): Promise<void> {
  // The SDK declares its start twice, and the two are not alike for the compiler.
  const beginning: unknown = ChangeFeedStartFrom.Beginning()
  const changeFeedStartFrom = beginning as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>
  const iterator = orders.items.getChangeFeedIterator({ changeFeedStartFrom, maxItemCount })
  while ((await iterator.readNext()).statusCode !== 304) {
    if (delegateMs > 0) await systemClock.sleep(delegateMs)
  }
}

/** From the end of the start, which creates the leases, to the last delivery; in milliseconds. */
async function readByProcessor(shop: Shop, documents: number, telemetry: TelemetryRecorder): Promise<number> {
  let left = documents
  let isDone = (): void => undefined
  const done = new Promise<void>((resolve) => (isDone = resolve))
  const processor = aProcessor(shop, {
    maxItemCount: pageSize,
    checkpointInterval: 500,
    telemetry,
    onChanges: (changes) => {
      left -= changes.length
      if (left === 0) isDone()
    },
  })
  await processor.start()
  const elapsedMs = await timed(() => done)
  await processor.stop()
  return elapsedMs
}

/** Pages through a delegate that waits, on one range and on eight. */
export async function rangesSideBySide({ slowPages, rounds }: ProcessorEffort): Promise<readonly Figure[]> {
  let alone = 0
  let together = 0
  for (let round = 0; round < rounds; round += 1) {
    alone = Math.max(alone, await pagesPerSecond(1, slowPages / 4))
    together = Math.max(together, await pagesPerSecond(8, slowPages))
  }
  return [
    {
      name: '8 ranges ÷ 1, delegate waits 5 ms a page',
      value: together / alone,
      unit: '×',
      target: { atLeast: 6 },
    },
  ]
}

/** Pages whose reads and deliveries take equally long, delivered by a processor and by the bare iterator. */
export async function pagesReadAhead({ slowPages }: ProcessorEffort): Promise<readonly Figure[]> {
  const shop = await aShop(1)
  fill(shop, slowPages * 2)
  shop.cosmos.faults.add({ match: { operation: 'changeFeed' }, delay: 5 })
  const bareMs = await timed(() => readBare(shop.orders, { maxItemCount: 2, delegateMs: 5 }))
  const processorMs = await timed(() => deliveredSlowly(shop, slowPages * 2))
  return [
    {
      name: 'processor ÷ bare SDK iterator, a read and its delivery take 5 ms each',
      value: bareMs / processorMs,
      unit: '×',
      target: { atLeast: 1.5 },
    },
  ]
}

async function deliveredSlowly(shop: Shop, documents: number): Promise<void> {
  let left = documents
  let isDone = (): void => undefined
  const done = new Promise<void>((resolve) => (isDone = resolve))
  const processor = aProcessor(shop, {
    maxItemCount: 2,
    onChanges: async (changes) => {
      await systemClock.sleep(5)
      left -= changes.length
      if (left === 0) isDone()
    },
  })
  await processor.start()
  await done
  await processor.stop()
}

async function pagesPerSecond(partitionCount: number, pages: number): Promise<number> {
  const shop = await aShop(partitionCount)
  const perPage = 2
  fill(shop, pages * perPage)
  // Key ranges are not equally full: the rate is that of the time in which all of them have work.
  let left = Math.floor(pages * perPage * 0.75)
  let pagesSeen = 0
  let isDone = (): void => undefined
  const done = new Promise<void>((resolve) => (isDone = resolve))
  let firstAtMs: number | undefined
  const processor = aProcessor(shop, {
    maxItemCount: perPage,
    onChanges: async (changes) => {
      firstAtMs ??= performance.now()
      await systemClock.sleep(5)
      pagesSeen += 1
      left -= changes.length
      if (left <= 0) isDone()
    },
  })
  await processor.start()
  await done
  const elapsedMs = performance.now() - (firstAtMs ?? 0)
  await processor.stop()
  return (pagesSeen * 1_000) / elapsedMs
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now()
  await work()
  return performance.now() - startedAtMs
}
