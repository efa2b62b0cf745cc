import { beforeEach, describe, expect, it } from 'vitest'
import { gateAddress, keyInPartition } from '../../../../src/sas/gates/home.js'
import { readGate } from '../../../../src/sas/gates/stored-gate.js'
import { defineWorkflow, type Limit } from '../../../../src/sas/index.js'
import { jobDocumentId, stepDocumentId } from '../../../../src/sas/model/document-ids.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { beginSubmission } from '../../../../src/sas/scheduler/begin-submission.js'
import { withoutStoreFields } from '../../../../src/sas/store/state-store.js'
import type { BeginSubmission } from '../../../../src/sas/submission/begun-submission.js'
import { ensureSubmitted } from '../../../../src/sas/submission/write-submission.js'
import { aSubmission, shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const partition = 'tenant'
const own: Limit = { key: 'crm', atOnce: 2, perPartition: true }
const crm = keyInPartition('crm', partition)
const ofJobs = `jobs:${keyInPartition('tenant', partition)}`

/** A workflow of one step. Its jobs have a limit of their own. */
const limited = (...limits: readonly Limit[]) =>
  defineWorkflow<Record<string, never>>('limited', (job) => {
    job.limits([{ key: 'tenant', atOnce: 10, perPartition: true }])
    job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none', limits })
  })

let world: StateWorld
let scheduler: ReturnType<StateWorld['scheduler']>
let begin: BeginSubmission

beforeEach(() => {
  world = new StateWorld()
  scheduler = world.scheduler()
  const { store, clock } = world
  const { gates, partitions } = scheduler
  const by = { scheduler: 'scheduler-1', firstBy: null, pauses: () => ({ entries: [], atMs: 0 }) }
  begin = (job, steps) => beginSubmission(job, steps, { store, clock, gates, partitions, ...by })
})

function submit(jobId: string, workflow = limited(own)) {
  const request = aSubmission(workflow.plan, { jobId, partition, input: {}, now: world.clock.now() })
  return ensureSubmitted(world.store, request, begin)
}

async function stepOf(jobId: string): Promise<unknown> {
  const found = await world.truth.read({ pk: partition, id: stepDocumentId(jobId, 'pay') })
  return found?.['processState']
}

const jobOf = (jobId: string) => world.truth.read({ pk: partition, id: jobDocumentId(jobId) })

async function inside(key = crm): Promise<readonly string[]> {
  return ((await readGate(world.truth, gateAddress(key)))?.holders ?? []).map(({ jobId }) => jobId)
}

async function schedule(): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes())
    await scheduler.onChanges(page)
}

describe('a submission whose job comes to limits of its partition first', () => {
  it('enters them in its one transaction, if they have room (I25, I40)', async () => {
    const { accepted } = await submit('a')
    expect(accepted).toMatchObject({ isBegun: true, job: { _etag: (await jobOf('a'))?._etag } })
    expect(world.faults.writes).toHaveLength(1)
    expect([await inside(ofJobs), await inside(), await stepOf('a')]).toEqual([['a'], ['a'], 'Processing'])
    await schedule()
    expect(world.faults.writes).toHaveLength(1)
  })

  it('takes turns with others in the same partition, so that none of them changes a limit first', async () => {
    const roomy = limited({ ...own, atOnce: 9 })
    await submit('a', roomy)
    const reads = world.faults.count('read')
    await Promise.all([submit('b', roomy), submit('c', roomy), submit('d', roomy)])
    expect(world.faults.writes).toHaveLength(4)
    expect(world.faults.count('read')).toBe(reads)
    expect(await inside(ofJobs)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('leaves a job that has to wait to the scheduler', async () => {
    for (const jobId of ['a', 'b', 'c']) await submit(jobId)
    expect(await jobOf('c')).toMatchObject({ processState: 'Pending', lockedBy: null })
    expect([await inside(ofJobs), await inside()]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    await schedule()
    expect([await inside(ofJobs), await stepOf('c')]).toEqual([['a', 'b', 'c'], 'Pending'])
  })

  it('leaves the job to the scheduler if another process changes a limit first (F-G4)', async () => {
    await submit('a')
    const gate = await world.truth.read(gateAddress(crm))
    if (gate === null) throw new Error('there is no gate')
    const visitor = { pk: partition, jobId: 'other', stepId: 'pay', entry: 0, untilMs: 0 }
    const document = { ...withoutStoreFields(gate), holders: [visitor] }
    const write = () => world.put(partition, [{ kind: 'replace', document, ifMatch: gate._etag }])
    world.faults.failWrites({ kind: 'rival', write })
    expect((await submit('b')).accepted).toMatchObject({ isBegun: false })
    expect([await inside(ofJobs), await inside()]).toEqual([['a'], ['other']])
    await schedule()
    expect([await inside(ofJobs), await inside()]).toEqual([
      ['a', 'b'],
      ['other', 'b'],
    ])
  })

  it('enters each limit once if the answer of the store is lost', async () => {
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    expect(await submit('a')).toEqual({ isNew: false, accepted: null })
    expect(await inside()).toEqual(['a'])
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    expect((await submit('b')).accepted).toMatchObject({ isBegun: true })
    expect(await inside()).toEqual(['a', 'b'])
  })

  it('holds up no other work of the partition if it fails', async () => {
    const error = new StoreUnavailable('the store does not answer', { cause: null })
    world.faults.failWrites({ kind: 'throws', error })
    await expect(submit('a')).rejects.toBe(error)
    world.faults.failReads({ kind: 'throws', error })
    // Without the limit, the submission is written, and the scheduler begins the job.
    expect((await submit('a')).accepted).toMatchObject({ isBegun: false })
    await schedule()
    expect(await inside()).toEqual(['a'])
    expect(scheduler.partitions.isIdle).toBe(true)
  })

  it('leaves a job with a limit elsewhere to the scheduler', async () => {
    expect((await submit('a', limited(own, { key: 'bank', atOnce: 1 }))).accepted).toMatchObject({
      isBegun: false,
    })
    expect(await inside('bank')).toEqual([])
    expect(await inside()).toEqual([])
  })
})
