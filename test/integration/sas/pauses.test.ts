import { beforeEach, describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { pausesDocumentId } from '../../../src/sas/model/document-ids.js'
import { readPauses } from '../../../src/sas/pauses/stored-pauses.js'
import { CommandInvalid, CommandRefused, defineWorkflow } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const undo = 'none' as const

const graceMs = 2_000

/** Two steps of the agent `shop`, one after the other. */
const shopping = defineWorkflow('shopping', (job) => {
  const first = job.step('pay', shop.sell, { item: 'pay' }, { undo, completeWithin: '1m' })
  job.step('ship', shop.sell, { item: 'ship' }, { undo, after: [first] })
})

/** A wait for an event, and then a step. */
const asking = defineWorkflow('asking', (job) => {
  const asked = job.waitFor('approve', { completeWithin: '10m' })
  job.step('pay', shop.sell, { item: 'pay' }, { undo, after: [asked] })
})

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

/** Delivers the changes to the scheduler until it has nothing to do. */
async function schedule(by = scheduler): Promise<void> {
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await by.onChanges(page)
    await world.clock.advance(0)
  }
}

async function work(stepId: string, jobId: string): Promise<void> {
  const context = { leaseToken: '0', signal: new AbortController().signal }
  await agents.onChanges([{ ...(await world.step(stepId, jobId)), _lsn: 1 }], context)
  await world.clock.advance(1)
  await schedule()
}

/** Lets a supervisor tell the jobs of each pause, as it does when it reads the change. */
async function tell(): Promise<void> {
  await look()
  await schedule()
}

/** Lets a supervisor look at what is due, with its pause after a deadline. */
async function look(): Promise<void> {
  await world.clock.advance(graceMs + 1)
  await world.supervisor().runOnce()
}

const submit = (workflow: typeof shopping, jobId: string) => client.submit(workflow, {}, { jobId })

describe('a pause of a workflow (I35)', () => {
  it('lets no step of its jobs begin, and what runs ends', async () => {
    await submit(shopping, 'before')
    await schedule()
    await client.pause({ workflow: 'shopping' }, 'the service is down', { by: 'ann' })
    await submit(shopping, 'after')
    await submit(asking, 'other')
    await schedule()
    expect(await world.step('pay', 'after')).toMatchObject({ dispatch: 0 })
    expect(await world.step('approve', 'other')).toMatchObject({ dispatch: 1 })
    await work('pay', 'before')
    expect(await world.step('pay', 'before')).toMatchObject({ processState: 'Processed' })
    expect(await world.step('ship', 'before')).toMatchObject({ dispatch: 0 })
    const { why, paused } = (await (await client.get('after'))?.view()) ?? {}
    expect(paused).toMatchObject({ by: 'ann', with: { kind: 'workflow', name: 'shopping' } })
    expect(why).toMatch(
      /^It is paused with workflow shopping, which was paused by ann at .*: the service is down\.$/,
    )
  })

  it('is obeyed 30 seconds later by a scheduler that does not read its range (F-P16)', async () => {
    await submit(shopping, 'first')
    await schedule()
    const [change] = await pausing()
    expect(change?.id).toBe(pausesDocumentId)
    await submit(shopping, 'soon')
    await schedule()
    expect((await world.step('pay', 'soon')).dispatch).toBe(1)
    await world.clock.advance(30_000)
    await submit(shopping, 'late')
    await schedule()
    expect((await world.step('pay', 'late')).dispatch).toBe(0)
  })

  /** Pauses the workflow, and keeps the change from the scheduler. */
  async function pausing() {
    await client.pause({ workflow: 'shopping' }, 'down')
    return world.changes()
  }

  it('stops the deadlines of jobs that wait, and resumes each of them', async () => {
    await submit(asking, 'waits')
    await schedule()
    const dueMs = (await world.step('approve', 'waits')).completeByMs ?? 0
    await client.pause({ workflow: 'asking' }, 'holidays')
    await tell()
    expect(await world.step('approve', 'waits')).toMatchObject({ completeByMs: null })
    await world.clock.advance(24 * 3_600_000)
    await tell()
    expect((await world.job('waits')).paused).toMatchObject({ why: 'holidays' })
    await client.resume({ workflow: 'asking' }, { by: 'bob' })
    await tell()
    expect((await world.job('waits')).paused).toBeNull()
    const laterMs = ((await world.step('approve', 'waits')).completeByMs ?? 0) - dueMs
    // The time from the first look at the jobs to the last one.
    expect(laterMs).toBe(24 * 3_600_000 + 2 * (graceMs + 1))
    expect((await world.job('waits')).audit.map(({ command, by }) => [command, by])).toEqual([
      ['pause', 'operator'],
      ['resume', 'bob'],
    ])
  })

  it('forgets the pause after its last look at the jobs', async () => {
    await client.pause({ workflow: 'shopping' }, 'down')
    await tell()
    await client.resume({ workflow: 'shopping' })
    expect(await client.pauses.list()).toEqual([])
    for (const ms of [0, 60_000, 600_000]) {
      expect((await readPauses(world.truth))?.entries).toHaveLength(1)
      await world.clock.advance(ms)
      await tell()
    }
    expect(await readPauses(world.truth)).toMatchObject({ entries: [], completeByMs: null })
  })

  it('resumes a job that a scheduler has paused after the first look', async () => {
    await submit(asking, 'waits')
    await schedule()
    await client.pause({ workflow: 'asking' }, 'holidays')
    await client.resume({ workflow: 'asking' })
    await look()
    // A scheduler whose write was under way for a long time.
    const job = await world.job('waits')
    const late = {
      ...job,
      paused: { since: 'then', by: 'x', why: 'y' },
      pausedWith: { kind: 'workflow', name: 'asking' },
    }
    await world.put('waits', [{ kind: 'replace', document: late, ifMatch: job._etag }])
    await world.clock.advance(60_000)
    await tell()
    expect((await world.job('waits')).paused).toBeNull()
  })

  it('is not mistaken for a pause that has ended meanwhile (F-P18)', async () => {
    const other = world.scheduler('scheduler-2')
    await client.pause({ workflow: 'shopping' }, 'down')
    await schedule()
    await submit(shopping, 'job')
    await schedule(other)
    expect((await world.job('job')).paused).toMatchObject({ why: 'down' })
    await client.resume({ workflow: 'shopping' })
    await look()
    // The change of the pauses does not reach the other scheduler, which knows the pause from before.
    const changes = (await world.changes()).filter(({ id }) => id !== pausesDocumentId)
    await other.onChanges(changes)
    await schedule(other)
    expect((await world.step('pay', 'job')).dispatch).toBe(1)
  })

  it('pauses a job whose submission could have begun it', async () => {
    await client.pause({ workflow: 'shopping' }, 'down')
    await submit(shopping, 'job')
    await schedule()
    expect((await world.job('job')).paused).toMatchObject({ why: 'down' })
  })
})

describe('a pause of an agent (I36)', () => {
  it('pauses the jobs that come to it, and no others', async () => {
    await submit(asking, 'waits')
    await submit(shopping, 'job')
    await schedule()
    await client.pause({ agent: 'shop' }, 'maintenance', { by: 'ann' })
    await work('pay', 'job')
    expect(await world.step('ship', 'job')).toMatchObject({ dispatch: 0 })
    expect((await world.job('job')).pausedWith).toEqual({ kind: 'agent', name: 'shop' })
    expect((await world.job('waits')).paused ?? null).toBeNull()
    await client.resume({ agent: 'shop' })
    await tell()
    expect(await world.step('ship', 'job')).toMatchObject({ processState: 'Processing' })
  })

  it('holds undos too', async () => {
    const undone = defineWorkflow('undone', (job) => {
      const first = job.step('pay', shop.sell, { item: 'pay' }, { undo: shop.takeBack })
      job.waitFor('approve', { after: [first], completeWithin: '10m' })
    })
    await submit(undone, 'job')
    await schedule()
    await work('pay', 'job')
    await client.pause({ agent: 'shop' }, 'maintenance')
    await client.cancel('job', 'wrong order')
    await schedule()
    expect(await world.step('pay', 'job')).toMatchObject({ processState: 'Processed' })
    await client.resume({ agent: 'shop' })
    await tell()
    expect(await world.step('pay', 'job')).toMatchObject({ processState: 'Compensating' })
  })
})

describe('a command about a pause', () => {
  it('is refused if it changes nothing', async () => {
    await expect(client.resume({ workflow: 'shopping' })).rejects.toThrow(/workflow shopping is not paused/)
    await client.pause({ workflow: 'shopping' }, 'down', { by: 'ann' })
    const again = client.pause({ workflow: 'shopping' }, 'down')
    await expect(again).rejects.toThrow(/workflow shopping was already paused by ann at 20/)
    await expect(again).rejects.toBeInstanceOf(CommandRefused)
  })

  it('is refused for one job of a paused workflow', async () => {
    await client.pause({ workflow: 'shopping' }, 'down')
    await submit(shopping, 'job')
    await schedule()
    await expect(client.resume('job')).rejects.toThrow(
      'job job is paused with workflow shopping, so resume the workflow',
    )
  })

  it.each([
    [{}, /name a workflow or an agent/],
    [{ workflow: 'a', agent: 'b' }, /name a workflow or an agent/],
    [{ workflow: '' }, /the name is ""; it must be a text of 1 to 200 characters/],
    [{ agent: 7 }, /the name is 7; it must be a text/],
  ])('refuses %j', async (target, message) => {
    const pausing = client.pause(target as never, 'why')
    await expect(pausing).rejects.toThrow(message)
    await expect(pausing).rejects.toBeInstanceOf(CommandInvalid)
    expect(await readPauses(world.truth)).toBeNull()
  })

  it('succeeds once if its answer is lost', async () => {
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    await client.pause({ workflow: 'shopping' }, 'down')
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    await client.resume({ workflow: 'shopping' })
    expect((await readPauses(world.truth))?.audit).toHaveLength(2)
  })

  it('writes nothing in a dry run', async () => {
    await client.pause({ workflow: 'shopping' }, 'down', { dryRun: true })
    expect(await readPauses(world.truth)).toBeNull()
  })
})
