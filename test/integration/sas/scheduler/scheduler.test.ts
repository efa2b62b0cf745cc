import { beforeEach, describe, expect, it } from 'vitest'
import { withDerivedState } from '../../../../src/sas/model/process-state.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { operate } from '../../../../src/sas/decisions/operator/operate.js'
import type { Scheduler } from '../../../../src/sas/scheduler/scheduler.js'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { replacing, type StateStore } from '../../../../src/sas/store/state-store.js'
import { ensureSubmitted, type AcceptedJob } from '../../../../src/sas/submission/write-submission.js'
import type { SubmitRequest } from '../../../../src/sas/submission/submit.js'
import { aJob, aStep, aSubmission, asChange, aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { schemaVersion } from '../../../../src/sas/model/documents.js'

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** Runs every open step and gives the scheduler each outcome, until no document changes. */
async function runToEnd(): Promise<void> {
  const scheduler = world.scheduler()
  const agents = world.agents()
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, { signal: new AbortController().signal })
    await agents.stop(1_000)
  }
}

describe('a scheduler', () => {
  it('drives a job from its submission to its end (R29, R60)', async () => {
    await world.submitted({ a: [], b: ['a'], c: [], join: ['b', 'c'] })
    await runToEnd()
    expect(await world.job()).toMatchObject({ processState: 'Processed', lockedBy: null, fence: 1 })
    const dispatched = world.telemetry.of('step.dispatched').map(({ stepId }) => stepId)
    expect(dispatched).toEqual(['a', 'c', 'b', 'join'])
    expect(world.telemetry.of('job.finished')).toEqual([
      { type: 'job.finished', jobId: 'job-1', workflow: 'shopping', state: 'Processed' },
    ])
  })

  it('needs no read for a job that it has seen from the start', async () => {
    await world.submitted({ a: [], b: ['a'] })
    await runToEnd()
    expect(world.faults.count('read')).toBe(0)
  })

  it('dispatches the jobs of a page by priority, and equal ones in feed order (R126, F-Q10)', async () => {
    for (const [jobId, priority] of [
      ['low', 0],
      ['high', 5],
      ['lower', -1],
      ['higher', 9],
      ['low too', 0],
    ] as const) {
      await world.submitted({ pay: [] }, {}, { jobId, partition: jobId, priority })
    }
    await world.scheduler().onChanges(await world.changes())
    const dispatched = world.telemetry.of('step.dispatched').map(({ jobId }) => jobId)
    expect(dispatched).toEqual(['higher', 'high', 'low', 'low too', 'lower'])
  })

  it('changes nothing when it reads its own writes or the same page again (F-C26, F-C1)', async () => {
    await world.submitted()
    const scheduler = world.scheduler()
    const page = await world.changes()
    await scheduler.onChanges(page)
    const own = await world.changes()
    await scheduler.onChanges(own)
    await scheduler.onChanges(own)
    await world.scheduler('scheduler-2').onChanges(own)
    expect(world.faults.writes).toHaveLength(1)
    // The etag in the old page is stale, so one write is refused. After a new read there is nothing to do.
    await scheduler.onChanges(page)
    expect(await world.job()).toMatchObject({ fence: 1, lockedBy: 'scheduler-1' })
    expect(await world.step()).toMatchObject({ fence: 1, dispatch: 1 })
  })

  it('reads the steps again, instead of its memory, when a job was taken from it (F-C21, R98)', async () => {
    await world.submitted()
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    const agents = world.agents()
    await agents.onChanges(await world.changes(), { signal: new AbortController().signal })
    await agents.stop(1_000)
    const unseen = await world.changes()
    expect(unseen).toHaveLength(1)
    const job = await world.job()
    const freed = withDerivedState({ ...job, lockedBy: null, fence: job.fence + 1 })
    await world.put('job-1', [replacing(job, freed)])
    await scheduler.onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
  })

  describe('that remembers a job in Error, although another instance has continued it,', () => {
    const address = { pk: 'job-1', id: 'sas.job:job-1' }
    let own: Scheduler
    let old: Awaited<ReturnType<StateStore['read']>>
    let succeeded: readonly Change[]

    beforeEach(async () => {
      await world.dispatched()
      const attention = { kind: 'error' as const, since: '', by: 'x', message: 'no such card', stepId: 'pay' }
      const step = await world.step()
      const failed = { ...step, attention, processState: 'Error' as const, lockedBy: null }
      await world.put('job-1', [replacing(step, failed)])
      own = world.scheduler()
      await own.onChanges(await world.changes())
      await own.onChanges(await world.changes())
      old = await world.truth.read(address)
      await continuedElsewhere()
      succeeded = await world.changes()
    })

    /**
     * Lets an operator resubmit the job, another scheduler dispatch its step, and the agents run the step.
     */
    async function continuedElsewhere(): Promise<void> {
      const [job, step] = [await world.job(), await world.step()]
      const command = { kind: 'resubmit', by: 'ann', why: 'the card was replaced' } as const
      const operation = operate({ job, steps: new Map([['pay', step]]), now: world.clock.now() }, command)
      if (operation.kind !== 'write') throw new Error('the command was refused')
      const changed = operation.changed.map((after) => replacing(step, after))
      await world.put('job-1', [replacing(job, operation.job), ...changed])
      await world.scheduler('scheduler-2').onChanges(await world.changes())
      const agents = world.agents()
      await agents.onChanges(await world.changes(), { signal: new AbortController().signal })
      await agents.stop(1_000)
    }

    it('ends the job when its step has succeeded (F-C21)', async () => {
      expect(old).toMatchObject({ processState: 'Error' })
      await own.onChanges(succeeded)
      expect(await world.job()).toMatchObject({ processState: 'Processed' })
    })

    it('requests the change again as long as a replica answers with the old job', async () => {
      world.store.read = (asked) => (asked.id === address.id ? Promise.resolve(old) : world.truth.read(asked))
      await expect(own.onChanges(succeeded)).rejects.toThrow(StoreUnavailable)
    })
  })

  it('raises attention when a step has failed for good', async () => {
    await world.dispatched()
    const step = await world.step()
    const attention = { kind: 'error' as const, since: '', by: 'x', message: 'no such card', stepId: 'pay' }
    const failed = { ...step, attention, processState: 'Error' as const, lockedBy: null }
    await world.put('job-1', [replacing(step, failed)])
    await world.scheduler().onChanges(await world.changes())
    expect(world.telemetry.of('attention.raised')).toEqual([
      {
        type: 'attention.raised',
        jobId: 'job-1',
        workflow: 'shopping',
        stepId: 'pay',
        kind: 'error',
        message: 'step pay: no such card',
      },
    ])
    expect(world.telemetry.of('job.finished')).toMatchObject([{ state: 'Error' }])
  })
})

describe('a scheduler that reads its feed', () => {
  it('dispatches a step when its page has the steps before their job (F-C4)', async () => {
    await world.submitted({ a: [], b: ['a'] })
    await world.scheduler().onChanges([...(await world.changes())].reverse())
    expect(await world.step('a')).toMatchObject({ processState: 'Processing' })
    expect(world.faults.count('read')).toBe(0)
  })

  it('reads the steps when its page has the job alone (F-C5)', async () => {
    await world.submitted({ a: [], b: ['a'] })
    const jobOnly = (await world.changes()).filter(({ id }) => id === 'sas.job:job-1')
    await world.scheduler().onChanges(jobOnly)
    expect(await world.step('a')).toMatchObject({ processState: 'Processing' })
    expect(world.faults.count('read')).toBe(2)
  })

  it('ignores the user’s own documents (F-C11, I17)', async () => {
    await world
      .scheduler()
      .onChanges([
        asChange({ id: 'order-1', pk: 'job-1', total: 3 }),
        asChange({ id: 'sas.job:job-1', pk: 'job-1', type: 'order' }),
      ])
    expect(world.faults.writes).toEqual([])
    expect(world.faults.count('read')).toBe(0)
    expect(world.telemetry.events).toEqual([])
  })

  it('names documents that it cannot read, and leaves them alone (F-C9, F-C10)', async () => {
    const documents = [aJob({ processState: 'Processed' }), { ...aStep(), schema: schemaVersion + 1 }]
    await world.put(
      'job-1',
      documents.map((document) => ({ kind: 'create', document })),
    )
    await world.scheduler().onChanges(await world.changes())
    // The only write is the record for operators, who repair the document.
    expect(world.faults.writes).toMatchObject([[{ kind: 'create', document: { type: 'sas.unreadable' } }]])
    expect(world.telemetry.of('document.refused')).toEqual([
      {
        type: 'document.refused',
        id: 'sas.job:job-1',
        reason: 'processState is Processed, but its other fields imply Pending',
      },
      {
        type: 'document.refused',
        id: 'sas.step:job-1:only',
        reason: `schema ${schemaVersion + 1} is newer than this code`,
      },
    ])
  })

  it('refuses a step whose job does not exist (F-V25)', async () => {
    await world.scheduler().onChanges([asChange({ ...aStep({ dispatch: 1 }) })])
    expect(world.telemetry.of('document.refused')).toEqual([
      { type: 'document.refused', id: 'sas.job:job-1', reason: 'the document of job job-1 does not exist' },
    ])
    expect(world.faults.writes).toEqual([])
  })

  it('dispatches nothing again when its page is older than the store (F-C6)', async () => {
    await world.submitted({ a: [], b: ['a'] })
    const old = await world.changes()
    await world.scheduler('scheduler-0').onChanges(old)
    await world.scheduler().onChanges(old)
    expect(await world.job()).toMatchObject({ fence: 1, lockedBy: 'scheduler-0' })
    expect(await world.step('a')).toMatchObject({ dispatch: 1 })
  })
})

describe('schedulers that lose races and replies', () => {
  it('claim a job once when two of them race for it (R31, R54, F-Q4)', async () => {
    await world.submitted({ a: [], b: [] })
    const page = await world.changes()
    await Promise.all(['scheduler-1', 'scheduler-2'].map((name) => world.scheduler(name).onChanges(page)))
    expect(await world.job()).toMatchObject({ fence: 1, steps: { a: { dispatch: 1 }, b: { dispatch: 1 } } })
    expect(await world.step('a')).toMatchObject({ fence: 1, attempt: 1 })
    expect(world.telemetry.of('step.dispatched')).toHaveLength(2)
    expect(world.telemetry.of('store.conflict')).toHaveLength(1)
  })

  it.each(['applied', 'lost'] as const)(
    'claim a job once when the reply to the claim is lost and the write is %s (F-Q3)',
    async (truth) => {
      await world.submitted({ a: [], b: ['a'] })
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      await world.scheduler().onChanges(await world.changes())
      expect(await world.job()).toMatchObject({ fence: 1, lockedBy: 'scheduler-1' })
      expect(await world.step('a')).toMatchObject({ fence: 1, dispatch: 1 })
      expect(world.faults.writes).toHaveLength(truth === 'applied' ? 1 : 2)
    },
  )

  it('claim a new job once when eight of them see it (F-Q14)', async () => {
    await world.submitted({ a: [], b: [] })
    const page = await world.changes()
    const names = Array.from({ length: 8 }, (_, index) => `scheduler-${index}`)
    await Promise.all(names.map((name) => world.scheduler(name).onChanges(page)))
    expect(await world.job()).toMatchObject({ fence: 1, steps: { a: { dispatch: 1 }, b: { dispatch: 1 } } })
    expect(world.telemetry.of('step.dispatched')).toHaveLength(2)
  })

  it('claim a job once when the store’s client sends the claim twice (F-Q5)', async () => {
    await world.submitted({ a: [], b: ['a'] })
    const page = await world.changes()
    const scheduler = world.scheduler()
    world.faults.failWrites({
      kind: 'rival',
      write: async () => world.truth.apply('job-1', world.faults.writes.at(-1) ?? []),
    })
    await scheduler.onChanges(page)
    expect(world.telemetry.of('store.conflict')).toHaveLength(1)
    expect(await world.job()).toMatchObject({ fence: 1, lockedBy: 'scheduler-1' })
    expect(await world.step('a')).toMatchObject({ fence: 1, dispatch: 1, attempt: 1 })
  })

  it('dispatch a joining step once when each has seen one of its parallel steps end (F-D14)', async () => {
    await world.submitted({ a: [], b: [], join: ['a', 'b'] })
    const [first, second] = [world.scheduler('scheduler-1'), world.scheduler('scheduler-2')]
    const begun = await world.changes()
    await first.onChanges(begun)
    const agents = world.agents()
    await agents.onChanges(await world.changes(), { signal: new AbortController().signal })
    await agents.stop(1_000)
    const ended = await world.changes()
    const endOf = (stepId: string) => ended.filter((change) => change['stepId'] === stepId)
    expect([endOf('a'), endOf('b')].map(({ length }) => length)).toEqual([1, 1])
    await Promise.all([first.onChanges(endOf('a')), second.onChanges(endOf('b'))])
    const own = await world.changes()
    await Promise.all([first.onChanges(own), second.onChanges(own)])
    expect((await world.job()).steps).toMatchObject({
      a: { state: 'Processed' },
      b: { state: 'Processed' },
      join: { state: 'Processing', dispatch: 1 },
    })
    expect(await world.step('join')).toMatchObject({ fence: 1, attempt: 1 })
  })

  it('continue a job of which the feed shows only the last versions (F-C3)', async () => {
    await world.dispatched({ a: [], b: ['a'] })
    const agents = world.agents()
    await agents.onChanges(await world.changes(), { signal: new AbortController().signal })
    await agents.stop(1_000)
    const late = [await world.job(), await world.step('a')].map((document) => asChange(document))
    await world.scheduler('scheduler-9').onChanges(late)
    expect((await world.job()).steps).toMatchObject({ a: { state: 'Processed' }, b: { state: 'Processing' } })
  })

  it('dispatch the next step once when the reply to the advance is lost (F-D4)', async () => {
    await world.submitted({ a: [], b: ['a'] })
    const scheduler = world.scheduler()
    const agents = world.agents()
    await scheduler.onChanges(await world.changes())
    await agents.onChanges(await world.changes(), { signal: new AbortController().signal })
    await agents.stop(0)
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    await scheduler.onChanges(await world.changes())
    expect(await world.step('b')).toMatchObject({ fence: 1, dispatch: 1 })
  })

  it('read again after a conflict, and decide on what is stored', async () => {
    await world.submitted()
    const page = await world.changes()
    world.faults.failWrites({
      kind: 'rival',
      write: async () => {
        const job = await world.job()
        await world.put('job-1', [replacing(job, { ...job, note: 'edited by hand' })])
      },
    })
    await world.scheduler().onChanges(page)
    expect(await world.job()).toMatchObject({ lockedBy: 'scheduler-1', note: 'edited by hand' })
    expect(world.faults.writes).toHaveLength(2)
  })

  it('reject the page when two writes of a job in a row have no clear answer (F-X4)', async () => {
    await world.submitted()
    const page = await world.changes()
    world.faults.failWrites(
      ...Array.from({ length: 6 }, () => ({ kind: 'unknownOutcome', truth: 'lost' }) as const),
    )
    const refused = 'job job-1: the outcome of 2 writes is unknown; wait before the next try'
    await expect(world.scheduler().onChanges(page)).rejects.toThrow(refused)
    expect(world.faults.writes).toHaveLength(2)
  })

  it('reject the page while a job stays contended', async () => {
    await world.submitted()
    const page = await world.changes()
    const rival = async (): Promise<void> => {
      const job = await world.job()
      await world.put('job-1', [replacing(job, { ...job, priority: job.priority + 1 })])
    }
    world.faults.failWrites(...Array.from({ length: 6 }, () => ({ kind: 'rival', write: rival }) as const))
    await expect(world.scheduler().onChanges(page)).rejects.toThrow(
      'job job-1: another writer changed it first in each of 6 tries; it will be delivered again',
    )
    await world.scheduler().onChanges(page)
    expect(await world.job()).toMatchObject({ lockedBy: 'scheduler-1' })
  })

  it('write the other jobs of a page when one fails, and then reject the page (F-C13)', async () => {
    await world.submitted()
    await world.submitted({ pay: [] }, {}, { jobId: 'job-2', partition: 'job-2' })
    const page = await world.changes()
    world.faults.failWrites({ kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) })
    await expect(world.scheduler().onChanges(page)).rejects.toThrow('busy')
    const claimed = [await world.job('job-1'), await world.job('job-2')].map(({ lockedBy }) => lockedBy)
    expect(claimed.sort()).toEqual([null, 'scheduler-1'].sort())
  })
})

describe('a partition that the store refuses', () => {
  const busy = { kind: 'throws' as const, error: new StoreUnavailable('busy', { cause: null }) }
  let held: number
  beforeEach(() => {
    held = 0
  })
  const holdCheckpoint = (): (() => void) => {
    held += 1
    return () => void (held -= 1)
  }

  it('delays its own job and the checkpoint, but not the page, and goes on later (F-X2, I10)', async () => {
    await world.submitted()
    await world.submitted({ pay: [] }, {}, { jobId: 'job-2', partition: 'job-2' })
    const page = await world.changes()
    const scheduler = world.scheduler()
    world.faults.failWrites(busy, busy)
    await scheduler.onChanges(
      page.filter(({ pk }) => pk === 'job-1'),
      { leaseToken: '0', holdCheckpoint },
    )
    expect(held).toBe(1)
    await scheduler.onChanges(page, { leaseToken: '0', holdCheckpoint })
    // The first partition waits, so the second fault hit the other one, which waits now, too.
    expect(world.faults.writes.map(([write]) => write?.document.pk)).toEqual(['job-1', 'job-2'])
    expect(held).toBe(3)
    await world.clock.advance(10_000)
    expect([await world.job('job-1'), await world.job('job-2')]).toMatchObject([
      { lockedBy: 'scheduler-1' },
      { lockedBy: 'scheduler-1' },
    ])
    expect(held).toBe(0)
  })

  it('is left to the next owner of the lease when the lease is released', async () => {
    await world.submitted()
    const scheduler = world.scheduler()
    world.faults.failWrites(busy)
    await scheduler.onChanges(await world.changes(), { leaseToken: '0', holdCheckpoint })
    scheduler.onLeaseReleased('0')
    await world.clock.advance(60_000)
    expect(await world.job()).toMatchObject({ processState: 'Pending' })
    expect(held).toBe(1)
  })

  it('makes the scheduler reject the page when 16 other partitions are refused, too (F-X1)', async () => {
    for (let index = 0; index < 17; index += 1) {
      const jobId = `job-${index}`
      await world.submitted({ pay: [] }, {}, { jobId, partition: jobId })
      world.faults.failWrites(busy)
    }
    const page = await world.changes()
    const scheduler = world.scheduler()
    await expect(scheduler.onChanges(page, { leaseToken: '0', holdCheckpoint })).rejects.toThrow('busy')
    expect(held).toBe(0)
  })
})

describe('a job that was accepted in this process', () => {
  const accept = async (overrides: Partial<SubmitRequest> = {}): Promise<AcceptedJob> => {
    const request = aSubmission(aWorkflow({ a: [], b: ['a'] }).plan, overrides)
    const { accepted } = await ensureSubmitted(world.store, request)
    if (accepted === null) throw new Error('the job was not accepted')
    return accepted
  }

  it('begins at once without a read, and its change causes no further write (R29, F-C1)', async () => {
    const scheduler = world.scheduler()
    expect(await scheduler.begin(await accept(), '0')).toBe(true)
    expect(await world.job()).toMatchObject({ processState: 'Processing', lockedBy: 'scheduler-1' })
    expect(await world.step('a')).toMatchObject({ processState: 'Processing', dispatch: 1 })
    expect(world.faults.count('read')).toBe(0)
    await scheduler.onChanges(await world.changes())
    expect(world.faults.writes).toHaveLength(2)
    expect(world.faults.count('read')).toBe(0)
  })

  it('is left alone when another instance has already begun it (I2)', async () => {
    const accepted = await accept()
    await world.scheduler('scheduler-2').onChanges(await world.changes())
    expect(await world.scheduler().begin(accepted, '0')).toBe(true)
    expect(await world.job()).toMatchObject({ lockedBy: 'scheduler-2', fence: 1 })
    expect(world.telemetry.of('step.dispatched')).toHaveLength(1)
  })

  it('is left to the feed when the store does not answer, and begins from there (I1)', async () => {
    const scheduler = world.scheduler()
    const accepted = await accept()
    world.faults.failWrites({ kind: 'throws', error: new StoreUnavailable('away', { cause: null }) })
    expect(await scheduler.begin(accepted, '0')).toBe(false)
    expect(await world.job()).toMatchObject({ processState: 'Pending' })
    await scheduler.onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ lockedBy: 'scheduler-1' })
  })

  it('is left to the feed while 200 other jobs are beginning', async () => {
    const scheduler = world.scheduler()
    const jobs: AcceptedJob[] = []
    for (let number = 0; number < 201; number += 1) {
      const jobId = `job-${number}`
      jobs.push(await accept({ jobId, partition: jobId }))
    }
    const begun = await Promise.all(jobs.map((job) => scheduler.begin(job, '0')))
    expect(begun.filter((isBegun) => !isBegun)).toHaveLength(1)
    expect(begun.at(-1)).toBe(false)
    const [late] = jobs.slice(-1)
    if (late !== undefined) expect(await scheduler.begin(late, '0')).toBe(true)
  })
})
