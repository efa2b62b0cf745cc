import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { going, holding, leaseToken, together } from '../../../support/one-process.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

function slow() {
  const calls: { item: string; end: ReturnType<typeof deferred<string>>; context: AgentContext }[] = []
  const shop = defineAgent('shop', {
    sell: ({ item }: { readonly item: string }, context: AgentContext) => {
      const end = deferred<string>()
      calls.push({ item, end, context })
      return end.promise
    },
    takeBack: () => null,
  })
  return { shop, calls }
}

async function drain(both: ReturnType<typeof together>, context = going, signalAgents = true) {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await both.scheduler.onChanges(page, context)
    if (signalAgents) await both.agents.onChanges(page, going)
  }
}

const line = aWorkflow({ a: [], b: ['a'] }, { completeWithin: '10m' })

describe('an attempt in its job', () => {
  it('does not hold the checkpoint for good if its job is deleted by hand and submitted again', async () => {
    const { shop, calls } = slow()
    const both = together(world, [shop])
    const { state, context } = holding()
    await client.submit(line, 'old', { jobId: 'job-1' })
    await drain(both, context)
    expect([begunInJob(await world.job()).length, state.held]).toEqual([1, 1])
    const job = await world.job()
    await world.put('job-1', [replacing(job, { ...job, ttl: 1 })])
    await world.clock.advance(2_000)
    await client.submit(line, 'new', { jobId: 'job-1' })
    await drain(both, context)
    // The attempt of the new job has a document, because that of the old one is still remembered.
    expect(begunInJob(await world.job()).length).toBe(0)
    for (let at = 0; at < 3; at += 1) {
      for (const call of calls) call.end.resolve('x')
      await world.clock.advance(6_000)
      await drain(both, context)
    }
    expect((await world.job()).processState).toBe('Processed')
    await world.clock.advance(600_000)
    expect(state.held).toBe(0)
  })

  it('begins once after an unknown outcome and then an unreachable store', async () => {
    const { shop, calls } = slow()
    const both = together(world, [shop])
    const { state, context } = holding()
    await client.submit(line, 'old', { jobId: 'job-1' })
    world.faults.failWrites(
      { kind: 'unknownOutcome', truth: 'applied' },
      { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) },
    )
    await drain(both, context)
    await world.clock.advance(30_000)
    await drain(both, context)
    expect(calls).toHaveLength(1)
    calls[0]?.end.resolve('x')
    await world.clock.advance(10)
    await drain(both, context)
    await world.clock.advance(10)
    calls[1]?.end.resolve('x')
    await world.clock.advance(30_000)
    await drain(both, context)
    expect([(await world.job()).processState, state.held, world.clock.pendingTimers]).toEqual([
      'Processed',
      0,
      0,
    ])
  })

  it('begins once if the write of its dispatch throws although it was applied', async () => {
    const { shop, calls } = slow()
    const both = together(world, [shop])
    const { state, context } = holding()
    await client.submit(line, 'old', { jobId: 'job-1' })
    let isFirst = true
    Object.assign(world.store, {
      apply: async (...args: Parameters<typeof world.truth.apply>) => {
        const result = await world.truth.apply(...args)
        if (isFirst) {
          isFirst = false
          throw new StoreUnavailable('lost', { cause: null })
        }
        return result
      },
    })
    await drain(both, context)
    await world.clock.advance(3_000)
    await drain(both, context)
    await world.clock.advance(30_000)
    await drain(both, context)
    expect(calls).toHaveLength(1)
    for (let at = 0; at < 3; at += 1) {
      for (const call of calls) call.end.resolve('x')
      await world.clock.advance(6_000)
      await drain(both, context)
    }
    expect([(await world.job()).processState, state.held, world.clock.pendingTimers]).toEqual([
      'Processed',
      0,
      0,
    ])
  })

  it('may be extended, and is then given back when its host stops', async () => {
    const { shop, calls } = slow()
    const both = together(world, [shop])
    const { state, context } = holding()
    await client.submit(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '10s' }), 'old', { jobId: 'job-1' })
    await drain(both, context)
    const [call] = calls
    await world.clock.advance(4_000)
    expect(begunInJob(await world.job())).toHaveLength(1)
    await call?.context.progress({ done: 1, of: 2 })
    expect(begunInJob(await world.job())).toHaveLength(0)
    await call?.context.extend()
    await drain(both, context)
    const stopping = both.agents.stop(1_000)
    await world.clock.advance(10_000)
    await stopping
    expect((await world.step('a')).failureCount).toBe(0)
    await drain(both, context)
    await world.clock.advance(1_000)
    await drain(both, context)
    expect(calls).toHaveLength(2)
    for (let at = 0; at < 3; at += 1) {
      for (const one of calls) one.end.resolve('x')
      await world.clock.advance(6_000)
      await drain(both, context)
    }
    expect([(await world.job()).processState, state.held]).toEqual(['Processed', 0])
  })

  it('is given back without a failure when its host stops and has lost its leases', async () => {
    const { shop, calls } = slow()
    const both = together(world, [shop])
    await client.submit(line, 'old', { jobId: 'job-1' })
    await drain(both, going)
    both.inProcessPath.scheduler.close(leaseToken)
    both.scheduler.onLeaseReleased(leaseToken)
    both.inProcessPath.agents.close(leaseToken)
    both.agents.leaveRange(leaseToken)
    const stopping = both.agents.stop(1_000)
    await world.clock.advance(10_000)
    await stopping
    await both.scheduler.stop()
    expect(world.clock.pendingTimers).toBe(0)
    const next = together(world, [shop], { name: 'two' })
    await drain(next)
    await world.clock.advance(1_000)
    expect(calls).toHaveLength(2)
    expect(await world.step('a')).toMatchObject({ failureCount: 0 })
    for (let at = 0; at < 3; at += 1) {
      for (const one of calls) one.end.resolve('x')
      await world.clock.advance(6_000)
      await drain(next)
    }
    expect((await world.job()).processState).toBe('Processed')
  })
})
