import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { basicSchema, plannedSchema, schemaVersion } from '../../../../src/sas/model/documents.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const refusing = defineAgent('shop', {
  sell: (_input: { readonly item: string }, context) => context.failPermanently('sold out'),
  takeBack: () => null,
})

const withFallback = defineWorkflow('fallback', (job) => {
  const pay = job.step('pay', shop.sell, { item: 'x' }, { onExhausted: 'continue' })
  job.step('invoice', shop.sell, { item: 'x' }, { when: condition.failed(pay) })
})
const plain = defineWorkflow('plain', (job) => void job.step('pay', shop.sell, { item: 'x' }))

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** The schema of the job as this code must see it to stand for code that knows only `basicSchema`. */
const newerThanThisCode = schemaVersion + (plannedSchema - basicSchema)

/** Writes the job's schema, by which the code of this test stands for another version. */
async function asSchema(from: number, to: number): Promise<void> {
  const job = await world.truth.read({ pk: 'job-1', id: 'sas.job:job-1' })
  expect(job).toMatchObject({ schema: from })
  if (job !== null) await world.put('job-1', [replacing(job, { ...job, schema: to })])
}

const forOldCode = () => asSchema(plannedSchema, newerThanThisCode)
const forNewCode = () => asSchema(newerThanThisCode, plannedSchema)

describe('a job whose plan an older version does not know (F-C10)', () => {
  it('is left alone by every role and command of that version, and waits for a new scheduler', async () => {
    await new JobClient(world).submit(withFallback, {}, { jobId: 'job-1' })
    await forOldCode()
    const submitted = world.faults.writes.length
    const page = await world.changes()
    await world.scheduler('old').onChanges(page)
    await world.agents().onChanges(page, going)
    await world.clock.advance(120_000)
    await world.supervisor().runOnce()
    expect(world.faults.writes).toHaveLength(submitted)
    expect(world.telemetry.of('document.refused')).toMatchObject([{ id: 'sas.job:job-1' }])
    const client = new JobClient(world)
    const newer = 'a newer version of stepward wrote it'
    await expect(client.cancel('job-1', 'not wanted')).rejects.toThrow(newer)
    await expect(client.resubmit('job-1', { by: 'ann', why: 'fixed' })).rejects.toThrow(newer)
    await forNewCode()
    await world.supervisor().runOnce()
    await world.scheduler('new').onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ lockedBy: 'new', steps: { pay: { state: 'Processing' } } })
  })

  it('has steps that agents and supervisors of that version do', async () => {
    await new JobClient(world).submit(withFallback, {}, { jobId: 'job-1' })
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    const page = await world.changes()
    await forOldCode()
    await world.agents({ agents: [refusing] }).onChanges(page, going)
    await world.telemetry.waitFor('step.settled')
    expect(await world.step()).toMatchObject({ processState: 'Error', schema: basicSchema })
    expect(world.telemetry.of('attention.raised')).toEqual([])
    await forNewCode()
    await scheduler.onChanges(await world.changes())
    expect(await world.job()).toMatchObject({
      processState: 'Processing',
      steps: { pay: { state: 'Refused' }, invoice: { state: 'Processing' } },
    })
    await forOldCode()
    await world.clock.advance(120_000)
    await world.supervisor().runOnce()
    expect(await world.step('invoice')).toMatchObject({ processState: 'Pending', failureCount: 1 })
  })

  it('has no plans and no new fields left once all its steps have begun', async () => {
    await new JobClient(world).submit(plain, {}, { jobId: 'job-1' })
    await world.scheduler().onChanges(await world.changes())
    await world.agents().onChanges(await world.changes(), going)
    await world.telemetry.waitFor('step.settled')
    await world.scheduler().onChanges(await world.changes())
    const job = await world.job()
    expect(job).toMatchObject({ processState: 'Processed', schema: plannedSchema })
    expect(job).not.toHaveProperty('planned')
    expect(await world.step()).toHaveProperty('schema', basicSchema)
    expect(job.steps).toEqual({ pay: { state: 'Processed', dispatch: 1 } })
    expect(await world.step()).not.toHaveProperty('jobGoesOn')
  })
})
