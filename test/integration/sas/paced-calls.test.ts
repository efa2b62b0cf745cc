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
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>
let startMs: number
/** The times of the calls of each agent, since the agents began. */
let called: { readonly bank: number[]; readonly mail: number[] }

beforeEach(async () => {
  world = new StateWorld()
  called = { bank: [], mail: [] }
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
})

/** Submits a job whose attempts the scheduler hands over while no agents run. */
async function handOver(): Promise<void> {
  await client.submit(paying, {}, { jobId: 'a' })
  await scheduler.onChanges(await world.changes(), { leaseToken: '0' })
  await world.clock.advance(8_000)
}

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

/** Lets the roles work for this time. */
async function pass(ms: number, agents: ReturnType<StateWorld['agents']>): Promise<void> {
  for (let atMs = 0; atMs < ms; atMs += 50) {
    const changes = await world.changes()
    await scheduler.onChanges(changes, { leaseToken: '0' })
    await agents.onChanges(changes, going)
    await world.clock.advance(50)
  }
}

const going = { signal: new AbortController().signal, wasHeldAt: () => true }

describe('attempts that agents get late', () => {
  it('are called by the rate of their limit, and hold up neither others nor the feed', async () => {
    await handOver()
    await agents(16).onChanges(await world.changes(), going)
    await world.clock.advance(1_100)
    expect(called.mail).toEqual([0])
    expect(called.bank).toEqual([0, 250, 500, 750, 1_000])
    await world.clock.advance(5_000)
    expect(called.bank).toHaveLength(10)
  })

  it('are given back when the lease is lost, and are not called', async () => {
    await handOver()
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
    await handOver()
    const late = agents(16)
    const steps = await world.truth.listSteps('a', 'a')
    const started = steps.filter(({ actor }) => actor === 'bank').map((step) => late.startNow(step, '0'))
    expect(started.filter((isStarted) => isStarted)).toHaveLength(1)
  })

  it('are not passed by attempts on time, which keep to the rate behind them', async () => {
    await handOver()
    const late = agents(16)
    await client.submit(paying, {}, { jobId: 'b' })
    await pass(6_000, late)
    expect(called.bank).toHaveLength(20)
    const gaps = called.bank.slice(1).map((ms, index) => ms - (called.bank[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(125)
    expect(called.bank.findIndex((ms) => ms >= 2_000)).toBeLessThanOrEqual(9)
  })

  it('are called by the rate that an operator had set when they got their times', async () => {
    await client.limits.set('bank', { perSecond: 100, burst: 1 }, { by: 'ann', why: 'the bank is fast' })
    await handOver()
    const late = agents(16)
    await pass(200, late)
    expect(called.bank).toHaveLength(10)
    await client.limits.set('bank', { atOnce: 50 }, { by: 'ann', why: 'no rate at all' })
    await client.submit(paying, {}, { jobId: 'b' })
    await pass(150, late)
    expect(called.bank).toHaveLength(20)
  })

  it('are called by a rate that only an operator has set', async () => {
    const quick = defineWorkflow('quick', (job) => {
      for (let index = 0; index < 4; index += 1)
        job.step(
          `pay-${index}`,
          bank.pay,
          { of: 'x' },
          { limits: [{ key: 'bank', atOnce: 50 }], undo: 'none' },
        )
    })
    await client.limits.set(
      'bank',
      { atOnce: 50, perSecond: 2, burst: 1 },
      { by: 'ann', why: 'the bank is slow' },
    )
    await client.submit(quick, {}, { jobId: 'q' })
    await scheduler.onChanges(await world.changes(), { leaseToken: '0' })
    await world.clock.advance(8_000)
    await agents(16).onChanges(await world.changes(), going)
    await world.clock.advance(2_000)
    expect(called.bank).toEqual([0, 500, 1_000, 1_500])
  })
})
