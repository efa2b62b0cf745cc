import { expect, it } from 'vitest'
import type { JobDocument } from '../../../../src/sas/model/documents.js'
import { begunInJob, plannedSteps } from '../../../../src/sas/model/planned/planned-steps.js'
import { aWorkflow } from '../../../support/a-job.js'
import { processesWorld, started } from '../../../support/processes-world.js'

const workflow = aWorkflow({ a: [], b: ['a'], c: ['a'] }, { completeWithin: '60s' })

it('the planned steps that a process keeps in memory are those that it would make from the job', async () => {
  const w = processesWorld()
  const jobs: JobDocument[] = []
  w.afterApply.set('one', async (writes) => {
    for (const { document } of writes) if ('planned' in document) jobs.push(document as never)
    return Promise.resolve()
  })
  const one = w.process('one', [], { handlerMs: 1_000, keepsDocuments: false })
  await started(w, one)
  await one.client.submit(workflow, {}, { jobId: 'job-1' })
  await w.clock.advance(1_500)
  expect(jobs.map((job) => begunInJob(job).map(({ stepId }) => stepId))).toEqual([['a'], ['b', 'c']])
  for (const job of jobs) {
    const read = JSON.parse(JSON.stringify(job)) as JobDocument
    expect([...plannedSteps(job)]).toEqual([...plannedSteps(read)])
  }
})
