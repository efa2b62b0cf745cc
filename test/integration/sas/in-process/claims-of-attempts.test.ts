import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import type { StateStore } from '../../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { going, leaseToken, together } from '../../../support/one-process.js'

/** One slot. The outcome of `a` is being written with the attempt of `b`; another step comes and waits for the slot; the scheduler's lease closes. */
async function run(keeps: boolean, extra = 0) {
  const w = new StateWorld()
  const client = new JobClient(w)
  const calls: string[] = []
  const ends = new Map<string, ReturnType<typeof deferred<string>>>()
  const shop = defineAgent('shop', {
    sell: ({ item }: { readonly item: string }) => {
      calls.push(item)
      const end = deferred<string>()
      ends.set(item, end)
      return end.promise
    },
    takeBack: () => null,
  })
  const both = together(w, [shop], { name: 'one', slots: 1 })
  const offer = both.inProcessPath.agents.at(leaseToken)
  if (keeps && offer) both.inProcessPath.agents.open(leaseToken, { ...offer, promise: () => false })
  await client.submit(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '1h' }), {}, { jobId: 'job-1' })
  const page = await w.changes()
  await both.scheduler.onChanges(page, going)
  // The write of the outcome takes a while.
  const { truth, clock } = w
  const answer = deferred<null>()
  let isHeld = false
  const apply: StateStore['apply'] = async (...args) => {
    const result = await truth.apply(...args)
    if (!isHeld) {
      isHeld = true
      await answer.promise
    }
    return result
  }
  Object.assign(w.store, { apply })
  ends.get('a')?.resolve('x')
  await clock.advance(1)
  expect(isHeld).toBe(true)
  // Another job's step comes from another scheduler through the feed and waits for the only slot.
  await client.submit(aWorkflow({ z: [] }, { completeWithin: '1h' }), {}, { jobId: 'other' })
  const two = w.scheduler('two')
  const early = await w.changes()
  await two.onChanges(early.filter((c) => String(c['jobId']) === 'other'))
  const zs = await w.changes()
  const offered = both.agents.onChanges(
    zs.filter((c) => c.id.endsWith(':z')),
    going,
  )
  await clock.advance(1)
  // The lease of the scheduler closes, while that of the agents stays.
  const schedulerOffer = both.inProcessPath.scheduler.at(leaseToken)
  both.inProcessPath.scheduler.close(leaseToken)
  const closing = both.scheduler.documentAttempts(leaseToken)
  await clock.advance(1)
  answer.resolve(null)
  for (let i = 0; i < extra; i += 1) await Promise.resolve()
  await clock.advance(100)
  await closing
  both.scheduler.onLeaseReleased(leaseToken)
  await clock.advance(100)
  const stepB = await w.step('b')
  // z ends, the slot is free; the agents get b from the feed.
  ends.get('z')?.resolve('x')
  await offered
  await clock.advance(100)
  await both.agents.onChanges([...early, ...zs], going)
  await clock.advance(100)
  for (let p = await w.changes(); p.length > 0; p = await w.changes()) {
    await both.agents.onChanges(p, going)
    await two.onChanges(p)
  }
  await clock.advance(1_800_000)
  return {
    calls,
    claim: stepB.claim,
    inJob: begunInJob(await w.job()).length,
    schedulerOffer: schedulerOffer !== undefined,
  }
}

describe('an attempt whose slot goes to other work', () => {
  it('gets no claim, and is made soon (F-A33)', async () => {
    const d = await run(true)
    const b = await run(false)
    expect(d.calls).toContain('b')
    expect(b.calls).toContain('b')
  })
})
