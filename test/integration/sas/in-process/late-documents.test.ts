import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import { aWorkflow, shop as plainShop } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { going, holding, leaseToken, together } from '../../../support/one-process.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

describe('an attempt that was never begun, whose document is written only after its deadline', () => {
  it('is not told to be the fault of clocks', async () => {
    const shop = defineAgent('shop', { sell: () => 'x', takeBack: () => null })
    const both = together(world, [shop])
    const { context } = holding()
    await client.submit(aWorkflow({ a: [] }, { completeWithin: '10s' }), {}, { jobId: 'job-1' })
    vi.spyOn(both.agents, 'startNow').mockReturnValueOnce(false)
    let isFirst = true
    const { truth, clock, store } = world
    const untilMs = clock.monotonic() + 12_500
    Object.assign(store, {
      apply: (...args: Parameters<typeof truth.apply>) => {
        const isOut = !isFirst && clock.monotonic() < untilMs
        isFirst = false
        return isOut ? Promise.reject(new StoreUnavailable('busy', { cause: null })) : truth.apply(...args)
      },
    })
    await both.scheduler.onChanges(await world.changes(), context)
    expect(begunInJob(await world.job())).toHaveLength(1)
    await clock.advance(16_000)
    expect(begunInJob(await world.job())).toHaveLength(0)
    await both.agents.onChanges(await world.changes(), going)
    await clock.advance(10_000)
    await world.supervisor().runOnce()
    const step = await world.step('a')
    expect(step.attention?.message ?? '').not.toContain('clocks')
  })
})

describe('a migrated step', () => {
  it.each([false, true])(
    'a step in its first attempt keeps the version with which it began (documents %j)',
    async (keeps) => {
      const end = deferred<{ item: string }>()
      const shop = defineAgent('shop', { sell: () => end.promise, takeBack: () => null })
      const both = together(world, [shop])
      const offer = both.inProcessPath.agents.at(leaseToken)
      if (keeps && offer !== undefined)
        both.inProcessPath.agents.open(leaseToken, { ...offer, promise: () => false })
      const version = (number: number, item: string) =>
        defineWorkflow<object>(
          'one',
          (job) => {
            const a = job.step('a', plainShop.sell, { item: 'a' }, { completeWithin: '1m', undo: 'none' })
            job.step('b', plainShop.sell, { item }, { completeWithin: '1m', undo: 'none', after: [a] })
          },
          { version: number },
        )
      await client.submit(version(1, 'b1'), {}, { jobId: 'job-1' })
      await both.scheduler.onChanges(await world.changes(), going)
      expect(begunInJob(await world.job())).toHaveLength(keeps ? 0 : 1)
      const before = await world.step('a')
      await client.migrate('job-1', version(2, 'b2'), { by: 'ann', why: 'new' })
      // Both steps have documents now, so neither has a plan in the job (I45).
      expect((await world.job()).planned).toBeUndefined()
      await both.scheduler.onChanges(await world.changes(), going)
      end.resolve({ item: 'x' })
      await world.clock.advance(10)
      const after = await world.step('a')
      expect([before.workflowVersion, after.workflowVersion]).toEqual([1, 1])
    },
  )
})
