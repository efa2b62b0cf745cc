import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import type { StateStore } from '../../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { holding, leaseToken, together } from '../../../support/one-process.js'

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

async function begun() {
  const end = deferred<string>()
  const shop = defineAgent('shop', { sell: () => end.promise, takeBack: () => null })
  const both = together(world, [shop])
  const { state, context } = holding()
  await new JobClient(world).submit(aWorkflow({ pay: [] }, { completeWithin: '10m' }), {}, { jobId: 'job-1' })
  await both.scheduler.onChanges(await world.changes(), context)
  expect(begunInJob(await world.job())).toHaveLength(1)
  await both.scheduler.onChanges(await world.changes(), context)
  expect(state.held).toBe(1)
  return { ...both, end, state, context }
}

/** The next write takes seven seconds, and then the store cannot be reached. Every other write succeeds. */
function slowOnce(): void {
  const { truth, clock } = world
  let isFirst = true
  const apply: StateStore['apply'] = async (...args) => {
    if (!isFirst) return truth.apply(...args)
    isFirst = false
    await clock.sleep(7_000)
    throw new StoreUnavailable('busy', { cause: null })
  }
  Object.assign(world.store, { apply })
}

describe('an attempt in its job, if the write of its document takes longer than 5 s and fails', () => {
  it('gets its document soon afterwards (I46)', async () => {
    await begun()
    slowOnce()
    await world.clock.advance(120_000)
    expect(begunInJob(await world.job())).toHaveLength(0)
  })

  it('does not hold the checkpoint for good, and leaves no timer, if its outcome is written without the scheduler', async () => {
    const { end, state, inProcessPath, scheduler, context } = await begun()
    slowOnce()
    await world.clock.advance(20_000)
    // The agents write the outcome alone: for example the scheduler could not be asked at this moment.
    const offer = inProcessPath.scheduler.at(leaseToken)
    inProcessPath.scheduler.close(leaseToken)
    end.resolve('done')
    await world.clock.advance(1)
    if (offer !== undefined) inProcessPath.scheduler.open(leaseToken, offer)
    for (let page = await world.changes(); page.length > 0; page = await world.changes())
      await scheduler.onChanges(page, context)
    expect((await world.job()).processState).toBe('Processed')
    await world.clock.advance(600_000)
    expect([state.held, world.clock.pendingTimers]).toEqual([0, 0])
  })

  it('does not hold the checkpoint for good if another process gave it the document meanwhile', async () => {
    const { state, scheduler, context } = await begun()
    const { truth, clock, store } = world
    // The read or write of the scheduler waits for six seconds; meanwhile another process writes the document.
    let isFirst = true
    const apply: StateStore['apply'] = async (...args) => {
      if (!isFirst) return truth.apply(...args)
      isFirst = false
      await clock.sleep(6_000)
      return truth.apply(...args)
    }
    Object.assign(store, { apply })
    await world.clock.advance(5_500)
    const other = world.scheduler('two')
    Object.assign(store, { apply: truth.apply.bind(truth) })
    await other.onChanges([(await world.truth.read({ pk: 'job-1', id: 'sas.job:job-1' })) as never])
    expect(begunInJob(await world.job())).toHaveLength(0)
    await world.clock.advance(30_000)
    for (let page = await world.changes(); page.length > 0; page = await world.changes())
      await scheduler.onChanges(page, context)
    await world.clock.advance(300_000)
    expect(state.held).toBe(0)
  })
})
