import { beforeEach, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

it.each(['job', 'workflow', 'agent'])(
  'a job that was paused with its %s keeps who paused it, and why, after it is resumed',
  async (what) => {
    const line = aWorkflow({ a: [], b: ['a'] })
    await client.submit(line, {}, { jobId: 'job-1' })
    const target =
      what === 'job' ? 'job-1' : what === 'workflow' ? { workflow: 'shopping' } : { agent: 'shop' }
    await client.pause(target, 'prices are wrong', { by: 'ann' })
    await world.run()
    const supervisor = world.supervisor()
    await supervisor.runOnce()
    await world.clock.advance(100_000)
    await supervisor.runOnce()
    await world.run()
    expect((await (await client.get('job-1'))?.view())?.paused).toMatchObject({
      by: 'ann',
      why: 'prices are wrong',
    })
    await client.resume(target, { by: 'bob', why: 'right again' })
    await supervisor.runOnce()
    await world.clock.advance(100_000)
    await supervisor.runOnce()
    await world.run()
    const view = await (await client.get('job-1'))?.view()
    expect(view?.state).toBe('Processed')
    expect(view?.audit).toMatchObject([
      { command: 'pause', by: 'ann', why: 'prices are wrong' },
      { command: 'resume', by: 'bob', why: 'right again' },
    ])
  },
)
