import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { isStaged } from '../../../../src/sas/model/process-state.js'
import {
  CommandRefused,
  JobConflict,
  StoreUnavailable,
  SubmissionInvalid,
} from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow, type Workflow } from '../../../../src/sas/workflow/workflow.js'
import { aWorkflow } from '../../../support/a-job.js'
import type { WriteFault } from '../../../support/store-faults.js'
import { StateWorld } from '../../../support/state-world.js'

/** More steps than two transactions hold. */
const stepIds = Array.from({ length: 250 }, (_, index) => `s${index}`)
const workflow = aWorkflow(Object.fromEntries(stepIds.map((stepId) => [stepId, []])))
/** The writes in order: the job, three groups of steps, and the intent. */
const stages = [0, 1, 2, 3, 4]
const well: WriteFault = { kind: 'rival', write: () => Promise.resolve() }
const crash: WriteFault = { kind: 'throws', error: new StoreUnavailable('reset', { cause: null }) }
const order = { id: 'order-1', total: 3 }

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

function submitted(input: unknown = 'x', alongside = [{ create: order }]) {
  return client.submit(workflow, input, { jobId: 'job-1', alongside, replyTo: 'queue' })
}

/** Lets the next `count` writes succeed, and the one after them fail with `fault`. */
function failAfter(count: number, fault: WriteFault): void {
  world.faults.failWrites(...Array.from({ length: count }, () => well), fault)
}

async function storedSteps() {
  return world.truth.listSteps('job-1', 'job-1')
}

async function hasOrder(): Promise<boolean> {
  return (await world.truth.read({ pk: 'job-1', id: 'order-1' })) !== null
}

describe('a small submission, if steps of an expired job with that id are left (I1),', () => {
  /** Lets the job of this workflow expire, and leaves its steps behind, each at its third dispatch. */
  async function leaveSteps(workflow: Workflow<string>): Promise<void> {
    await client.submit(workflow, 'x', { jobId: 'job-1' })
    await world.scheduler().onChanges(await world.changes())
    await world.leaveSteps(3_600, { dispatch: 3 })
  }

  const places = async () => (await storedSteps()).map(({ dispatch, ttl }) => [dispatch, ttl])

  it('replaces the documents of waiting steps', async () => {
    const waiting = defineWorkflow<string>('waiting', (job) => {
      job.waitFor('a', { completeWithin: '1d' })
      job.waitFor('b', { completeWithin: '1d' })
    })
    await leaveSteps(waiting)
    await client.submit(waiting, 'y', { jobId: 'job-1' })
    expect(isStaged(await world.job())).toBe(false)
    expect(await places()).toEqual([
      [0, -1],
      [0, -1],
    ])
  })

  it('leaves old documents of planned steps until they begin', async () => {
    const small = aWorkflow({ a: [], b: [] }) as Workflow<string>
    await leaveSteps(small)
    const page = await world.changes()
    await client.submit(small, 'y', { jobId: 'job-1' })
    expect(await places()).toEqual([
      [3, 3_600],
      [3, 3_600],
    ])
    expect((await (await client.get('job-1'))?.view())?.steps.map(({ state }) => state)).toEqual([
      'Pending',
      'Pending',
    ])
    // The scheduler reads the old documents first.
    const scheduler = world.scheduler()
    await scheduler.onChanges(page)
    await scheduler.onChanges(await world.changes())
    expect(await places()).toEqual([
      [1, -1],
      [1, -1],
    ])
    expect((await world.job()).planned).toBeUndefined()
  })

  it('makes a job for an operator if an old document is unreadable', async () => {
    const small = aWorkflow({ a: [] }) as Workflow<string>
    await leaveSteps(small)
    for (const step of await storedSteps())
      await world.put('job-1', [replacing(step, { ...step, fence: 'broken' })])
    await client.submit(small, 'y', { jobId: 'job-1' })
    await world.changes()
    const job = await world.job()
    await world.scheduler().onChanges([job as unknown as Change])
    expect((await world.job()).attention?.message).toContain('document "sas.step:job-1:a" is left over')
  })

  it('makes a job for an operator if an old document does not expire', async () => {
    const small = aWorkflow({ a: [], b: [] }) as Workflow<string>
    await leaveSteps(small)
    for (const step of await storedSteps()) await world.put('job-1', [replacing(step, { ...step, ttl: -1 })])
    await client.submit(small, 'y', { jobId: 'job-1' })
    await world.changes()
    const job = await world.job()
    await world.scheduler().onChanges([job as unknown as Change])
    expect((await world.job()).attention).toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(
        'document "sas.step:job-1:a" is left over from an earlier job with this id; remove it',
      ) as string,
    })
  })
})

describe('a submission larger than one transaction', () => {
  it('becomes one job with all its steps, and runs (F-S7)', async () => {
    await submitted()
    expect(world.faults.writes.map((group) => group.length)).toEqual([1, 100, 100, 53, 3])
    expect(await storedSteps()).toHaveLength(250)
    expect(await hasOrder()).toBe(true)
    expect(await world.job()).toMatchObject({ desiredState: 'Completed', submittedAtMs: world.clock.now() })
    const scheduler = world.scheduler()
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await scheduler.onChanges(page)
    }
    const states = (await storedSteps()).map(({ processState }) => processState)
    expect(states).toEqual(stepIds.map(() => 'Processing'))
  })

  it.each(stages)(
    'leaves nothing that runs when it dies before stage %d, and can be repeated (F-S7)',
    async (stage) => {
      failAfter(stage, crash)
      await expect(submitted()).rejects.toMatchObject({ retriable: true })
      await world.scheduler().onChanges(await world.changes())
      expect((await storedSteps()).filter(({ dispatch }) => dispatch > 0)).toEqual([])
      // The user's own documents exist only together with a completed job (I14).
      expect(await hasOrder()).toBe(false)
      await submitted()
      expect(await storedSteps()).toHaveLength(250)
      expect(await hasOrder()).toBe(true)
      expect(isStaged(await world.job())).toBe(false)
      expect(world.telemetry.of('job.submitted')).toMatchObject([{ isNew: true }])
    },
  )

  it.each(stages.flatMap((stage) => [[stage, 'applied'] as const, [stage, 'lost'] as const]))(
    'becomes one job when the reply at stage %d is lost and the write is %s (F-S3)',
    async (stage, truth) => {
      failAfter(stage, { kind: 'unknownOutcome', truth })
      await submitted()
      expect(await storedSteps()).toHaveLength(250)
      expect(await hasOrder()).toBe(true)
      expect(isStaged(await world.job())).toBe(false)
    },
  )

  it.each(stages)(
    'becomes one job when another client makes it at stage %d of the first one (F-S4)',
    async (stage) => {
      const { truth: store, queries, clock, telemetry } = world
      const other = new JobClient({ store, queries, clock, telemetry })
      const rival = () => other.submit(workflow, 'x', { jobId: 'job-1', alongside: [{ create: order }] })
      failAfter(stage, { kind: 'rival', write: rival })
      await submitted()
      expect(await storedSteps()).toHaveLength(250)
      expect(isStaged(await world.job())).toBe(false)
    },
  )

  it('becomes a new job with new steps when steps of an expired job are left (I1, I18)', async () => {
    await submitted()
    const old = (await storedSteps()).map((step) => {
      return replacing(step, { ...step, dispatch: 1, fence: 1, currentState: 'Completed', ttl: 3_600 })
    })
    for (let first = 0; first < old.length; first += 100)
      await world.put('job-1', old.slice(first, first + 100))
    const job = await world.job()
    await world.put('job-1', [replacing(job, { ...job, replyTo: null, ttl: 1 })])
    await world.clock.advance(2_000)
    const again = await client.submit(workflow, 'other', { jobId: 'job-1' })
    expect(again.jobId).toBe('job-1')
    const fresh = await storedSteps()
    expect(fresh).toHaveLength(250)
    expect(fresh.filter((step) => step.ttl !== -1 || step.dispatch > 0)).toEqual([])
    expect((await world.job()).input).toBe('other')
  })

  it('conflicts with an earlier payload, whether the first try was completed or not (F-S5)', async () => {
    failAfter(2, crash)
    await expect(submitted()).rejects.toThrow(StoreUnavailable)
    await expect(submitted('y')).rejects.toThrow(JobConflict)
    await submitted()
    await expect(submitted('y')).rejects.toThrow('already exists with another payload')
  })

  it.each([
    { first: undefined, second: ['finished'], received: [1] },
    { first: ['finished'], second: undefined, received: [] },
  ] as const)(
    'has the notices of the first try, $first, if the next try names $second (I13)',
    async ({ first, second, received }) => {
      const submittedFor = (notify?: readonly 'finished'[]) =>
        client.submit(workflow, 'x', { jobId: 'job-1', replyTo: 'queue', ...(notify && { notify }) })
      failAfter(2, crash)
      await expect(submittedFor(first)).rejects.toThrow(StoreUnavailable)
      await submittedFor(second)
      const notices = await world.truth.listNotices('job-1', 'job-1')
      expect(notices.map(({ seq }) => seq)).toEqual(received)
      const job = await world.job()
      expect([job.notify, job.notifySeq]).toEqual([first, received.length])
    },
  )

  it('is not completed with the steps of another version of its workflow', async () => {
    failAfter(2, crash)
    await expect(submitted()).rejects.toThrow(StoreUnavailable)
    const other = aWorkflow(Object.fromEntries([...stepIds, 'more'].map((stepId) => [stepId, []])))
    const submitting = client.submit(other, 'x', { jobId: 'job-1' })
    await expect(submitting).rejects.toThrow('was begun with another version of its workflow')
  })

  it('is not completed with other steps under the same names and version (R66)', async () => {
    failAfter(2, crash)
    await expect(submitted()).rejects.toThrow(StoreUnavailable)
    const shape = Object.fromEntries(stepIds.map((stepId) => [stepId, []]))
    const other = aWorkflow(shape, { retry: { tries: 7 } })
    const submitting = client.submit(other, 'x', { jobId: 'job-1' })
    await expect(submitting).rejects.toThrow('was begun with another version of its workflow')
    await submitted()
    const thresholds = (await storedSteps()).map(({ maxFailures }) => maxFailures)
    expect(new Set(thresholds)).toEqual(new Set([3]))
  })

  it('is completed as the first try asked, whatever else the second try asks for', async () => {
    failAfter(2, crash)
    await expect(submitted()).rejects.toThrow(StoreUnavailable)
    await client.submit(workflow, 'x', {
      jobId: 'job-1',
      priority: 9,
      orderId: 'other',
      replyTo: 'elsewhere',
    })
    const steps = await storedSteps()
    expect(new Set(steps.map(({ priority, orderId }) => `${priority} ${orderId}`))).toEqual(
      new Set(['0 job-1']),
    )
    expect(await world.truth.listNotices('job-1', 'job-1')).toMatchObject([{ seq: 1, replyTo: 'queue' }])
  })

  it('conflicts with a document that exists without a job, and never runs (F-S6)', async () => {
    await world.put('job-1', [{ kind: 'create', document: { ...order, pk: 'job-1' } }])
    await expect(submitted()).rejects.toThrow('document "order-1" exists already without a job')
    expect(isStaged(await world.job())).toBe(true)
  })

  it('is refused and writes nothing when one of its documents fits no transaction (F-S9)', async () => {
    await expect(submitted('x'.repeat(1_900_000))).rejects.toThrow(SubmissionInvalid)
    expect(world.faults.writes).toEqual([])
  })

  it('gives up when the store never gives a clear answer', async () => {
    const lost: WriteFault = { kind: 'unknownOutcome', truth: 'lost' }
    world.faults.failWrites(...Array.from({ length: 100 }, () => lost))
    await expect(submitted()).rejects.toThrow('submit the job again with the same id')
  })

  it('accepts no command of an operator before it is completed', async () => {
    failAfter(2, crash)
    await expect(submitted()).rejects.toThrow(StoreUnavailable)
    await expect(client.cancel('job-1', 'no')).rejects.toThrow(CommandRefused)
  })
})

describe('a submission that was never completed (F-S8, R24)', () => {
  beforeEach(async () => {
    failAfter(3, crash)
    await expect(submitted()).rejects.toThrow(StoreUnavailable)
  })

  it('is left alone for an hour, then removed without an alert, and may be made again', async () => {
    const supervisor = world.supervisor()
    await world.clock.advance(3_600_000)
    await supervisor.runOnce()
    expect((await world.job()).ttl).toBe(-1)
    await world.clock.advance(2_000)
    await supervisor.runOnce()
    expect((await storedSteps()).every(({ ttl }) => ttl === 60)).toBe(true)
    expect(await world.job()).toMatchObject({ ttl: 60, attention: null })
    expect(world.telemetry.of('attention.raised')).toEqual([])
    await expect(submitted()).rejects.toMatchObject({ retriable: true, retryAfterMs: 60_000 })
    await world.clock.advance(61_000)
    expect(await storedSteps()).toEqual([])
    await submitted()
    expect(await storedSteps()).toHaveLength(250)
  })

  it.each([1, 2, 3])('is removed by another supervisor when write %d of the removal fails', async (write) => {
    await world.clock.advance(3_602_000)
    failAfter(write, crash)
    await expect(world.supervisor().runOnce()).rejects.toThrow(StoreUnavailable)
    expect((await world.job()).ttl).toBe(-1)
    await world.supervisor({ instanceName: 'supervisor-2' }).runOnce()
    expect((await storedSteps()).every(({ ttl }) => ttl === 60)).toBe(true)
    expect(await world.job()).toMatchObject({ ttl: 60 })
  })

  it('is not completed by a submitter that returns after it was given up', async () => {
    await world.clock.advance(3_602_000)
    failAfter(1, { kind: 'rival', write: () => giveUp() })
    await expect(submitted()).rejects.toThrow('is being removed; submit it again')
    expect(isStaged(await world.job())).toBe(true)
    expect(await hasOrder()).toBe(false)
  })

  async function giveUp(): Promise<void> {
    const job = await world.job()
    await world.put('job-1', [replacing(job, { ...job, endedAtMs: world.clock.now() })])
  }
})
