import { describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

describe('a filter', () => {
  it.each<[object, string]>([
    [{ workflw: 'shopping' }, 'list: workflw is not an option: did you mean workflow?'],
    [{ State: 'Error' }, 'list: State is not an option: did you mean state?'],
    [{ state: 'Failed' }, 'list: state is "Failed"; it must be "Pending", "Processing", '],
    [{ attention: 'stuck' }, 'list: attention is "stuck"; it must be "error", "corrupt", '],
    [{ since: '2026-01-01' }, 'list: since is "2026-01-01"; it must be a valid Date'],
    [{ before: new Date('never') }, 'list: before is an invalid Date; it must be a valid Date'],
    [
      { tags: ['customer=1'] },
      'list: tags is ["customer=1"]; it must be an object such as { customer: 4711 }',
    ],
    [{ tags: { customer: null } }, 'list: tags.customer is null; it must be'],
    [{ limit: 0 }, 'list: limit is 0; it must be a whole number from 1'],
    [{ limit: Number.NaN }, 'list: limit is NaN; it must be a whole number from 1'],
  ])('is refused when it is invalid, instead of matching other jobs: %j', async (filter, message) => {
    const client = new JobClient(new StateWorld())
    await expect(client.list(filter)).rejects.toMatchObject({
      name: 'CommandInvalid',
      message: expect.stringContaining(message) as string,
    })
  })

  it('prevents a command on a selection when it is misspelt', async () => {
    const world = new StateWorld()
    const client = new JobClient(world)
    await client.submit(aWorkflow(), {}, { jobId: 'a' })
    const misspelt = { workflw: 'another' } as object
    await expect(client.select(misspelt).cancel('a mistake')).rejects.toMatchObject({
      name: 'CommandInvalid',
    })
    expect(await world.job('a')).toMatchObject({ compensation: null, audit: [] })
  })

  it.each([undefined, null, 5, 'shop'])(
    'of a selection is refused if it is %s, and a list refuses it unless it is missing',
    async (given) => {
      const client = new JobClient(new StateWorld())
      expect(() => client.select(given as unknown as object)).toThrow('select: the argument is ')
      if (given !== undefined)
        await expect(client.list(given as unknown as object)).rejects.toThrow('must be an object')
    },
  )

  it('of notices is refused when it is invalid', async () => {
    const client = new JobClient(new StateWorld())
    await expect(client.undelivered({ limit: -1 })).rejects.toThrow('undelivered: limit is -1; it must be')
    await expect(client.undelivered({ job: 'a' } as object)).rejects.toThrow('job is not an option')
  })

  it('may have every property that its type allows', async () => {
    const client = new JobClient(new StateWorld())
    const at = new Date()
    const jobs = {
      state: 'Error',
      workflow: 'w',
      since: at,
      before: at,
      isFlagged: true,
      attention: 'parked',
      tags: { customer: 4711, isVip: true },
    } as const
    expect(
      await client.list({ ...jobs, step: 's', limit: 1, after: { submittedAt: '', jobId: '' } }),
    ).toEqual([])
    expect(await client.undelivered({ jobId: 'a', workflow: 'w', limit: 1 })).toEqual([])
  })
})
