import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { leaseToken, together } from '../../../support/one-process.js'
import { processesWorld as units } from '../../../support/processes-world.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})
const line = aWorkflow({ a: [] }, { completeWithin: '1m' })

describe('a promise of a slot (I46)', () => {
  it('is given again to the same attempt', async () => {
    const shop = defineAgent('shop', { sell: () => 'x', takeBack: () => null })
    const both = together(world, [shop], { name: 'one', slots: 1 })
    await client.submit(line, {}, { jobId: 'job-1' })
    const step = { ...(await world.step('a')), fence: 1 }
    expect([both.agents.promise(step), both.agents.promise(step)]).toEqual([true, true])
  })

  it('leaves no timer if the scheduler stops while a submission is decided', async () => {
    const shop = defineAgent('shop', { sell: () => 'x', takeBack: () => null })
    const both = together(world, [shop], { name: 'one', slots: 1 })
    const offer = both.inProcessPath.agents.at(leaseToken)
    if (offer === undefined) throw new Error('agents')
    await client.submit(line, {}, { jobId: 'job-1' })
    const step = { ...(await world.step('a')), fence: 1 }
    // As `beginSubmission` of `createScheduler` makes it, before it asks for limits and pauses.
    const here = both.scheduler.inJobs.reserving(offer, leaseToken)
    both.inProcessPath.scheduler.close(leaseToken)
    both.scheduler.onLeaseReleased(leaseToken)
    await both.scheduler.stop()
    here.promise(step)
    Object.assign(world.store, {
      read: () => Promise.reject(new StoreUnavailable('closed', { cause: null })),
      apply: () => Promise.reject(new StoreUnavailable('closed', { cause: null })),
    })
    both.scheduler.known.forgetJob(await world.job())
    await world.clock.advance(3_600_000)
    expect(world.clock.pendingTimers).toBe(0)
  })
})

describe('the same submission repeated in one process', () => {
  it('keeps no slots, so that the attempts of other jobs still begin in their jobs', async () => {
    const w = units()
    const calls: string[] = []
    const one = w.process('one', calls, { handlerMs: 100_000, keepsDocuments: false })
    const started = Promise.all([one.scheduler.start(), one.agents.start()])
    await w.clock.advance(3_000)
    await started
    const many = aWorkflow(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`s${at}`, []])), {
      completeWithin: '10m',
    })
    for (let at = 0; at < 60; at += 1) await one.client.submit(many, {}, { jobId: `job-${at % 30}` })
    // 270 of 400 slots are taken: a further job finds a free one.
    await one.client.submit(line, {}, { jobId: 'last' })
    await w.clock.advance(100)
    expect(calls.length).toBe(271)
    const job = (await w.store.read({ pk: 'last', id: 'sas.job:last' })) as unknown as { planned?: unknown }
    expect(job.planned).toBeDefined()
  })

  it('makes each step once in a burst of a thousand submissions, as with documents', async () => {
    const results: unknown[] = []
    for (const keeps of [false, true]) {
      const w = units()
      const calls: string[] = []
      const one = w.process('one', calls, { handlerMs: 200, keepsDocuments: keeps })
      const started = Promise.all([one.scheduler.start(), one.agents.start()])
      await w.clock.advance(3_000)
      await started
      const chain = aWorkflow({ a: [], b: ['a'] }, { completeWithin: '10m' })
      const all = Promise.all(
        Array.from({ length: 1_000 }, (_, at) => one.client.submit(chain, {}, { jobId: `job-${at}` })),
      )
      let ms = 0
      for (; ms < 60_000 && calls.length < 2_000; ms += 100) await w.clock.advance(100)
      await all
      await w.clock.advance(20_000)
      const stop = Promise.all([one.scheduler.stop(), one.agents.stop()])
      await w.clock.advance(70_000)
      await stop
      results.push({
        calls: calls.length,
        ms,
        timers: w.clock.pendingTimers,
        events: w.telemetry.of('step.dispatched').length,
        started: w.telemetry.of('step.started').length,
      })
    }
    expect(results[0]).toEqual(results[1])
  }, 100_000)
})
