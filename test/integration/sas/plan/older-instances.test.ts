import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import type * as Documents from '../../../../src/sas/model/documents.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

/** The newest schema that the instances of this file know. */
const known = vi.hoisted(() => ({ version: 2 }))

vi.mock('../../../../src/sas/model/documents.js', async (original) => {
  const real = await original<typeof Documents>()
  return {
    ...real,
    get schemaVersion() {
      return known.version
    },
  }
})

const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const refusing = defineAgent('shop', {
  sell: (_input: { readonly item: string }, { failPermanently }) => failPermanently('sold out'),
  takeBack: () => null,
})

const withFallback = defineWorkflow('fallback', (job) => {
  const pay = job.step('pay', shop.sell, { item: 'x' }, { onExhausted: 'continue' })
  job.step('invoice', shop.sell, { item: 'x' }, { when: condition.failed(pay) })
})
const plain = defineWorkflow('plain', (job) => void job.step('pay', shop.sell, { item: 'x' }))

let world: StateWorld
beforeEach(() => {
  known.version = 2
  world = new StateWorld()
})

describe('a job whose plan an older version does not know (F-C10)', () => {
  it('is left alone by every role and command of that version, and waits for a new scheduler', async () => {
    await new JobClient(world).submit(withFallback, {}, { jobId: 'job-1' })
    known.version = 1
    const submitted = world.faults.writes.length
    const page = await world.changes()
    const old = world.scheduler('old')
    await old.onChanges(page)
    await world.agents().onChanges(page, going)
    await world.clock.advance(120_000)
    await world.supervisor().runOnce()
    expect(world.faults.writes).toHaveLength(submitted)
    expect(world.telemetry.of('document.refused')).toMatchObject([
      { id: 'sas.job:job-1', reason: 'schema 2 is newer than this code' },
    ])
    const client = new JobClient(world)
    const newer = 'a newer version of stepward wrote it (schema 2'
    await expect(client.cancel('job-1', 'not wanted')).rejects.toThrow(newer)
    await expect(client.resubmit('job-1', { by: 'ann', why: 'fixed' })).rejects.toThrow(newer)
    known.version = 2
    await world.supervisor().runOnce()
    await world.scheduler('new').onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ lockedBy: 'new', steps: { pay: { state: 'Processing' } } })
  })

  it('has steps that agents and supervisors of that version do', async () => {
    await new JobClient(world).submit(withFallback, {}, { jobId: 'job-1' })
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    known.version = 1
    await world.agents({ agents: [refusing] }).onChanges(await world.changes(), going)
    await world.telemetry.waitFor('step.settled')
    expect(await world.step()).toMatchObject({ processState: 'Error', schema: 1 })
    known.version = 2
    await scheduler.onChanges(await world.changes())
    expect(await world.job()).toMatchObject({
      processState: 'Processing',
      steps: { pay: { state: 'Refused' }, invoice: { state: 'Processing' } },
    })
    known.version = 1
    await world.clock.advance(120_000)
    await world.supervisor().runOnce()
    expect(await world.step('invoice')).toMatchObject({ processState: 'Pending', failureCount: 1 })
  })

  it('is no other job: a plan without such parts is done by both versions', async () => {
    known.version = 1
    await new JobClient(world).submit(plain, {}, { jobId: 'job-1' })
    await world.scheduler('old').onChanges(await world.changes())
    const job = await world.job()
    expect(job).toMatchObject({ schema: 1, lockedBy: 'old', steps: { pay: { state: 'Processing' } } })
    expect(Object.keys(job.steps['pay'] ?? {}).toSorted()).toEqual(['dispatch', 'state'])
    known.version = 2
    await world.agents().onChanges(await world.changes(), going)
    await world.telemetry.waitFor('step.settled')
    await world.scheduler('new').onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ processState: 'Processed', schema: 1 })
  })
})
