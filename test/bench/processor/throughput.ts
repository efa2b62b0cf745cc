import type { Container } from '@azure/cosmos'
import { systemClock } from '../../../src/platform/index.js'
import type { Figure } from '../figure.js'
import { aProcessor, aShop, fill, type Shop } from './a-shop.js'
import { bareIterator } from './against-bare.js'
import type { ProcessorEffort } from './measured.js'

async function readBare(
  orders: Container,
  { maxItemCount, delegateMs }: { maxItemCount: number; delegateMs: number },
): Promise<void> {
  const iterator = bareIterator(orders, maxItemCount)
  while ((await iterator.readNext()).statusCode !== 304) await systemClock.sleep(delegateMs)
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
