import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StoreRefused } from '../../../../src/sas/model/errors.js'
import { replacing, type StateStore } from '../../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { deferred } from '../../../support/deferred.js'
import { going, leaseToken, together } from '../../../support/one-process.js'

/** @param isContested whether another writer changes the job just before the step gets its document */
async function run(keeps: boolean, isContested = false) {
  const w = new StateWorld()
  const { truth } = w
  // Cosmos DB answers 413 to a batch of more than 2 MB (cosmos-batch.ts isTooLarge, cosmos-store-error -> StoreRefused).
  let isRivalDue = isContested
  const apply: StateStore['apply'] = async (pk, writes) => {
    const isOfDocument =
      writes.length === 2 && writes[1]?.kind === 'create' && writes[1].document['outcome'] === null
    if (isOfDocument && isRivalDue) {
      isRivalDue = false
      const job = await w.job()
      await truth.apply(pk, [replacing(job, job)])
    }
    if (Buffer.byteLength(JSON.stringify(writes)) > 2 * 2 ** 20)
      throw new StoreRefused('413', { cause: null })
    return truth.apply(pk, writes)
  }
  Object.assign(w.store, { apply })
  const calls: string[] = []
  const end = deferred<string>()
  const shop = defineAgent('shop', {
    sell: ({ item }: { readonly item: string }) => {
      calls.push(item)
      return item === 'a' && calls.length === 1 ? end.promise : 'x'.repeat(990_000)
    },
    takeBack: () => null,
  })
  const both = together(w, [shop])
  const offer = both.inProcessPath.agents.at(leaseToken)
  if (keeps && offer) both.inProcessPath.agents.open(leaseToken, { ...offer, promise: () => false })
  await new JobClient(w).submit(aWorkflow({ a: [] }, { completeWithin: '1h' }), 'i'.repeat(1_200_000), {
    jobId: 'job-1',
  })
  await both.scheduler.onChanges(await w.changes(), going)
  end.resolve('x'.repeat(990_000))
  await w.clock.advance(100)
  for (let n = 0; n < 60; n += 1) {
    for (let p = await w.changes(); p.length > 0; p = await w.changes()) {
      await both.scheduler.onChanges(p, going)
      await both.agents.onChanges(p, going)
    }
    await w.clock.advance(10_000)
  }
  const job = await w.job()
  return {
    calls,
    state: job.processState,
    discarded: w.telemetry.of('outcome.discarded').map(({ reason }) => reason),
  }
}

describe('an outcome that does not fit into one transaction with its job', () => {
  it('is recorded', async () => {
    const [documents, inJob] = [await run(true), await run(false)]
    expect(documents).toEqual({ calls: ['a'], state: 'Processed', discarded: [] })
    expect(inJob).toEqual(documents)
  })

  it('is recorded although another writer changes the job meanwhile', async () => {
    expect(await run(false, true)).toEqual({ calls: ['a'], state: 'Processed', discarded: [] })
  })
})
