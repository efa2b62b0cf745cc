import { describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

describe('a filter that is not what it must be', () => {
  it.each<[object, string]>([
    [{ workflw: 'shopping' }, 'list: there is no option "workflw": known are state, workflow, '],
    [{ State: 'Error' }, 'list: there is no option "State": did you mean state?'],
    [{ state: 'Failed' }, 'list: state "Failed" must be one of Pending, Processing, '],
    [{ attention: 'stuck' }, 'list: attention "stuck" must be one of error, corrupt, '],
    [{ since: '2026-01-01' }, 'list: since must be a valid Date'],
    [{ before: new Date('never') }, 'list: before must be a valid Date'],
    [{ limit: 0 }, 'list: limit 0 must be a whole number from 1'],
    [{ limit: Number.NaN }, 'list: limit NaN must be a whole number from 1'],
  ])('is refused instead of matching other jobs: %j', async (filter, message) => {
    const client = new JobClient(new StateWorld())
    await expect(client.list(filter)).rejects.toMatchObject({
      name: 'CommandInvalid',
      message: expect.stringContaining(message) as string,
    })
  })

  it('carries a command on a selection out on no job', async () => {
    const world = new StateWorld()
    const client = new JobClient(world)
    await client.submit(aWorkflow(), {}, { jobId: 'a' })
    const misspelt = { workflw: 'another' } as object
    await expect(client.select(misspelt).cancel('a mistake')).rejects.toMatchObject({
      name: 'CommandInvalid',
    })
    expect(await world.job('a')).toMatchObject({ compensation: null, audit: [] })
  })

  it('of notices is refused, too', async () => {
    const client = new JobClient(new StateWorld())
    await expect(client.undelivered({ limit: -1 })).rejects.toThrow('undelivered: limit -1 must be')
    await expect(client.undelivered({ job: 'a' } as object)).rejects.toThrow('there is no option "job"')
  })

  it('may be any that the types allow', async () => {
    const client = new JobClient(new StateWorld())
    const at = new Date()
    const jobs = {
      state: 'Error',
      workflow: 'w',
      since: at,
      before: at,
      isFlagged: true,
      attention: 'parked',
    } as const
    expect(
      await client.list({ ...jobs, step: 's', limit: 1, after: { submittedAt: '', jobId: '' } }),
    ).toEqual([])
    expect(await client.undelivered({ jobId: 'a', workflow: 'w', limit: 1 })).toEqual([])
  })
})
