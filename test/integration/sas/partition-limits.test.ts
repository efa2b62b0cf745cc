import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { gateAddress, homeOf, keyInPartition } from '../../../src/sas/gates/home.js'
import { readGate } from '../../../src/sas/gates/stored-gate.js'
import { jobDocumentId, stepDocumentId } from '../../../src/sas/model/document-ids.js'
import { partitionLimitSchema, plannedSchema } from '../../../src/sas/model/documents.js'
import { defineWorkflow, type JobLimit, type Limit, type Workflow } from '../../../src/sas/index.js'
import { withoutStoreFields } from '../../../src/sas/store/state-store.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const partition = 'tenant:1'
const crm = keyInPartition('crm', partition)

/** A workflow of two steps, of which the second has limits. */
const limited = (limits: readonly Limit[]) =>
  defineWorkflow<null>('limited', (job) => {
    const look = job.step('look', shop.sell, { item: 'look' }, { undo: 'none' })
    job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none', after: [look], limits })
  })

const limitedJobs = (limits: readonly JobLimit[]) =>
  defineWorkflow<null>('limited-jobs', (job) => {
    job.limits(limits)
    job.step('look', shop.sell, { item: 'look' }, { undo: 'none' })
  })

const one = limited([{ key: 'crm', atOnce: 1, perPartition: true }])

let world: StateWorld
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>
let agents: ReturnType<StateWorld['agents']>

beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
  agents = world.agents()
})

async function schedule(): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await world.clock.advance(0)
  }
}

async function submitted(workflow: Workflow<null>, ...jobIds: readonly string[]): Promise<void> {
  for (const jobId of jobIds) await client.submit(workflow, null, { jobId, partitionKey: partition })
  await schedule()
}

async function stepOf(jobId: string, stepId: string) {
  const found = await world.truth.read({ pk: partition, id: stepDocumentId(jobId, stepId) })
  if (found === null) throw new Error(`there is no step ${stepId}`)
  return found
}

async function work(stepId: string, ...jobIds: readonly string[]): Promise<void> {
  const steps = await Promise.all(jobIds.map((jobId) => stepOf(jobId, stepId)))
  const context = { leaseToken: '0', signal: new AbortController().signal }
  await agents.onChanges(
    steps.map((step) => ({ ...step, _lsn: 1 })),
    context,
  )
  await world.clock.advance(1)
  await schedule()
}

async function states(stepId: string, ...jobIds: readonly string[]): Promise<unknown[]> {
  return Promise.all(jobIds.map(async (jobId) => (await stepOf(jobId, stepId))['processState']))
}

const inside = async (key = crm) =>
  (await readGate(world.truth, gateAddress(key)))?.holders.map(({ jobId }) => jobId)

describe('a limit of each partition', () => {
  it('lives in the partition of its jobs, and lets no more steps in', async () => {
    await submitted(one, 'a', 'b')
    await work('look', 'a', 'b')
    expect(await states('pay', 'a', 'b')).toEqual(['Processing', 'Pending'])
    const gate = await world.truth.read({ pk: partition, id: 'sas.gate:partition:crm' })
    expect(gate).toMatchObject({ key: 'partition:crm:tenant:1', schema: partitionLimitSchema })
    expect(await inside()).toEqual(['a'])
    await work('pay', 'a')
    expect(await states('pay', 'a', 'b')).toEqual(['Processed', 'Processing'])
    expect(await inside()).toEqual(['b'])
    await work('pay', 'b')
    expect(await inside()).toEqual([])
  })

  it('is another limit in another partition', async () => {
    await submitted(one, 'a')
    await client.submit(one, null, { jobId: 'b', partitionKey: 'tenant:2' })
    await schedule()
    await work('look', 'a')
    expect(await inside()).toEqual(['a'])
    expect(await inside(keyInPartition('crm', 'tenant:2'))).toBeUndefined()
  })

  it('costs no request of its own, if its step has room', async () => {
    const plain = limited([{ key: 'other', perSecond: 1_000 }])
    const count = () => world.faults.count('apply') + world.faults.count('read')
    const run = async (workflow: Workflow<null>, jobId: string): Promise<number> => {
      const before = count()
      await submitted(workflow, jobId)
      await work('look', jobId)
      await work('pay', jobId)
      expect((await stepOf(jobId, 'pay'))['processState']).toBe('Processed')
      return count() - before
    }
    await run(one, 'x')
    const none = defineWorkflow<null>('none', (job) => {
      const look = job.step('look', shop.sell, { item: 'look' }, { undo: 'none' })
      job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none', after: [look] })
    })
    expect((await run(one, 'a')) - (await run(none, 'b'))).toBe(0)
    expect((await run(plain, 'c')) - (await run(none, 'd'))).toBeGreaterThan(0)
  })

  it('enters in the transaction of its job, which is refused if another process changed it first (F-G4)', async () => {
    await submitted(one, 'a', 'b')
    await work('look', 'b')
    expect(await inside()).toEqual(['b'])
    // Another process writes the gate, so the next transaction is refused, and the scheduler decides again.
    const gate = await world.truth.read(gateAddress(crm))
    if (gate === null) throw new Error('there is no gate')
    const document = { ...withoutStoreFields(gate), holders: [] }
    await world.put(partition, [{ kind: 'replace', document, ifMatch: gate._etag }])
    await work('look', 'a')
    expect(await inside()).toEqual(['a'])
    expect(await states('pay', 'a')).toEqual(['Processing'])
  })

  it('lets jobs in, and frees their places when they end', async () => {
    const workflow = limitedJobs([{ key: 'tenant', atOnce: 1, perPartition: true }])
    const key = `jobs:${keyInPartition('tenant', partition)}`
    await submitted(workflow, 'a', 'b')
    expect(await inside(key)).toEqual(['a'])
    const waiting = await world.truth.read({ pk: partition, id: jobDocumentId('b') })
    expect(waiting).toMatchObject({ place: { waitsFor: key } })
    await work('look', 'a')
    expect(await inside(key)).toEqual(['b'])
    await work('look', 'b')
    expect(await inside(key)).toEqual([])
    const job = await world.truth.read({ pk: partition, id: jobDocumentId('b') })
    expect(job).toMatchObject({ processState: 'Processed', schema: plannedSchema })
  })

  it('may be shared by steps of one job that begin together', async () => {
    const workflow = defineWorkflow<null>('together', (job) => {
      const limits = [{ key: 'crm', atOnce: 1, perPartition: true }]
      for (const id of ['one', 'two', 'three'])
        job.step(id, shop.sell, { item: id }, { undo: 'none', limits })
    })
    await submitted(workflow, 'a')
    const ids = ['one', 'two', 'three']
    const began = async () =>
      (await Promise.all(ids.map(async (id) => (await stepOf('a', id))['lockedBy']))).filter(Boolean)
    for (const id of ids) {
      expect(await began()).toHaveLength(1)
      await work(id, 'a')
    }
    expect((await world.truth.read({ pk: partition, id: jobDocumentId('a') }))?.['processState']).toBe(
      'Processed',
    )
    expect(await inside()).toEqual([])
  })

  it('is freed by the supervisor if its step is gone', async () => {
    await submitted(one, 'a', 'b')
    await work('look', 'a')
    const held = await world.truth.read(gateAddress(crm))
    await work('pay', 'a')
    const now = await world.truth.read(gateAddress(crm))
    if (held === null || now === null) throw new Error('there is no gate')
    await world.put(partition, [{ kind: 'replace', document: withoutStoreFields(held), ifMatch: now._etag }])
    await work('look', 'b')
    expect(await states('pay', 'b')).toEqual(['Pending'])
    await world.clock.advance(63_000)
    await world.supervisor().runOnce()
    await world.clock.advance(1)
    await schedule()
    expect(await states('pay', 'b')).toEqual(['Processing'])
    expect(await inside()).toEqual(['b'])
  })

  it('is shown, set and paused by its key', async () => {
    await submitted(one, 'a', 'b', 'c')
    await work('look', 'a', 'b', 'c')
    expect(await client.limits.get(crm)).toMatchObject({ key: crm, atOnce: 1, waiting: 2 })
    await client.limits.set(crm, { atOnce: 2 }, { by: 'ann', why: 'more room' })
    await schedule()
    expect(await inside()).toEqual(['a', 'b'])
    const tooMany = client.limits.set(crm, { atOnce: 101 })
    await expect(tooMany).rejects.toThrow('a limit of one partition lets at most 100 in at once')
    await client.limits.pause(crm)
    await work('pay', 'a', 'b')
    expect(await states('pay', 'c')).toEqual(['Pending'])
    await client.limits.resume(crm)
    await schedule()
    expect(await states('pay', 'c')).toEqual(['Processing'])
  })

  it.each([
    [
      { key: 'partition:crm:x', atOnce: 1 },
      'it must not begin with partition:; use perPartition: true instead',
    ],
    [{ key: 'crm', atOnce: 101, perPartition: true }, 'with perPartition, at most 100 are allowed'],
    [{ key: 'crm', atOnce: 1, perPartition: 'yes' as never }, 'perPartition is "yes"'],
  ])('refuses %j', (limit, problem) => {
    expect(() => limited([limit])).toThrow(problem)
  })
})

describe('the key of a limit of each partition', () => {
  it.each([
    ['crm', 'tenant-1'],
    ['a:b~', 'tenant:1'],
    ['~3a', ':'],
  ])('says in which partition %j of %j lives', (name, pk) => {
    expect(homeOf(keyInPartition(name, pk))).toBe(pk)
    expect(homeOf(`jobs:${keyInPartition(name, pk)}`)).toBe(pk)
    expect(gateAddress(keyInPartition(name, pk)).pk).toBe(pk)
  })

  it('is not that of another limit', () => {
    for (const key of ['bank', 'jobs:bank', 'partition:', 'partition:crm', 'partition::x', 'partition:crm:'])
      expect(homeOf(key)).toBeNull()
  })

  it('refuses to pause or set the key of a definition, which no step uses', async () => {
    await submitted(one, 'A-1')
    await work('look', 'A-1')
    const rule = 'name the limit of one partition, as in "partition:crm:tenant:1"'
    await expect(client.limits.pause('crm', { why: 'test' })).rejects.toThrow(rule)
    await expect(client.limits.set('crm', { atOnce: 2 })).rejects.toThrow(rule)
    expect(await readGate(world.truth, gateAddress('crm'))).toBeNull()
    expect((await client.limits.pause(crm)).atOnce).toBe(0)
    // A limit whose name only begins with the same text has nothing to do with it.
    expect((await client.limits.pause('cr')).atOnce).toBe(0)
  })

  it('refuses to pause the key of a definition of jobs with limits in their partitions', async () => {
    await submitted(limitedJobs([{ key: 'crm', atOnce: 1, perPartition: true }]), 'A-1')
    await expect(client.limits.pause('jobs:crm')).rejects.toThrow('as in "jobs:partition:crm:tenant:1"')
    expect((await client.limits.pause('crm')).atOnce).toBe(0)
  })
})
