import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { condition, defineWorkflow } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

// The store accepts the documents of these steps, but not a job with their plans.
describe('a plan as deep as the document of a step may be', () => {
  it('is submitted if an input is deep', async () => {
    const deep = defineWorkflow('deep', (job) => {
      job.step('a', shop.sell, nested(127) as never, { undo: 'none' })
    })
    await expect(client.submit(deep, null, { jobId: 'job-1' })).resolves.toBeDefined()
  })

  it('is submitted if the input of an undo is deep', async () => {
    const deep = defineWorkflow('deep', (job) => {
      job.step('a', shop.sell, { item: 'x' }, { undo: () => shop.takeBack(nested(126) as never) })
    })
    await expect(client.submit(deep, null, { jobId: 'job-1' })).resolves.toBeDefined()
  })

  it('is submitted if a condition is deep', async () => {
    const deep = defineWorkflow<{ readonly a: number }>('deep', (job) => {
      let when = condition.equal(job.input.a, 1)
      for (let level = 0; level < 62; level += 1) when = condition.not(when)
      job.step('b', shop.sell, { item: 'x' }, { when, undo: 'none' })
    })
    await expect(client.submit(deep, { a: 1 }, { jobId: 'job-1' })).resolves.toBeDefined()
  })
})
