import { describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineSchedule, defineWorkflow } from '../../../../src/sas/index.js'
import { shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const billing = defineWorkflow<{ readonly card: string }>(
  'billing',
  (job) => void job.step('pay', shop.sell, { item: job.input.card }, { undo: 'none' }),
  { secrets: ['input.card'] },
)
const input = { card: 'card-81516' }
const problem = 'tags contains a secret of the input'

describe('a tag that contains a secret of the input is refused', () => {
  it('when a job is submitted', async () => {
    const client = new JobClient(new StateWorld())
    const submitted = client.submit(billing, input, { jobId: 'job-1', tags: input })
    await expect(submitted).rejects.toThrow(problem)
  })

  it('when a schedule is defined or changed', async () => {
    const timing = { every: '1h', workflow: billing } as const
    expect(() => defineSchedule('nightly', { ...timing, input, tags: input })).toThrow(problem)
    const client = new JobClient(new StateWorld())
    await client.schedules.set(defineSchedule('nightly', { ...timing, input }))
    const changed = client.schedules.change('nightly', { tags: input }, { by: 'ann', why: 'find them' })
    await expect(changed).rejects.toThrow(problem)
  })
})
