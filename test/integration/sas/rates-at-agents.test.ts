import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { defineAgent, defineWorkflow, type Limit } from '../../../src/sas/index.js'
import { replacing } from '../../../src/sas/store/state-store.js'
import { StateWorld } from '../../support/state-world.js'

const bank = defineAgent('bank', { pay: (input: { readonly of: string }) => input })
const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const paying = (name: string, count: number, limits: readonly Limit[]) =>
  defineWorkflow(name, (job) => {
    for (let i = 0; i < count; i += 1) job.step(`pay-${i}`, bank.pay, { of: name }, { limits, undo: 'none' })
  })

let world: StateWorld
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>
let called: { of: string; ms: number }[]
let startMs: number

beforeEach(() => {
  world = new StateWorld()
  called = []
  const { store, queries, clock, telemetry } = world
  startMs = clock.now()
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
})

const agents = () =>
  world.agents({
    slots: 200,
    agents: [
      defineAgent('bank', {
        pay: (input: { readonly of: string }) => {
          called.push({ of: input.of, ms: world.clock.now() - startMs })
          return input
        },
      }),
    ],
  })

/** Submits a job whose attempts the scheduler hands over during this time, while no agents run. */
async function handedOver(count: number, limits: readonly Limit[], ms: number): Promise<void> {
  await client.submit(paying('a', count, limits), {}, { jobId: 'a' })
  await scheduler.onChanges(await world.changes(), { leaseToken: '0' })
  await world.clock.advance(ms)
}

async function pass(ms: number, of?: ReturnType<StateWorld['agents']>): Promise<void> {
  for (let at = 0; at < ms; at += 100) {
    const changes = await world.changes()
    await scheduler.onChanges(changes, { leaseToken: '0' })
    await of?.onChanges(changes, going)
    await world.clock.advance(100)
  }
}

describe('an attempt with a rate is called at its time', () => {
  it('after an operator has lowered the rate', async () => {
    const limits = [{ key: 'bank', perSecond: 50 }]
    const some = agents()
    await client.submit(paying('a', 45, limits), {}, { jobId: 'a' })
    await pass(500, some)
    expect(called).toHaveLength(45)
    await client.limits.set('bank', { perSecond: 0.5, burst: 1 }, { by: 'ann', why: 'slow' })
    await client.submit(paying('b', 1, limits), {}, { jobId: 'b' })
    await pass(5_000, some)
    expect(called.filter(({ of }) => of === 'b')).toHaveLength(1)
  })

  it('after a newer job definition has lowered the rate', async () => {
    const some = agents()
    await client.submit(paying('a', 45, [{ key: 'bank', perSecond: 50 }]), {}, { jobId: 'a' })
    await pass(500, some)
    await client.submit(paying('b', 1, [{ key: 'bank', perSecond: 0.5, burst: 1 }]), {}, { jobId: 'b' })
    await pass(5_000, some)
    expect(called.filter(({ of }) => of === 'b')).toHaveLength(1)
  })

  it('after a job with many waiting attempts was cancelled, whose attempts use no rate', async () => {
    const limits = [{ key: 'bank', perSecond: 1, burst: 1 }]
    await handedOver(40, limits, 45_000)
    const some = agents()
    await pass(1_000, some)
    await client.cancel('a', 'wrong')
    const before = called.length
    await pass(1_000, some)
    await client.submit(paying('b', 1, limits), {}, { jobId: 'b' })
    await pass(60_000, some)
    const b = called.find(({ of }) => of === 'b')
    const lateA = called.slice(before).filter(({ of }) => of === 'a').length
    expect({ lateA, b: b !== undefined && b.ms < 52_000 }).toEqual({ lateA: 0, b: true })
  })
})

it('a late step of a low rate that an operator has set keeps its time if it is late for less than the interval', async () => {
  const limit: Limit = { key: 'bank', perSecond: 5, burst: 1 }
  await client.limits.set('bank', { perSecond: 1 / 60, burst: 1 }, { by: 'ann', why: 'slow' })
  const all = async () => {
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await scheduler.onChanges(page, { leaseToken: '0' })
      await world.clock.advance(0)
    }
  }
  for (const jobId of ['a', 'b', 'c', 'd']) {
    await client.submit(paying(jobId, 1, [limit]), {}, { jobId })
    await all()
  }
  await world.clock.advance(59_000)
  scheduler.onLeaseReleased('0')
  await world.clock.advance(8_000)
  scheduler = world.scheduler('scheduler-2')
  await world.supervisor().runOnce()
  await all()
  const begun = async (id: string) =>
    (await world.truth.listSteps(id, id)).filter(({ processState }) => processState === 'Processing').length
  expect([await begun('b'), await begun('c')]).toEqual([1, 0])
})

it('a stop does not call attempts that wait in memory for their rate, and does not wait for them', async () => {
  await handedOver(40, [{ key: 'bank', perSecond: 1, burst: 1 }], 45_000)
  const some = agents()
  await some.onChanges(await world.changes(), going)
  await world.clock.advance(0)
  const before = called.length
  let isStopped = false
  const stop = some.stop(20_000).then(() => {
    isStopped = true
  })
  await world.clock.advance(10_000)
  const during = called.length - before
  const atTen = isStopped
  await world.clock.advance(30_000)
  await stop
  expect({ during, atTen }).toEqual({ during: 0, atTen: true })
})

it('a paused job: attempts in memory are not lost after the resume', async () => {
  await handedOver(20, [{ key: 'bank', perSecond: 1, burst: 1 }], 25_000)
  const some = agents()
  await pass(1_000, some)
  await client.pause('a', 'stop')
  await pass(5_000, some)
  await client.resume('a')
  await pass(40_000, some)
  expect(called).toHaveLength(20)
})

it('an attempt that waits in memory, and that a later one replaces, is not called', async () => {
  await handedOver(10, [{ key: 'bank', perSecond: 4, burst: 1 }], 8_000)
  const some = agents()
  await some.onChanges(await world.changes(), going)
  await world.clock.advance(0)
  const open = (await world.truth.listSteps('a', 'a')).filter(({ outcome }) => outcome === null)
  await world.put(
    'a',
    open.map((step) => replacing(step, { ...step, fence: step.fence + 2 })),
  )
  await some.onChanges(await world.changes(), going)
  const since = world.clock.now() - startMs
  await world.clock.advance(3_000)
  expect(called.map(({ ms }) => ms - since)).toEqual([
    0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250,
  ])
})
