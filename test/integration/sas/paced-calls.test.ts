import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { StateWorld } from '../../support/state-world.js'

const limits = [{ key: 'bank', perSecond: 4, burst: 1 }]
const bank = defineAgent('bank', { pay: (input: { readonly of: string }) => input })
const mail = defineAgent('mail', { send: (input: { readonly of: string }) => input })

/** A workflow with ten steps of a rate and one without. */
const paying = defineWorkflow('paying', (job) => {
  for (let index = 0; index < 10; index += 1)
    job.step(`pay-${index}`, bank.pay, { of: 'x' }, { limits, undo: 'none' })
  job.step('tell', mail.send, { of: 'x' }, { undo: 'none' })
})

let world: StateWorld
let startMs: number
/** The times of the calls of each agent, since the agents began. */
let called: { readonly bank: number[]; readonly mail: number[] }

beforeEach(async () => {
  world = new StateWorld()
  called = { bank: [], mail: [] }
  const { store, queries, clock, telemetry } = world
  await new JobClient({ store, queries, clock, telemetry }).submit(paying, {}, { jobId: 'a' })
  await world.scheduler().onChanges(await world.changes(), { leaseToken: '0' })
  // The scheduler hands all attempts over, while no agents run.
  await clock.advance(8_000)
})

function agents(slots: number) {
  const { clock } = world
  startMs = clock.now()
  const noted = (times: number[]) => (input: { readonly of: string }) => {
    times.push(clock.now() - startMs)
    return input
  }
  return world.agents({
    slots,
    agents: [
      defineAgent('bank', { pay: noted(called.bank) }),
      defineAgent('mail', { send: noted(called.mail) }),
    ],
  })
}

const going = { signal: new AbortController().signal, wasHeldAt: () => true }

describe('attempts that agents get late', () => {
  it('are called by the rate of their limit, and hold up neither others nor the feed', async () => {
    await agents(16).onChanges(await world.changes(), going)
    await world.clock.advance(1_100)
    expect(called.mail).toEqual([0])
    expect(called.bank).toEqual([0, 250, 500, 750, 1_000])
    await world.clock.advance(5_000)
    expect(called.bank).toHaveLength(10)
  })

  it('are given back when the lease is lost, and are not called', async () => {
    const ending = new AbortController()
    await agents(16).onChanges(await world.changes(), { ...going, signal: ending.signal })
    await world.clock.advance(300)
    ending.abort()
    await world.clock.advance(5_000)
    expect(called.bank).toEqual([0, 250])
    const steps = await world.truth.listSteps('a', 'a')
    expect(steps.filter(({ processState }) => processState === 'Pending')).toHaveLength(8)
  })

  it('do not start at once either if the supervisor asks the agents to start them', async () => {
    const late = agents(16)
    const steps = await world.truth.listSteps('a', 'a')
    const started = steps.filter(({ actor }) => actor === 'bank').map((step) => late.startNow(step, '0'))
    expect(started.filter((isStarted) => isStarted)).toHaveLength(1)
  })
})
