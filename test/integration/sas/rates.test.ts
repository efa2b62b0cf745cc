import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { defineWorkflow, type Limit } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { deferred } from '../../support/deferred.js'
import { StateWorld } from '../../support/state-world.js'

/** A workflow of twelve steps that share one limit. */
const twelve = (limit: Limit) =>
  defineWorkflow('shopping', (job) => {
    for (let index = 0; index < 12; index += 1)
      job.step(`send-${index}`, shop.sell, { item: 'x' }, { limits: [limit], undo: 'none' })
  })

const fourASecond: Limit = { key: 'bank', perSecond: 4, burst: 1 }
const held = { leaseToken: '0' }

let world: StateWorld
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>

beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
})

/** Delivers the changes to the scheduler until it has nothing to do. */
async function schedule(by = scheduler): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await by.onChanges(page, held)
    await world.clock.advance(0)
  }
}

/** Lets a supervisor offer the steps whose times have passed. */
async function offer(): Promise<void> {
  await world.supervisor().runOnce()
  await schedule()
}

async function begun(jobId = 'a'): Promise<number> {
  const steps = await world.truth.listSteps(jobId, jobId)
  return steps.filter(({ processState }) => processState === 'Processing').length
}

/** Returns how many steps have begun at the start, and after each of these pauses. */
async function begunAfter(pausesMs: readonly number[]): Promise<readonly number[]> {
  const counts = [await begun()]
  for (const ms of pausesMs) {
    await world.clock.advance(ms)
    await schedule()
    counts.push(await begun())
  }
  return counts
}

describe('steps that wait for the time of a rate', () => {
  it('begin one after another at their times, also within one job and without a supervisor', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    expect(await begunAfter([249, 1, 249, 1, 250, 250, 250, 1_500, 249, 1])).toEqual([
      1, 1, 2, 2, 3, 4, 5, 6, 12, 12, 12,
    ])
  })

  it('begin together only if a burst allows it', async () => {
    await client.submit(twelve({ ...fourASecond, burst: 3 }), {}, { jobId: 'a' })
    await schedule()
    expect(await begunAfter([250, 250, 250])).toEqual([3, 4, 5, 6])
  })

  it('begin no more when the process has released the lease, and a supervisor offers them', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    scheduler.onLeaseReleased('0')
    expect(await begunAfter([1_000])).toEqual([1, 1])
    await world.clock.advance(2_000)
    await world.supervisor().runOnce()
    await schedule(world.scheduler('scheduler-2'))
    expect(await begun()).toBeGreaterThan(1)
  })

  it('begin one after another again if no scheduler ran at their times', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    expect(await begunAfter([250])).toEqual([1, 2])
    scheduler.onLeaseReleased('0')
    await world.clock.advance(28_000)
    scheduler = world.scheduler('scheduler-2')
    await offer()
    expect(await begunAfter([249, 1, 250, 250, 2_000])).toEqual([3, 3, 4, 5, 6, 12])
  })

  it('begin at their times although another scheduler has taken over the job', async () => {
    await client.submit(twelve({ ...fourASecond, perSecond: 1 }), {}, { jobId: 'a' })
    await schedule()
    scheduler.onLeaseReleased('0')
    await world.clock.advance(3_500)
    scheduler = world.scheduler('scheduler-2')
    await offer()
    expect(await begunAfter([499, 1, 1_000, 1_000])).toEqual([4, 4, 5, 6, 7])
  })

  it('keep a time that a timer of this process meets late', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    const other = deferred()
    const held = scheduler.partitions.run('a', () => other.promise)
    await world.clock.advance(20_000)
    other.resolve()
    await held
    expect(await begunAfter([0])).toEqual([1, 12])
  })

  it('begin no more when the process stops', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    await scheduler.stop()
    expect(await begunAfter([1_000])).toEqual([1, 1])
  })

  it('begin no more while an operator has paused the job', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    await client.pause('a', 'stop')
    await schedule()
    const before = await begun()
    await world.clock.advance(5_000)
    await schedule()
    expect(await begun()).toBe(before)
  })

  it('begin at their times although this process remembers nothing of them any more', async () => {
    await client.submit(twelve(fourASecond), {}, { jobId: 'a' })
    await schedule()
    const job = await world.job('a')
    scheduler.known.forgetSteps(job)
    expect(await begunAfter([250, 250])).toEqual([1, 2, 3])
  })
})
