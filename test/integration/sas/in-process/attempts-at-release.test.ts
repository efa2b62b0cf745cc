import { describe, expect, it } from 'vitest'
import { aWorkflow } from '../../../support/a-job.js'
import { twoProcesses } from '../../../support/processes-world.js'

const oneStep = aWorkflow({ a: [] }, { completeWithin: '10m' })

/** A host with many attempts stops and gives them time; another one takes its leases. */
async function moved(
  keepsDocuments: boolean,
  { jobs, partitionKey, latencyMs }: { jobs: number; partitionKey?: string; latencyMs: number },
) {
  const { w, calls, one, two } = await twoProcesses(30_000, keepsDocuments)
  const submitted = Promise.all(
    Array.from({ length: jobs }, (_, n) =>
      one.client.submit(oneStep, {}, { jobId: `job-${n}`, ...(partitionKey && { partitionKey }) }),
    ),
  )
  await w.clock.advance(500)
  await submitted
  await w.clock.advance(500)
  const before = calls.length
  w.afterApply.set('one', () => w.clock.sleep(latencyMs))
  const stopped = Promise.all([one.scheduler.stop(), one.agents.stop()])
  await w.clock.advance(100)
  const startedTwo = Promise.all([two.scheduler.start(), two.agents.start()])
  await w.clock.advance(120_000)
  await Promise.all([stopped, startedTwo])
  const end = Promise.all([two.scheduler.stop(), two.agents.stop()])
  await w.clock.advance(70_000)
  await end
  return { before, calls: calls.length }
}

describe('the release of leases with attempts that only their jobs have', () => {
  it.each([
    { jobs: 200, partitionKey: 'p', latencyMs: 10 },
    { jobs: 200, partitionKey: 'p', latencyMs: 25 },
    { jobs: 20, latencyMs: 3_500 },
  ])('calls nothing twice: %j', async (how) => {
    const d = await moved(true, how)
    const b = await moved(false, how)
    expect(b.calls).toBe(d.calls)
  })
})
