import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { AgentsHealth } from '../../../../src/sas/agents/agents-health.js'
import { Circuit } from '../../../../src/sas/agents/circuit.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal, wasHeldAt: () => true }

function aCircuit(clock: VirtualClock): { circuit: Circuit; open: () => Promise<unknown> } {
  const circuit = new Circuit('shop', { failures: 1, openForMs: 30_000 }, clock)
  const failed = () => Promise.resolve({ kind: 'failed', message: 'busy' } as const)
  return { circuit, open: () => circuit.run(failed, new AbortController().signal) }
}

describe('an agents instance (R124)', () => {
  it('is unhealthy for a minute after three outcomes in a row that it could not record', async () => {
    const clock = new VirtualClock()
    const health = new AgentsHealth(clock, [])
    health.noteLost()
    health.noteLost()
    health.noteRecorded()
    health.noteLost()
    health.noteLost()
    expect(health.unhealthyReason()).toBeNull()
    health.noteLost()
    expect(health.unhealthyReason()).toBe('the outcomes of the last 3 attempts could not be recorded')
    await clock.advance(59_999)
    expect(health.unhealthyReason()).not.toBeNull()
    await clock.advance(1)
    expect(health.unhealthyReason()).toBeNull()
    health.noteLost()
    expect(health.unhealthyReason()).toBe('the outcomes of the last 4 attempts could not be recorded')
    health.noteRecorded()
    expect(health.unhealthyReason()).toBeNull()
  })

  it('is unhealthy while the circuits of all its agents are open', async () => {
    const clock = new VirtualClock()
    const [first, second] = [aCircuit(clock), aCircuit(clock)]
    const health = new AgentsHealth(clock, [first.circuit, second.circuit])
    await first.open()
    expect(health.unhealthyReason()).toBeNull()
    await second.open()
    expect(health.unhealthyReason()).toBe('the remote service of every agent here keeps failing')
    expect(new AgentsHealth(clock, [first.circuit, null]).unhealthyReason()).toBeNull()
    await clock.advance(30_000)
    expect(health.unhealthyReason()).toBeNull()
  })

  it('becomes unhealthy by its own attempts, and then starts no step by itself', async () => {
    const world = new StateWorld()
    const shop = defineAgent('shop', { sell: () => 'sold' })
    const stepIds = ['a', 'b', 'c', 'd']
    const shape = Object.fromEntries(stepIds.map((stepId) => [stepId, []]))
    await world.dispatched(shape, { completeWithin: '30s' })
    const agents = world.agents({ agents: [shop], slots: 3 })
    const error = new StoreUnavailable('busy', { cause: null })
    world.faults.failWrites(...Array.from({ length: 200 }, () => ({ kind: 'throws', error }) as const))
    const page = await world.changes()
    const offered = agents.onChanges(page.slice(0, 4), going)
    await offered
    expect(agents.unhealthyReason()).toBeNull()
    await world.clock.advance(40_000)
    expect(agents.unhealthyReason()).toBe('the outcomes of the last 3 attempts could not be recorded')
    expect(agents.startNow(await world.step('d'), 'lease')).toBe(false)
    await agents.stop(0)
  })

  it('is unhealthy for the reason that the user’s own check returns', () => {
    const world = new StateWorld()
    const agents = world.agents({ unhealthyReason: () => 'the disk is full' })
    expect(agents.unhealthyReason()).toBe('the disk is full')
  })
})
