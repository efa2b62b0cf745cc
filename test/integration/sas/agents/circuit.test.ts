import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { Circuit } from '../../../../src/sas/agents/circuit.js'
import type { Outcome } from '../../../../src/sas/decisions/settle.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const success: Outcome = { kind: 'success', output: null }
const failed: Outcome = { kind: 'failed', message: 'busy' }

let clock: VirtualClock
beforeEach(() => {
  clock = new VirtualClock(submittedAtMs)
})

/** Runs attempts with these outcomes, one after another. Returns how many were made, and the last outcome. */
async function ending(circuit: Circuit, ...outcomes: readonly (Outcome | null)[]) {
  let made = 0
  let last: Outcome | null = null
  for (const outcome of outcomes) {
    last = await circuit.run(() => {
      made += 1
      return Promise.resolve(outcome)
    }, new AbortController().signal)
  }
  return { made, last }
}

describe('the circuit of an agent (R82)', () => {
  it('opens after consecutive failures, and then fails attempts without a call (R82)', async () => {
    const circuit = new Circuit('shop', { failures: 2, openForMs: 30_000 }, clock)
    expect((await ending(circuit, failed, success, failed)).made).toBe(3)
    const { made, last } = await ending(circuit, null, success)
    expect(made).toBe(1)
    expect(last).toEqual({
      kind: 'failed',
      message:
        'the remote service of agent shop was not called: after 2 failures in a row it is not called for 30 s',
    })
  })

  it('lets one attempt through when its time is over, and opens or closes by the outcome', async () => {
    const circuit = new Circuit('shop', { failures: 1, openForMs: 30_000 }, clock)
    await ending(circuit, failed)
    await clock.advance(29_999)
    expect([circuit.isOpen, (await ending(circuit, success)).made]).toEqual([true, 0])
    await clock.advance(1)
    expect(circuit.isOpen).toBe(false)
    expect((await ending(circuit, failed, success)).made).toBe(1)
    expect(circuit.isOpen).toBe(true)
    await clock.advance(30_000)
    expect((await ending(circuit, success, success)).made).toBe(2)
  })

  it('counts a permanent failure as an answer', async () => {
    const circuit = new Circuit('shop', { failures: 1, openForMs: 30_000 }, clock)
    expect((await ending(circuit, { kind: 'permanent', message: 'no' }, success)).made).toBe(2)
  })

  it('fails the next steps of its agent with diagnostics, and does not call their handlers', async () => {
    const world = new StateWorld()
    let calls = 0
    const sell = () => {
      calls += 1
      throw new Error('busy')
    }
    const shop = defineAgent('shop', { sell }, { circuitBreaker: { failures: 1, openFor: '30s' }, slots: 1 })
    await world.dispatched({ a: [], b: [] }, { completeWithin: '30s' })
    const agents = world.agents({ agents: [shop] })
    await agents.onChanges(await world.changes(), { signal: new AbortController().signal })
    await agents.stop(1_000)
    expect(calls).toBe(1)
    expect(await world.step('b')).toMatchObject({
      processState: 'Processing',
      outcome: { kind: 'failed' },
      diagnostics: [{ message: expect.stringContaining('was not called') as string }],
    })
  })
})
