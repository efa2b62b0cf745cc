import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import { shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})
const sleeping = defineWorkflow<{ readonly at: string }>('sleeping', (job) => {
  const day = job.sleep('day', { until: job.input.at })
  job.step('ship', shop.sell, { item: 'x' }, { undo: 'none', after: [day] })
})

describe('a sleep until a text that is no point in time', () => {
  it.each(['order 4711', '12', '2026-03-01T08:00:00'])(
    '%s is refused, with the value and the rule',
    async (at) => {
      await client.submit(sleeping, { at }, { jobId: 'job-1' })
      await world.run()
      const { processState, attention } = await world.job()
      const step = await world.step('day')
      const until = step.notBeforeMs === null ? null : new Date(step.notBeforeMs).toISOString()
      expect([processState, attention?.kind, until]).toEqual(['Error', 'error', null])
      expect(attention?.message).toContain('which is not a point in time')
    },
  )
})
