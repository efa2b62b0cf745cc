import { beforeEach, describe, expect, it, vi } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { defineAgent, defineWorkflow, type Limit } from '../../../src/sas/index.js'
import { StoreUnavailable } from '../../../src/sas/model/errors.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const held = { leaseToken: '0', holdCheckpoint: () => () => undefined }
const kilobyte = 'x'.repeat(1_000)

let world: StateWorld
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>

beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
})

/** A workflow with steps that come to these limits, and that have the input of the job as a part of their own. */
const steps = (count: number, limits: readonly Limit[], name = 'shopping') =>
  defineWorkflow<{ readonly text: string }>(name, (job) => {
    for (let index = 0; index < count; index += 1)
      job.step(`send-${index}`, shop.sell, { item: job.input.text }, { limits, undo: 'none' })
  })

const small = { text: 'x' }

async function schedule(): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page, held)
    await world.clock.advance(0)
  }
}

async function submitted(jobId: string, workflow: ReturnType<typeof steps>, input = small): Promise<void> {
  await client.submit(workflow, input, { jobId })
  await schedule()
}

/** Lets a supervisor offer the steps whose times have passed. */
async function offer(): Promise<void> {
  await world.supervisor().runOnce()
  await schedule()
}

/** Lets no scheduler run for this time, and then another one. */
async function outage(ms: number): Promise<void> {
  scheduler.onLeaseReleased('0')
  await world.clock.advance(ms)
  scheduler = world.scheduler('scheduler-2')
  await offer()
}

async function pass(ms: number, stepMs = 250): Promise<void> {
  for (let atMs = 0; atMs < ms; atMs += stepMs) {
    await world.clock.advance(stepMs)
    await schedule()
  }
}

async function begun(jobId = 'a'): Promise<number> {
  const all = await world.truth.listSteps(jobId, jobId)
  return all.filter(({ processState }) => processState === 'Processing').length
}

/** Returns how long a step that comes to this limit now would wait. */
async function waitMs(limit: Limit): Promise<number> {
  await submitted('next', steps(1, [limit], 'next'))
  const [step] = await world.truth.listSteps('next', 'next')
  return Math.max(0, (step?.notBeforeMs ?? 0) - world.clock.now())
}

describe('the times of a rate are used', () => {
  it('by all late steps of a job, although one transaction has no room for them', async () => {
    const limit: Limit = { key: 'bank', perSecond: 20, burst: 1 }
    await submitted('a', steps(200, [limit]))
    await outage(28_000)
    expect(await waitMs(limit)).toBeLessThanOrEqual(10_100)
    await pass(10_000, 50)
    expect(await begun()).toBeGreaterThanOrEqual(195)
  })

  it('by all steps of a job that was paused and resumed', async () => {
    const limit: Limit = { key: 'bank', perSecond: 20, burst: 1 }
    await submitted('a', steps(200, [limit]))
    await client.pause('a', 'stop')
    await schedule()
    await world.clock.advance(60_000)
    await client.resume('a')
    await schedule()
    await pass(10_000, 50)
    expect(await begun()).toBeGreaterThanOrEqual(195)
  })

  it('by steps with large inputs, of which a transaction has only a few', async () => {
    const limit: Limit = { key: 'bank', perSecond: 1, burst: 1 }
    await submitted('a', steps(45, [limit]), { text: kilobyte.repeat(100) })
    expect(await waitMs(limit)).toBe(45_000)
  })

  it('by a job whose partition refuses the writes with these times, with the rate that gave them', async () => {
    const limit: Limit = { key: 'bank', perSecond: 5 }
    const rate = { perSecond: 1, burst: 1 }
    await client.limits.set('bank', rate, { by: 'ann', why: 'the bank is slow' })
    await client.submit(steps(45, [limit]), small, { jobId: 'a' })
    const { truth, store } = world
    let refusals = 0
    vi.spyOn(store, 'apply').mockImplementation((pk, writes) => {
      if (pk !== 'a' || refusals === 6) return truth.apply(pk, writes)
      refusals += 1
      return Promise.reject(new StoreUnavailable('the partition is throttled', { cause: null }))
    })
    await schedule()
    for (let tries = 0; tries < 400 && refusals < 6; tries += 1) await pass(500, 500)
    await pass(2_000, 500)
    expect(await waitMs(limit)).toBeLessThanOrEqual(46_000)
    const given = async () => {
      const all = await truth.listSteps('a', 'a')
      return all.map(({ place }) => place?.gates[0]?.given)
    }
    for (let tries = 0; tries < 400 && (await given()).includes(undefined); tries += 1) await pass(500, 500)
    expect(await given()).toEqual(Array(45).fill(rate))
  })

  it('by a job that is paused and resumed at once', async () => {
    await submitted('a', steps(40, [{ key: 'bank', perSecond: 1, burst: 1 }]))
    for (let round = 0; round < 3; round += 1) {
      await client.pause('a', 'stop')
      await schedule()
      await client.resume('a')
      await schedule()
    }
    await pass(10_000, 500)
    expect(await begun()).toBe(11)
  })

  it('by a step of a low rate that was late for less than the interval of its rate', async () => {
    const limit: Limit = { key: 'bank', perSecond: 1 / 60, burst: 1 }
    for (const jobId of ['a', 'b', 'c', 'd']) await submitted(jobId, steps(1, [limit]))
    await world.clock.advance(59_000)
    await outage(8_000)
    expect([await begun('b'), await begun('c')]).toEqual([1, 0])
  })
})

describe('a time of a rate is used once', () => {
  it('by jobs of one partition, whose limit is written with them, although one of the writes is refused', async () => {
    const limit: Limit = { key: 'bank', perSecond: 1, burst: 1, perPartition: true }
    for (const jobId of ['a', 'b'])
      await client.submit(steps(5, [limit], jobId), small, { jobId, partitionKey: 'tenant' })
    const page = await world.changes()
    const pageOf = (id: string) => page.filter(({ jobId }) => jobId === id)
    await Promise.all([
      scheduler.onChanges(pageOf('a'), held),
      world.scheduler('scheduler-2').onChanges(pageOf('b'), { ...held, leaseToken: '1' }),
    ])
    await world.clock.advance(0)
    const all = await Promise.all(['a', 'b'].map((jobId) => world.truth.listSteps('tenant', jobId)))
    const times = all.flat().flatMap(({ notBeforeMs }) => notBeforeMs ?? [])
    expect(times).toHaveLength(9)
    expect(new Set(times).size).toBe(9)
  })

  it('by the first attempt of a step whose write had no answer, and not by its next attempt', async () => {
    const calls: number[] = []
    const startMs = world.clock.now()
    const failing = defineAgent('shop', {
      sell: () => {
        calls.push(world.clock.now() - startMs)
        throw new Error('not now')
      },
    })
    const agents = world.agents({ agents: [failing] })
    await client.submit(steps(1, [{ key: 'bank', perSecond: 1 / 60, burst: 1 }]), small, { jobId: 'a' })
    const { truth, store } = world
    let isAnswered = false
    vi.spyOn(store, 'apply').mockImplementation(async (pk, writes) => {
      const result = await truth.apply(pk, writes)
      if (pk !== 'a' || isAnswered) return result
      isAnswered = true
      return { kind: 'unknownOutcome', cause: null }
    })
    for (let tick = 0; tick < 150; tick += 1) {
      const page = await world.changes()
      await scheduler.onChanges(page, held)
      await agents.onChanges(page, { signal: new AbortController().signal, wasHeldAt: () => true })
      await world.clock.advance(500)
      await world.supervisor().runOnce()
    }
    expect(calls).toHaveLength(2)
    expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(59_000)
  })
})

describe('steps of a rate do not begin together', () => {
  it('after a short pause of their job', async () => {
    await submitted('a', steps(18, [{ key: 'bank', perSecond: 4, burst: 1 }]))
    await client.pause('a', 'stop')
    await schedule()
    await pass(4_500)
    await client.resume('a')
    await schedule()
    expect(await begun()).toBeLessThanOrEqual(2)
  })

  it('after they have waited for the times of lower rates of their own', async () => {
    const bank: Limit = { key: 'bank', perSecond: 2, burst: 1 }
    const tenants = Array.from({ length: 10 }, (_, index) => `tenant-${index}`)
    for (const tenant of tenants) {
      await submitted(tenant, steps(2, [bank, { key: tenant, perSecond: 1 / 30, burst: 1 }], tenant))
    }
    const counts: number[] = []
    for (let quarter = 0; quarter < 160; quarter += 1) {
      await pass(250)
      const each = await Promise.all(tenants.map((tenant) => begun(tenant)))
      counts.push(each.reduce((sum, count) => sum + count, 0))
    }
    const inASecond = counts.map((count, index) => count - (counts[index - 4] ?? 0))
    expect(Math.max(...inASecond.slice(4))).toBeLessThanOrEqual(3)
    expect(counts.at(-1)).toBe(20)
  })
})
