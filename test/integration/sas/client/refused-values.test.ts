import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineSchedule, defineWorkflow } from '../../../../src/sas/index.js'
import { aWorkflow, shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const circular: Record<string, unknown> = {}
circular['self'] = circular
const line = aWorkflow({ a: [] })
let client: JobClient
beforeEach(async () => {
  client = new JobClient(new StateWorld())
  await client.submit(line, {}, { jobId: 'job-1' })
  await client.schedules.set(defineSchedule('hourly', { every: '1h', workflow: line }))
})

describe('a wrong value is refused with an error that has a code', () => {
  it.each<[string, () => unknown]>([
    [
      'a tag that is a bigint',
      () => client.submit(line, {}, { jobId: 'job-2', tags: { customer: 4711n as never } }),
    ],
    [
      'a migration to a workflow that the module does not export',
      () => client.migrate('job-1', undefined as never, { by: 'ann', why: 'so' }),
    ],
    [
      'a cron pattern that is null',
      () => client.schedules.change('hourly', { cron: null as never }, { by: 'ann', why: 'so' }),
    ],
    ['a schedule without options', () => defineSchedule('x', undefined as never)],
    [
      'an input of a step that contains itself',
      () => defineWorkflow('x', (job) => void job.step('s', shop.sell, circular as never, { undo: 'none' })),
    ],
  ])('%s', async (_what, call) => {
    const error: unknown = await (async () => call())().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    expect([(error as Error).message, 'code' in (error as Error)]).toEqual([expect.any(String), true])
  })
})
