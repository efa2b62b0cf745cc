import { describe, expect, it } from 'vitest'
import { aWorkflow } from '../../../support/a-job.js'
import { processesWorld, started, storedJob, untilEnd, type World } from '../../../support/processes-world.js'

const workflow = aWorkflow({ a: [] }, { completeWithin: '60s' })
const document = async (w: World) => w.store.read({ pk: 'job-1', id: 'sas.step:job-1:a' })

/** The process dies two seconds after the attempt has begun. */
async function killed(keepsDocuments: boolean, isRepeated: boolean, diesAfterMs = 2_000) {
  const w = processesWorld()
  const calls: string[] = []
  const supervised = w.supervisor.start()
  const handlerMs = (): number => (calls.some((call) => call.startsWith('two')) ? 100 : 1_000_000)
  const one = w.process('one', calls, { handlerMs, keepsDocuments })
  const two = w.process('two', calls, { handlerMs: 100, keepsDocuments })
  await started(w, one)
  await supervised
  await one.client.submit(workflow, {}, { jobId: 'job-1' })
  await w.clock.advance(diesAfterMs / 2)
  if (isRepeated) await one.client.submit(workflow, {}, { jobId: 'job-1' })
  await w.clock.advance(diesAfterMs / 2)
  w.dead.add('one')
  const starting = Promise.all([two.scheduler.start(), two.agents.start()])
  const { doneMs } = await untilEnd(w, { mostMs: 400_000, stepMs: 1_000 })
  await starting
  return { doneMs, calls, failures: ((await document(w)) as never as { failureCount: number }).failureCount }
}

describe('a submission that is repeated', () => {
  it('keeps the checkpoint before the job, whose attempt the process has (I46)', async () => {
    const [once, repeated] = [await killed(false, false), await killed(false, true)]
    expect(repeated.doneMs).toBeLessThanOrEqual((once.doneMs ?? 0) + 5_000)
  })

  it.each([false, true])(
    'every four seconds: the step gets its document after 5 s (documents %j)',
    async (keepsDocuments) => {
      const w = processesWorld()
      const calls: string[] = []
      const one = w.process('one', calls, { handlerMs: 1_000_000, keepsDocuments })
      await started(w, one)
      for (let at = 0; at < 5; at += 1) {
        await one.client.submit(workflow, {}, { jobId: 'job-1' })
        await w.clock.advance(4_000)
      }
      expect(calls).toHaveLength(1)
      expect(await document(w)).not.toBeNull()
    },
  )
})

describe('an attempt of a killed process', () => {
  it.each([200, 1_000, 2_000, 4_000])(
    'is made again as soon as with documents, if the kill comes after %j ms',
    async (afterMs) => {
      const [branch, documents] = [await killed(false, false, afterMs), await killed(true, false, afterMs)]
      expect(branch.failures).toBe(documents.failures)
      expect(branch.doneMs).toBeLessThanOrEqual((documents.doneMs ?? 0) + 10_000)
    },
  )
})

describe('a submission without an answer', () => {
  it.each([false, true])('begins soon, if it was applied (documents %j)', async (keepsDocuments) => {
    const w = processesWorld()
    const calls: string[] = []
    const one = w.process('one', calls, { handlerMs: 100, keepsDocuments })
    await started(w, one)
    let isFirst = true
    w.afterApply.set('one', async () => {
      if (!isFirst) return
      isFirst = false
      return Promise.reject(new Error('lost'))
    })
    const from = w.clock.monotonic()
    await one.client.submit(workflow, {}, { jobId: 'job-1' }).catch(() => undefined)
    await w.clock.advance(1_500)
    const job = await storedJob(w)
    expect([job['processState'], keepsDocuments || job['planned'] !== undefined]).toBeDefined()
    for (let at = 0; at < 40 && calls.length === 0; at += 1) await w.clock.advance(250)
    expect(w.clock.monotonic() - from).toBeLessThan(3_000)
  })
})
