import { VirtualClock } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import type { Figure } from '../figure.js'
import { aProcessor, aShop } from './a-shop.js'

const leaseCount = 8
const minutes = 10

/**
 * What .NET asks by its defaults for each lease in a minute when nothing happens: a poll every 5 s, a read
 * and a replace every 17 s, and the share of a list every 13 s.
 */
const dotNetPerMinute = 60 / 5 + (60 / 17) * 2 + 60 / 13 / leaseCount

/**
 * Requests of one instance that holds eight leases on which nothing happens, with every default, on virtual
 * time.
 */
export async function idleRequests(): Promise<readonly Figure[]> {
  const clock = new VirtualClock()
  const shop = await aShop(leaseCount, clock)
  const telemetry = new TelemetryRecorder()
  const processor = aProcessor(shop, { telemetry, onChanges: () => undefined }, { clock })
  await processor.start()
  await clock.advance(60_000)
  const before = shop.cosmos.stats().requests
  const chargedBefore = charged(telemetry)
  await clock.advance(minutes * 60_000)
  const requests = shop.cosmos.stats().requests - before
  const charge = charged(telemetry) - chargedBefore
  await Promise.all([processor.stop(), clock.advance(1_000)])
  const perLease = 1 / (minutes * leaseCount)
  return [
    {
      name: 'idle requests per lease and minute',
      value: requests * perLease,
      unit: '',
      target: { atMost: Math.round(dotNetPerMinute * 100) / 100 },
    },
    { name: 'idle requests per lease and minute, .NET (computed)', value: dotNetPerMinute, unit: '' },
    { name: 'idle request units per lease and minute', value: charge * perLease, unit: 'RU' },
  ]
}

function charged(telemetry: TelemetryRecorder): number {
  return telemetry.of('store.charged').reduce((sum, { charge }) => sum + charge, 0)
}
