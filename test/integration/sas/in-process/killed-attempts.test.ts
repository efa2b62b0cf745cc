import { describe, expect, it } from 'vitest'
import { aWorkflow } from '../../../support/a-job.js'
import { processesWorld, started, untilEnd } from '../../../support/processes-world.js'

async function killed(
  keepsDocuments: boolean,
  {
    afterMs,
    tries = 3,
    repeatsEveryMs = 0,
    others = 0,
  }: { afterMs: number; tries?: number; repeatsEveryMs?: number; others?: number },
) {
  const w = processesWorld()
  const calls: string[] = []
  const workflow = aWorkflow({ a: [] }, { completeWithin: '10m', retry: { tries } })
  const other = aWorkflow({ z: [] }, { completeWithin: '10m' })
  const supervised = w.supervisor.start()
  const one = w.process('one', calls, {
    handlerMs: (item) => (item === 'z' ? 10 : 100_000_000),
    keepsDocuments,
  })
  const two = w.process('two', calls, { handlerMs: 100, keepsDocuments })
  await started(w, one)
  await supervised
  await one.client.submit(workflow, {}, { jobId: 'job-1' })
  for (let ms = 0; ms < afterMs; ms += 500) {
    if (repeatsEveryMs > 0 && ms % repeatsEveryMs === 0)
      await one.client.submit(workflow, {}, { jobId: 'job-1' })
    if (others > 0) await one.client.submit(other, {}, { jobId: `other-${ms}` })
    await w.clock.advance(500)
  }
  w.dead.add('one')
  const starting = Promise.all([two.scheduler.start(), two.agents.start()])
  const end = await untilEnd(w, { mostMs: 1_200_000 })
  await starting
  const step = (await w.store.read({ pk: 'job-1', id: 'sas.step:job-1:a' })) as never as {
    failureCount: number
  }
  return { ...end, calls: calls.filter((call) => call.includes(' a ')), failures: step.failureCount }
}

describe('an attempt of a process that was killed on another machine (F-A32)', () => {
  it.each([
    { afterMs: 1_000 },
    { afterMs: 4_000 },
    { afterMs: 10_000 },
    { afterMs: 4_000, others: 1 },
    { afterMs: 10_000, others: 1 },
    { afterMs: 60_000, others: 1 },
    { afterMs: 4_000, tries: 1 },
  ])('is made again as soon as one with a document: %j', async (how) => {
    const [branch, documents] = [await killed(false, how), await killed(true, how)]
    expect(branch.failures).toBe(documents.failures)
    expect(branch.state).toBe(documents.state)
    expect(branch.doneMs).toBeLessThanOrEqual((documents.doneMs ?? 0) + 15_000)
  })

  it('is made again as soon if the same submission was repeated every 4 s', async () => {
    const once = await killed(false, { afterMs: 20_000, others: 1 })
    const repeated = await killed(false, { afterMs: 20_000, others: 1, repeatsEveryMs: 4_000 })
    expect(repeated.doneMs).toBeLessThanOrEqual((once.doneMs ?? 0) + 10_000)
  })
})
