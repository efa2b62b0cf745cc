import { describe, expect, it } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import type { StateStore } from '../../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { deferred } from '../../../support/deferred.js'
import { going, leaseToken, together } from '../../../support/one-process.js'

/** The step gets its document between the read and the write of `updateDocument` of its agents. */
async function run(keeps: boolean, how: 'outcome' | 'progress' | 'extend' | 'timer') {
  const w = new StateWorld()
  const calls: string[] = []
  const end = deferred<string>()
  const contexts: AgentContext[] = []
  const shop = defineAgent('shop', {
    sell: ({ item }: { readonly item: string }, context: AgentContext) => {
      calls.push(item)
      contexts.push(context)
      return calls.length === 1 ? end.promise : 'again'
    },
    takeBack: () => null,
  })
  const both = together(w, [shop])
  const offer = both.inProcessPath.agents.at(leaseToken)
  if (keeps && offer) both.inProcessPath.agents.open(leaseToken, { ...offer, promise: () => false })
  await new JobClient(w).submit(
    aWorkflow({ a: [] }, { completeWithin: '10s', retry: { tries: 1 } }),
    {},
    { jobId: 'job-1' },
  )
  await both.scheduler.onChanges(await w.changes(), going)
  await w.clock.advance(how === 'timer' ? 4_990 : 4_000)
  expect(begunInJob(await w.job())).toHaveLength(keeps ? 0 : 1)
  const { truth } = w
  let isIn = false
  const apply: StateStore['apply'] = async (...args) => {
    if (how === 'timer') {
      // The agents' own writes take 20 ms to arrive; those of the scheduler 1 ms.
      const isOfAgents = args[1][0]?.document['type'] === 'sas.step'
      await w.clock.sleep(isOfAgents ? 20 : 1)
      return truth.apply(...args)
    }
    if (isIn) return truth.apply(...args)
    isIn = true
    // Another scheduler, which owns the range by now, reads the job.
    await w.scheduler('two').onChanges([(await truth.read({ pk: 'job-1', id: 'sas.job:job-1' })) as never])
    return truth.apply(...args)
  }
  Object.assign(w.store, { apply })
  let thrown: unknown = null
  if (how === 'outcome') {
    both.inProcessPath.scheduler.close(leaseToken)
    both.scheduler.onLeaseReleased(leaseToken)
    end.resolve('x')
  } else {
    const [context] = contexts
    const asked = how === 'extend' ? context?.extend() : context?.progress({ done: 1, of: 2 })
    asked
      ?.then(() => end.resolve('x'))
      .catch((error: unknown) => {
        thrown = error
        end.reject(error)
      })
  }
  await w.clock.advance(200)
  Object.assign(w.store, { apply: truth.apply.bind(truth) })
  const three = how === 'outcome' ? w.scheduler('two') : both.scheduler
  for (let n = 0; n < 20; n += 1) {
    for (let p = await w.changes(); p.length > 0; p = await w.changes()) {
      await three.onChanges(p, going)
      await both.agents.onChanges(p, going)
    }
    await w.clock.advance(10_000)
    await w.supervisor().runOnce()
  }
  const job = await w.job()
  return {
    calls,
    state: job.processState,
    thrown: String(thrown),
    attention: job.attention?.message,
    discarded: w.telemetry.of('outcome.discarded').map((e) => String((e as { error?: unknown }).error)),
  }
}

describe('a step that gets its document between a read and a write of its agents', () => {
  it.each(['outcome', 'progress', 'extend', 'timer'] as const)('keeps its %s', async (how) => {
    const [d, b] = [await run(true, how), await run(false, how)]
    expect(d.state).toBe('Processed')
    expect(b).toEqual(d)
  })
})
