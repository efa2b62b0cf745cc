import { describe, expect, it } from 'vitest'
import { DoorLost } from '../../../src/engine-ports/door/door-connection.js'
import { StoreHealth } from '../../../src/host/store-health.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { TelemetryRecorder, type Telemetry, type TelemetryEvent } from '../../../src/telemetry/index.js'

const charged: TelemetryEvent = { type: 'store.charged', operation: 'lease.list', charge: 1 }
const failed = (code: number | string): TelemetryEvent => ({
  type: 'balance.failed',
  processorName: 'unit',
  instanceName: 'one',
  error: Object.assign(new Error('no'), { code }),
})

function world() {
  const clock = new VirtualClock()
  const heard = new TelemetryRecorder()
  return { clock, heard, storeHealth: new StoreHealth(clock, heard) }
}

describe('a delivery', () => {
  const delivery = { processorName: 'unit', instanceName: 'one', leaseToken: '0', count: 1 }

  it('is traced by the sinks behind the health of the store, and made once if none traces', async () => {
    const traced: string[] = []
    const tracing: Telemetry = {
      emit: () => undefined,
      during: (of, run) => {
        traced.push(of.leaseToken)
        return run()
      },
    }
    let made = 0
    const deliver = () => Promise.resolve((made += 1))
    const clock = new VirtualClock()
    expect(await new StoreHealth(clock, tracing).during(delivery, deliver)).toBe(1)
    expect(await new StoreHealth(clock, new TelemetryRecorder()).during(delivery, deliver)).toBe(2)
    expect(traced).toEqual(['0'])
  })
})

describe('the health of the store', () => {
  it('says that another process must open the data directory if none has it open', () => {
    const { storeHealth } = world()
    const error = new DoorLost('no process has the embedded store open', false, null, true)
    storeHealth.emit({ type: 'balance.failed', processorName: 'unit', instanceName: 'one', error })
    expect(storeHealth.unhealthyReason()).toMatch(
      /^no process has the data directory .*: this process continues when one opens it/,
    )
  })

  it('reports trouble once when it begins and recovery once', async () => {
    const { clock, heard, storeHealth } = world()
    for (const code of [503, 'ECONNREFUSED', 429]) storeHealth.emit(failed(code))
    expect(heard.events.map(({ type }) => type)).toEqual(['store.troubled'])
    expect(storeHealth.unhealthyReason()).toMatch(/does not answer/)
    await clock.advance(2_000)
    storeHealth.emit(charged)
    await clock.advance(3_000)
    storeHealth.emit(charged)
    expect(heard.of('store.recovered')).toEqual([{ type: 'store.recovered', durationMs: 2_000, failures: 3 }])
    expect(storeHealth.unhealthyReason()).toBeNull()
  })

  it('reports trouble also while a client silently repeats a read', () => {
    const { heard, storeHealth } = world()
    const on = { processorName: 'unit', instanceName: 'one', leaseToken: '0' }
    storeHealth.emit({ type: 'feed.unanswered', ...on, waitedMs: 5_000 })
    expect(heard.events.map(({ type }) => type)).toEqual(['store.troubled'])
    expect(storeHealth.unhealthyReason()).toMatch(/does not answer/)
  })

  it('does not report recovery after a success among failures', async () => {
    const { clock, heard, storeHealth } = world()
    storeHealth.emit(failed(429))
    await clock.advance(4_999)
    storeHealth.emit(charged)
    storeHealth.emit(failed(429))
    expect(heard.of('store.recovered')).toEqual([])
    expect(heard.of('store.troubled')).toHaveLength(1)
  })

  it('recognises an error that is wrapped, and ignores other failures', () => {
    const { heard, storeHealth } = world()
    const own: TelemetryEvent = { type: 'loop.failed', loop: 'sweep', error: new Error('a mistake of ours') }
    storeHealth.emit(own)
    expect(heard.events).toEqual([own])
    const cause = Object.assign(new Error('no'), { code: 401 })
    storeHealth.emit({ type: 'loop.failed', loop: 'sweep', error: new Error('sweep', { cause }) })
    expect(storeHealth.unhealthyReason()).toMatch(/refuses the key or token/)
  })
})
