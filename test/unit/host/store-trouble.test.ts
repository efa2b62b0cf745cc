import { describe, expect, it } from 'vitest'
import { StoreTrouble } from '../../../src/host/store-trouble.js'
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
  return { clock, heard, trouble: new StoreTrouble(clock, heard) }
}

describe('deliveries', () => {
  const delivery = { processorName: 'unit', instanceName: 'one', leaseToken: '0', count: 1 }

  it('are traced by the sinks behind it, and made once where none traces', async () => {
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
    expect(await new StoreTrouble(clock, tracing).during(delivery, deliver)).toBe(1)
    expect(await new StoreTrouble(clock, new TelemetryRecorder()).during(delivery, deliver)).toBe(2)
    expect(traced).toEqual(['0'])
  })
})

describe('trouble with the store', () => {
  it('is told once when it begins and once when it is over', async () => {
    const { clock, heard, trouble } = world()
    for (const code of [503, 'ECONNREFUSED', 429]) trouble.emit(failed(code))
    expect(heard.events.map(({ type }) => type)).toEqual(['store.troubled'])
    expect(trouble.reason).toMatch(/does not answer/)
    await clock.advance(5_000)
    trouble.emit(charged)
    expect(heard.of('store.recovered')).toEqual([{ type: 'store.recovered', durationMs: 5_000, failures: 3 }])
    expect(trouble.reason).toBeNull()
  })

  it('is told also while a client repeats a read in silence', () => {
    const { heard, trouble } = world()
    const on = { processorName: 'unit', instanceName: 'one', leaseToken: '0' }
    trouble.emit({ type: 'feed.unanswered', ...on, waitedMs: 5_000 })
    expect(heard.events.map(({ type }) => type)).toEqual(['store.troubled'])
    expect(trouble.reason).toMatch(/does not answer/)
  })

  it('is not over at a success among failures', async () => {
    const { clock, heard, trouble } = world()
    trouble.emit(failed(429))
    await clock.advance(4_999)
    trouble.emit(charged)
    trouble.emit(failed(429))
    expect(heard.of('store.recovered')).toEqual([])
    expect(heard.of('store.troubled')).toHaveLength(1)
  })

  it('is found behind the error that wraps it, and leaves failures of other kinds alone', () => {
    const { heard, trouble } = world()
    const own: TelemetryEvent = { type: 'loop.failed', loop: 'sweep', error: new Error('a mistake of ours') }
    trouble.emit(own)
    expect(heard.events).toEqual([own])
    const cause = Object.assign(new Error('no'), { code: 401 })
    trouble.emit({ type: 'loop.failed', loop: 'sweep', error: new Error('sweep', { cause }) })
    expect(trouble.reason).toMatch(/refuses the key or token/)
  })
})
