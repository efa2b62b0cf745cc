import { describe, expect, it } from 'vitest'
import type { JobDocument } from '../../../../src/sas/model/documents.js'
import { aWorkflow } from '../../../support/a-job.js'
import { processesWorld, started, storedJob, untilEnd, type World } from '../../../support/processes-world.js'

const failures = async (w: World, stepId: string) =>
  (
    (await w.store.read({ pk: 'job-1', id: `sas.step:job-1:${stepId}` })) as unknown as Record<
      string,
      unknown
    > | null
  )?.['failureCount']

/** A host stops while the answer to a submission, or to an outcome with the next dispatch, is on its way. */
async function stopped(
  keepsDocuments: boolean,
  {
    at,
    roles,
    answerMs = 1_500,
  }: {
    readonly answerMs?: number
    readonly at: 'submission' | 'outcome'
    readonly roles: readonly ('scheduler' | 'agents')[]
  },
) {
  const w = processesWorld()
  const calls: string[] = []
  const supervised = w.supervisor.start()
  const one = w.process('one', calls, { handlerMs: 1_000, keepsDocuments })
  const two = w.process('two', calls, { handlerMs: 1_000, keepsDocuments })
  await started(w, one)
  await supervised
  const workflow = aWorkflow(at === 'submission' ? { a: [] } : { a: [], b: ['a'] }, { completeWithin: '10m' })
  let isHeld = false
  w.afterApply.set('one', async (writes) => {
    const isIt = writes.some(({ document }) => {
      const isJob = document.id === 'sas.job:job-1'
      if (at === 'submission' || !isJob) return isJob || document.id.endsWith(':a')
      return (document as JobDocument).planned?.some(({ id, done }) => id === 'a' && done !== undefined)
    })
    if (!isIt || isHeld) return
    isHeld = true
    await w.clock.sleep(answerMs)
  })
  const submitting = one.client.submit(workflow, {}, { jobId: 'job-1' })
  const isOnItsWay = (): boolean => isHeld
  for (let n = 0; n < 200 && !isOnItsWay(); n += 1) await w.clock.advance(20)
  expect(isOnItsWay()).toBe(true)
  const before = await storedJob(w)
  const stopping = Promise.all(roles.map((role) => one[role].stop()))
  await w.clock.advance(200)
  const starting = Promise.all(roles.map((role) => two[role].start()))
  await w.clock.advance(3_000)
  const { doneMs } = await untilEnd(w, { mostMs: 900_000 })
  await Promise.all([submitting, stopping, starting])
  return {
    doneMs,
    calls,
    planned: before['planned'],
    failures: await failures(w, at === 'submission' ? 'a' : 'b'),
  }
}

describe('an attempt whose write is on its way when its host stops (F-A32)', () => {
  it.each([
    { at: 'submission', roles: ['scheduler', 'agents'] },
    { at: 'submission', roles: ['scheduler'] },
    { at: 'submission', roles: ['agents'] },
    { at: 'outcome', roles: ['scheduler', 'agents'] },
    { at: 'outcome', roles: ['scheduler'] },
    { at: 'outcome', roles: ['agents'] },
    { at: 'submission', roles: ['scheduler', 'agents'], answerMs: 40 },
    { at: 'outcome', roles: ['scheduler', 'agents'], answerMs: 40 },
    { at: 'outcome', roles: ['agents'], answerMs: 40 },
  ] as const)('begins as soon as one with a document, with its $at, when $roles stop', async (how) => {
    const branch = await stopped(false, how)
    const documents = await stopped(true, how)
    expect(documents.doneMs).toBeLessThan(60_000)
    expect(branch.doneMs).toBeLessThan(60_000)
    expect(branch.failures).toBe(documents.failures)
  })
})
