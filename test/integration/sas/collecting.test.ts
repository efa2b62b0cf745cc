import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { defineWorkflow } from '../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../support/state-world.js'

const collecting = defineWorkflow('collecting', (job) => void job.waitFor('only', { count: 3 }))

let world: StateWorld
let client: JobClient
beforeEach(async () => {
  world = new StateWorld()
  client = aClient()
  await client.submit(collecting, {}, { jobId: 'job-1' })
  await world.scheduler().onChanges(await world.changes())
})

function aClient(): JobClient {
  const { store, queries, clock, telemetry } = world
  return new JobClient({ store, queries, clock, telemetry })
}

async function decided(): Promise<string | undefined> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes())
    await world.scheduler().onChanges(page)
  return (await world.job()).steps['only']?.state
}

const keys = async () => (await world.step('only')).collect?.events.map(({ key }) => key)

describe('events that a step collects', () => {
  it.each(['applied', 'lost'] as const)(
    'count once if it is unknown whether the write succeeded (F-H5): %s',
    async (truth) => {
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      await client.raiseEvent('job-1', 'only', 1, { key: 'a' })
      await client.raiseEvent('job-1', 'only', 1, { key: 'a' })
      expect(await keys()).toEqual(['a'])
    },
  )

  it('all arrive if many senders raise them at the same time (F-H5)', async () => {
    const many = defineWorkflow('many', (job) => void job.waitFor('only', { count: 40 }))
    await client.submit(many, {}, { jobId: 'job-2' })
    const raised = Array.from({ length: 40 }, (_, index) =>
      aClient().raiseEvent('job-2', 'only', index, { key: `sender-${index}` }),
    )
    await Promise.all(raised)
    await decided()
    const [step] = (await (await client.get('job-2'))?.view())?.steps ?? []
    expect(step).toMatchObject({ state: 'Processed', collect: { count: 40 } })
    expect([...(step?.output as number[])].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, i) => i),
    )
  })

  it('cost the scheduler nothing until the last has arrived, and are then its output', async () => {
    await client.raiseEvent('job-1', 'only', 'x', { key: 'a' })
    await client.raiseEvent('job-1', 'only', 'y', { key: 'b' })
    const { _etag } = await world.job()
    expect(await decided()).toBe('Processing')
    expect(await world.job()).toMatchObject({ _etag })
    const view = await (await client.get('job-1'))?.view()
    expect(view?.why).toMatch(/^Step only waits for 1 event, until .*; 2 of 3 have arrived\.$/u)
    await client.raiseEvent('job-1', 'only', 'z', { key: 'c' })
    expect(await decided()).toBe('Processed')
    expect(await world.step('only')).toMatchObject({ output: ['x', 'y', 'z'] })
  })

  it('are refused with the reason if they are too many or the step is unknown (F-H6)', async () => {
    for (const key of ['a', 'b', 'c']) await client.raiseEvent('job-1', 'only', key, { key })
    await expect(client.raiseEvent('job-1', 'only', 'd', { key: 'd' })).rejects.toMatchObject({
      name: 'CommandRefused',
      message: 'step only has already received 3 events, as many as it collects',
    })
    await client.raiseEvent('job-1', 'only', 'a', { key: 'a' })
    await expect(client.raiseEvent('job-1', 'none', 1, { key: 'a' })).rejects.toMatchObject({
      message: 'job "job-1" has no step "none"; these steps wait for an event: only',
    })
    await expect(client.raiseEvent('job-1', 'only', 1, { key: 7 } as never)).rejects.toMatchObject({
      name: 'CommandInvalid',
    })
  })
})
