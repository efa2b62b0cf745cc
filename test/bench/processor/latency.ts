import { FeedHints } from '../../../src/change-feed-processor/internal.js'
import { systemClock } from '../../../src/platform/index.js'
import type { Figure } from '../figure.js'
import { aProcessor, aShop } from './a-shop.js'
import type { ProcessorEffort } from './measured.js'

/**
 * From a write's beginning to its delegate, with every default; writes come at rests that polling has backed
 * off in.
 */
export async function latency({ writes }: ProcessorEffort): Promise<readonly Figure[]> {
  const [polled, hinted] = [await latencies(writes, null), await latencies(writes, new FeedHints())]
  return [
    { name: 'write to delegate, p50', value: quantile(polled, 0.5), unit: 'ms' },
    { name: 'write to delegate, p99', value: quantile(polled, 0.99), unit: 'ms' },
    { name: 'write to delegate with hints, p50', value: quantile(hinted, 0.5), unit: 'ms' },
    {
      name: 'write to delegate with hints, p99',
      value: quantile(hinted, 0.99),
      unit: 'ms',
      target: { atMost: 50 },
    },
  ]
}

async function latencies(writes: number, hints: FeedHints | null): Promise<readonly number[]> {
  const shop = await aShop(1)
  const waiting = new Map<string, () => void>()
  const processor = aProcessor(
    shop,
    {
      onChanges: (changes) => {
        for (const { id } of changes) waiting.get(id)?.()
      },
    },
    hints === null ? {} : { hints },
  )
  await processor.start()
  const measured: number[] = []
  for (let number = 0; number < writes; number += 1) {
    // Not in step with the polls.
    await systemClock.sleep((number * 37) % 100)
    const id = `order-${number}`
    const isDelivered = new Promise<void>((resolve) => waiting.set(id, resolve))
    const startedAtMs = performance.now()
    await shop.orders.items.create({ id, pk: id })
    hints?.notify(null)
    await isDelivered
    measured.push(performance.now() - startedAtMs)
  }
  await processor.stop()
  return measured
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
