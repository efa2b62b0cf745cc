import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { gateAddress, keyInPartition } from '../../../src/sas/gates/home.js'
import { readGate } from '../../../src/sas/gates/stored-gate.js'
import { defineWorkflow, type Limit, type SubmissionDefaults } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const partition = 'tenant:1'
const crm = keyInPartition('crm', partition)
const of = (atOnce: number, key = 'crm'): Limit => ({ key, atOnce, perPartition: true })

let world: StateWorld
let client: JobClient
let scheduler: ReturnType<StateWorld['scheduler']>

beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  scheduler = world.scheduler()
})

async function schedule(): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await world.clock.advance(0)
  }
}

/** Submits a job of steps that begin together, with the limits that `limits` gives to each. */
async function together(
  jobId: string,
  count: number,
  limits: (at: number) => readonly Limit[],
  options: SubmissionDefaults<null> = {},
): Promise<void> {
  const workflow = defineWorkflow<null>(
    `workflow-${jobId}`,
    (job) => {
      for (let at = 0; at < count; at += 1)
        job.step(`s${at}`, shop.sell, { item: `s${at}` }, { undo: 'none', limits: limits(at) })
    },
    options,
  )
  await client.submit(workflow, null, { jobId, partitionKey: partition })
  await schedule()
}

async function stepsAt(jobId: string, where: 'work' | 'gates'): Promise<number> {
  const steps = await world.truth.listSteps(partition, jobId)
  return steps.filter(({ lockedBy, place }) => {
    return where === 'work' ? lockedBy !== null : lockedBy === null && (place?.waitsFor ?? null) !== null
  }).length
}

const holders = async (key = crm) =>
  (await readGate(world.truth, gateAddress(key)))?.holders.map(({ jobId }) => jobId) ?? []

describe('a transaction that also writes limits of its partition', () => {
  it('keeps its size when a job with many waiting steps goes on after a pause', async () => {
    await together('a', 60, () => [of(1)])
    expect(await stepsAt('a', 'gates')).toBe(59)
    await client.pause('a', 'wait', { partitionKey: partition })
    await schedule()
    expect(await stepsAt('a', 'gates')).toBe(0)
    await client.resume('a', { partitionKey: partition })
    await schedule()
    expect((await world.job('a', partition)).attention).toBeNull()
    expect(await stepsAt('a', 'gates')).toBe(59)
  })

  it('keeps its size when many steps leave at once, and calls the waiters afterwards', async () => {
    await together('a', 55, () => [of(55)], { completeWithin: '10m' })
    await together('b', 55, () => [of(55)])
    expect(await stepsAt('b', 'gates')).toBe(55)
    await world.clock.advance(11 * 60_000)
    await world.supervisor().runOnce()
    await schedule()
    expect((await world.job('a', partition)).attention?.kind).toBe('error')
    expect(await stepsAt('b', 'work')).toBe(55)
    expect(new Set(await holders())).toEqual(new Set(['b']))
  })

  it('keeps its size when each step has limits of its own', async () => {
    const limits = (at: number): readonly Limit[] => [1, 2, 3].map((number) => of(1, `${at}-${number}`))
    await together('a', 30, limits, { completeWithin: '10m' })
    await together('b', 30, limits)
    expect(await stepsAt('a', 'work')).toBe(30)
    expect(await stepsAt('b', 'gates')).toBe(30)
    await world.clock.advance(11 * 60_000)
    await world.supervisor().runOnce()
    await schedule()
    expect((await world.job('a', partition)).attention?.kind).toBe('error')
    expect(await stepsAt('b', 'work')).toBe(30)
    expect(await holders(keyInPartition('29-3', partition))).toEqual(['b'])
  })

  it('has short ids, however long the key and the group are', async () => {
    const key = ':'.repeat(200)
    await together('a', 2, () => [{ ...of(1, key), fairBy: '/'.repeat(200) }])
    expect((await world.job('a', partition)).attention).toBeNull()
    expect(await stepsAt('a', 'gates')).toBe(1)
    expect(await client.limits.get(keyInPartition(key, partition))).toMatchObject({ waiting: 1 })
    const other = keyInPartition(`${key.slice(1)};`, partition)
    expect(gateAddress(other).id).not.toBe(gateAddress(keyInPartition(key, partition)).id)
  })
})
