import { VirtualClock } from '../../../src/platform/index.js'
import type { Telemetry, TelemetryEvent } from '../../../src/telemetry/index.js'
import type { Figure } from '../figure.js'
import { aProcessor, aShop, fill } from '../processor/a-shop.js'

/** The amount of measurement for each number of ranges. */
export interface RangesEffort {
  /** Documents that are delivered as fast as possible. */
  readonly documents: number
  /** Virtual seconds for which requests are counted, with changes and then without. */
  readonly busySeconds: number
  readonly restSeconds: number
}

/** The documents that change in every second of virtual time, far more than there are ranges. */
const changesPerSecond = 640

/** The virtual seconds before each count, in which the leases are acquired, or polls become rare. */
const settleSeconds = 15

/** Measures one instance that reads this number of feed ranges: its rate, and its requests to the lease container. */
export async function measuredRanges(ranges: number, effort: RangesEffort): Promise<readonly Figure[]> {
  const name = `${ranges} feed ranges, one host`
  const { busy, idle } = await leaseRequests(ranges, effort)
  return [
    {
      name: `${name}: delivered without a socket`,
      value: await deliveredPerSecond(ranges, effort.documents),
      unit: 'changes/s',
    },
    {
      name: `${name}: lease requests with ${changesPerSecond} changes a second`,
      value: busy,
      unit: 'requests/s',
    },
    { name: `${name}: lease requests at rest`, value: idle, unit: 'requests/s' },
  ]
}

/** Returns the rate from the first page to the last, by the clock of this machine. */
async function deliveredPerSecond(ranges: number, documents: number): Promise<number> {
  const shop = await aShop(ranges)
  fill(shop, documents)
  let left = documents
  const pagesAtMs: number[] = []
  let isDone = (): void => undefined
  const done = new Promise<void>((resolve) => (isDone = resolve))
  const processor = aProcessor(shop, {
    onChanges: (changes) => {
      pagesAtMs.push(performance.now())
      left -= changes.length
      if (left === 0) isDone()
    },
  })
  await processor.start()
  await done
  const tookMs = performance.now() - (pagesAtMs[0] ?? Number.NaN)
  await processor.stop()
  await shop.cosmos.close()
  return (documents * 1_000) / tookMs
}

/** Counts the requests to the lease container in virtual time, in which every option has its default. */
async function leaseRequests(
  ranges: number,
  { busySeconds, restSeconds }: RangesEffort,
): Promise<{ busy: number; idle: number }> {
  const clock = new VirtualClock()
  const shop = await aShop(ranges, clock)
  const counter = new LeaseRequests()
  const processor = aProcessor(shop, { telemetry: counter, onChanges: () => undefined }, { clock })
  await processor.start()
  const pass = async (seconds: number, change: () => void): Promise<number> => {
    const before = counter.count
    for (let second = 0; second < seconds; second += 1) {
      change()
      await clock.advance(1_000)
    }
    return (counter.count - before) / seconds
  }
  const change = (): void => fill(shop, changesPerSecond)
  await pass(settleSeconds, change)
  const busy = await pass(busySeconds, change)
  await pass(settleSeconds, () => undefined)
  const idle = await pass(restSeconds, () => undefined)
  await Promise.all([processor.stop(), clock.advance(1_000)])
  await shop.cosmos.close()
  return { busy, idle }
}

class LeaseRequests implements Telemetry {
  count = 0

  emit(event: TelemetryEvent): void {
    if (event.type === 'store.charged' && event.operation.startsWith('lease.')) this.count += 1
  }
}
