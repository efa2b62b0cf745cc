import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { withPayloadSweep } from '../../../../src/sas/payloads/payload-sweep.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'
import { MemoryPayloads } from '../../../support/memory-payloads.js'

const hourMs = 3_600_000
const owner = { partitionKey: 'k', jobId: 'j' }

let clock: VirtualClock
let payloads: MemoryPayloads
let telemetry: TelemetryRecorder
let calls: string[]
beforeEach(() => {
  clock = new VirtualClock()
  payloads = new MemoryPayloads(() => clock.now())
  telemetry = new TelemetryRecorder()
  calls = []
})

function supervisor() {
  const role = {
    onLeaseAcquired: (token: string, { min }: { readonly min: string }) =>
      void calls.push(`acquired ${token} from ${min}`),
    onLeaseReleased: (token: string) => void calls.push(`released ${token}`),
    start: () => void calls.push('started'),
    stop: async () => void calls.push('stopped'),
  }
  return withPayloadSweep(role, { payloads, store: { read: async () => null }, clock, telemetry })
}

describe('a supervisor with a payload store', () => {
  it('removes payloads without a job every six hours, if it holds the first range', async () => {
    await payloads.put(owner, 'old', new Uint8Array())
    const role = supervisor()
    role.start()
    role.onLeaseAcquired('0', { min: '' })
    await clock.advance(23 * hourMs)
    expect(payloads.stored.size).toBe(1)
    await clock.advance(6 * hourMs)
    expect(payloads.stored.size).toBe(0)
    expect(telemetry.of('payloads.removed')).toMatchObject([{ removed: 1 }])
    await role.stop()
    expect(calls).toEqual(['started', 'acquired 0 from ', 'stopped'])
  })

  it('leaves the sweep to the owner of the first range', async () => {
    const role = supervisor()
    role.start()
    role.onLeaseAcquired('1', { min: '80' })
    role.onLeaseAcquired('0', { min: '' })
    role.onLeaseReleased('0')
    await clock.advance(48 * hourMs)
    expect(payloads.calls).toEqual([])
    role.onLeaseAcquired('0', { min: '' })
    await clock.advance(6 * hourMs)
    expect(payloads.calls).toEqual(['list'])
    await role.stop()
  })

  it('sweeps again soon after a failure', async () => {
    payloads.faults.push('refused')
    const role = supervisor()
    role.start()
    role.onLeaseAcquired('0', { min: '' })
    await clock.advance(600_000)
    expect(telemetry.of('loop.failed')).toMatchObject([{ loop: 'payload sweep' }])
    await clock.advance(60_000)
    expect(payloads.calls).toEqual(['list', 'list'])
    await role.stop()
  })
})
