import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { CommandRefused } from '../../../src/sas/model/errors.js'
import { replacing } from '../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const line = aWorkflow({ a: [], b: ['a'], c: ['b'] })

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** Runs a job to its end, lets it expire, and leaves its steps behind with this time to live. */
async function leaveSteps(ttl: number): Promise<void> {
  await client.submit(line, 'old', { jobId: 'job-1' })
  await world.run()
  await world.leaveSteps(ttl, { outcome: null })
}

describe('a scheduler that remembers a step of an earlier job with the same id', () => {
  it('begins the new job, although another scheduler ended the earlier one', async () => {
    const idle = world.scheduler('idle')
    const busy = world.scheduler('busy')
    const agents = world.agents()
    await client.submit(line, {}, { jobId: 'job-1', retainFor: '10s' })
    // The range belongs to `idle` at first: it sees the job and its first attempt.
    await idle.onChanges(await world.changes())
    const first = await world.changes()
    await idle.onChanges(first)
    // Then the range moves to `busy`, which takes the job over and ends it.
    const job = await world.job()
    await world.put('job-1', [
      replacing(job, { ...job, lockedBy: null, processState: 'Pending', fence: job.fence + 1 }),
    ])
    let page = [...first, ...(await world.changes())]
    for (; page.length > 0; page = [...(await world.changes())]) {
      await busy.onChanges(page)
      await agents.onChanges(page, going)
      await agents.stop(1_000)
    }
    expect((await world.job()).processState).toBe('Processed')
    await world.clock.advance(3_700_000)
    expect(await world.truth.listSteps('job-1', 'job-1')).toEqual([])
    // The range is back at `idle`, and a client submits the job again.
    await client.submit(line, {}, { jobId: 'job-1' })
    const again = await world.changes()
    const failures: unknown[] = []
    // The change is postponed, holds the checkpoint back, and is tried again.
    for (let tries = 0; tries < 5; tries += 1) {
      await idle.onChanges(again).catch((error: unknown) => failures.push(String(error)))
      await world.clock.advance(60_000)
    }
    expect(failures).toEqual([])
    expect((await world.job()).steps['a']).toMatchObject({ state: 'Processing', dispatch: 1 })
  })
})

describe('a step that an earlier job with the same id left behind', () => {
  it('may expire while a scheduler decides about the new job', async () => {
    await leaveSteps(60)
    await client.submit(line, 'new', { jobId: 'job-1' })
    const page = await world.changes()
    // Another instance writes the job first, and meanwhile the time of the old steps ends.
    const rival = async (): Promise<void> => {
      const job = await world.job()
      await world.put('job-1', [replacing(job, { ...job, fence: job.fence + 1 })])
      await world.clock.advance(60_000)
    }
    world.faults.failWrites({ kind: 'rival', write: rival })
    await world.scheduler().onChanges(page)
    const { attention, processState } = await world.job()
    expect([processState, attention?.message]).toEqual(['Processing', undefined])
  })

  it('makes a command fail with CommandRefused if it does not expire', async () => {
    await leaveSteps(-1)
    await client.submit(line, 'new', { jobId: 'job-1' })
    const migrated = aWorkflow({ a: [], b: ['a'], c: ['b'] }, { completeWithin: '3s' })
    const command = client.migrate('job-1', migrated, { by: 'ann', why: 'so' })
    await expect(command).rejects.toThrow(CommandRefused)
  })

  it('costs few requests, although many steps begin at once', async () => {
    const wide = aWorkflow(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`step-${at}`, []])))
    await client.submit(wide, 'old', { jobId: 'job-1' })
    await world.scheduler().onChanges(await world.changes())
    await world.leaveSteps(3_600)
    await world.changes()
    await client.submit(wide, 'new', { jobId: 'job-1' })
    const page = await world.changes()
    const before = world.faults.count('apply')
    await world.scheduler().onChanges(page)
    expect(world.faults.count('apply') - before).toBeLessThanOrEqual(3)
  })
})
