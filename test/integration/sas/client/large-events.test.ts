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

const waiting = defineWorkflow('waiting', (job) => {
  const word = job.waitFor('word', { completeWithin: '1h' })
  job.step('pay', shop.sell, { item: 'x' }, { undo: 'none', after: [word] })
})
const asking = defineWorkflow('asking', (job) => {
  job.ask('word', { title: 'x', completeWithin: '1h', form: { type: 'string' } })
})
const large = (bytes: number): string => 'x'.repeat(bytes)

describe('a large event', () => {
  it('of 0.9 MB ends its step', async () => {
    await client.submit(waiting, null, { jobId: 'job-1' })
    await world.run()
    await client.raiseEvent('job-1', 'word', large(900_000))
    await world.run()
    expect(await world.step('word')).toMatchObject({ processState: 'Processed', output: large(900_000) })
  })

  it('that its step could not store twice is refused with its size, and the next one is accepted', async () => {
    await client.submit(waiting, null, { jobId: 'job-1' })
    await world.run()
    const raised = client.raiseEvent('job-1', 'word', large(1_200_000))
    await expect(raised).rejects.toMatchObject({ code: 'COMMAND_INVALID' })
    await expect(raised).rejects.toThrow(
      /^the event for step word has 1200002 bytes.* at most 1900000 bytes/u,
    )
    await client.raiseEvent('job-1', 'word', 'short')
    await world.run()
    expect(await world.step('word')).toMatchObject({ processState: 'Processed', output: 'short' })
  })

  it('that is too large together with its job is refused as well', async () => {
    await client.submit(waiting, { note: large(1_500_000) }, { jobId: 'job-1' })
    await world.run()
    await expect(client.raiseEvent('job-1', 'word', large(300_000))).rejects.toThrow(
      'Send the address of the data',
    )
  })
})

describe('a large answer', () => {
  it('that its step could not store twice is refused with its size', async () => {
    await client.submit(asking, null, { jobId: 'job-1' })
    await world.run()
    const answered = client.answer('job-1', 'word', large(1_200_000), { by: 'ann' })
    await expect(answered).rejects.toThrow(/^the answer to step word has 1200002 bytes/u)
    await client.answer('job-1', 'word', 'short', { by: 'ann' })
    await world.run()
    expect((await world.job()).processState).toBe('Processed')
  })
})
