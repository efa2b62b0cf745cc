import { beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { settle } from '../../../../src/sas/decisions/settle.js'
import { setAside } from '../../../../src/sas/decisions/set-aside.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import type { Supervisor } from '../../../../src/sas/supervisor/supervisor.js'
import { asChange, type WorkflowShape } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { agentsAt, aPosition, laterRange, wholeRange } from '../../../support/waiting-agents.js'

const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const
const graceMs = 2_000

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** Dispatches a job whose only step has a deadline of 30 s. Returns the page that shows it. */
async function underWay(maxFailures = 3) {
  await world.dispatched({ pay: [] }, { completeWithin: '30s', retry: { tries: maxFailures } })
  return world.changes()
}

/** Steps that begin side by side: s0, s1… */
function manySteps(count: number): WorkflowShape {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, []]))
}

async function setJobAside(): Promise<void> {
  const job = await world.job()
  const obstacle = { now: world.clock.now(), by: 'scheduler-1', message: 'corrupt', stepId: null }
  await world.put('job-1', [replacing(job, setAside(job, obstacle).job)])
}

/** Replaces the job by a foreign document, as if an operator had deleted it. */
async function forgetJob(): Promise<void> {
  const job = await world.job()
  await world.put('job-1', [replacing(job, { id: job.id, pk: job.pk })])
}

async function started(supervisor: Supervisor): Promise<Supervisor> {
  supervisor.start()
  await world.clock.advance(0)
  return supervisor
}

describe('a supervisor that reads deadlines from the feed', () => {
  it('recovers a step when its deadline and the grace have passed, and not before (R87)', async () => {
    const page = await underWay()
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(page, '0')
    await world.clock.advance(30_000 + graceMs - 1)
    expect(await world.step()).toMatchObject({ failureCount: 0, fence: 1 })
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ failureCount: 1, fence: 2, processState: 'Pending' })
    expect(world.telemetry.of('step.recovered')).toMatchObject([{ stepId: 'pay', failureCount: 1 }])
    await supervisor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('leaves a step and its job alone while they wait for a slot, and reads them rarely (I44)', async () => {
    const page = await underWay()
    let begunUntilMs = world.clock.now() - 1_000
    const askAgents = () => Promise.resolve(agentsAt(aPosition(begunUntilMs)))
    const supervisor = await started(world.supervisor({ sweepIntervalMs: 5_000, askAgents }))
    supervisor.onLeaseAcquired('0', wholeRange)
    supervisor.onChanges(page, '0')
    await world.clock.advance(30_000 + graceMs)
    const before = world.faults.count('read')
    await world.clock.advance(20 * 60_000)
    expect(world.faults.count('listOverdue')).toBeGreaterThan(200)
    expect(world.faults.count('read') - before).toBeLessThan(60)
    expect(await world.step()).toMatchObject({ failureCount: 0, fence: 1, processState: 'Processing' })
    expect((await world.job()).fence).toBe(1)
    begunUntilMs = world.clock.now()
    await world.clock.advance(10 * 60_000)
    expect(await world.step()).toMatchObject({ failureCount: 1, processState: 'Pending' })
    await supervisor.stop()
  })

  it('retries a reported failure when its back-off ends, also if a sweep has listed the step before', async () => {
    const backoff = { min: 40_000, max: 40_000 }
    await world.dispatched({ pay: [] }, { completeWithin: '10m', retry: { tries: 3, backoff } })
    const step = await world.step()
    const at = { now: world.clock.now(), random: { next: () => 0.5, id: () => 'id' } }
    const outcome = { kind: 'failed', message: 'busy' } as const
    const settled = settle(step, { number: step.attempt, fence: step.fence, by: 'agents-1' }, outcome, at)
    if (settled.kind !== 'write') throw new Error(settled.reason)
    await world.put('job-1', [replacing(step, settled.step)])
    const restMs = (settled.step.completeByMs ?? 0) - world.clock.now()
    const supervisor = await started(world.supervisor())
    supervisor.onLeaseAcquired('0', wholeRange)
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(restMs - 1)
    expect(world.faults.count('listOverdue')).toBeGreaterThan(0)
    expect(await world.step()).toMatchObject({ failureCount: 0 })
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ failureCount: 1, processState: 'Pending' })
    await supervisor.stop()
  })

  it('asks the store for nothing while nothing is due', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    await world.clock.advance(29_000)
    expect(world.faults.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('forgets a step that is done', async () => {
    const supervisor = await started(world.supervisor())
    const page = await underWay()
    supervisor.onChanges(page, '0')
    const agents = world.agents()
    await agents.onChanges(page, { signal: new AbortController().signal })
    await agents.stop(0)
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(60_000)
    expect(world.faults.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('reads a step before it decides, and keeps an outcome that is there (F-D6)', async () => {
    const supervisor = await started(world.supervisor())
    const page = await underWay()
    supervisor.onChanges(page, '0')
    const agents = world.agents()
    await agents.onChanges(page, { signal: new AbortController().signal })
    await agents.stop(0)
    const done = await world.step()
    await world.clock.advance(60_000)
    expect(await world.step()).toEqual(done)
    expect(done).toMatchObject({ processState: 'Processed', failureCount: 0 })
    expect(world.telemetry.of('step.recovered')).toEqual([])
    await supervisor.stop()
  })

  it('waits on when the stored deadline turns out to be later', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    const step = await world.step()
    const completeByMs = (step.completeByMs ?? 0) + 20_000
    await world.put('job-1', [replacing(step, { ...step, completeByMs })])
    await world.clock.advance(51_999)
    expect(await world.step()).toMatchObject({ failureCount: 0 })
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
  })

  it('forgets the deadlines of a lease that it lost', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    supervisor.onLeaseReleased('0')
    await world.clock.advance(60_000)
    expect(world.faults.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('ignores other documents (F-C11)', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges([asChange({ id: 'x', pk: 'x', completeByMs: 1 })], '0')
    await world.clock.advance(60_000)
    expect(world.faults.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('tries again when the store was not available', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    world.faults.failReads(unavailable)
    await world.clock.advance(30_000 + graceMs)
    expect(world.telemetry.of('loop.failed')).toMatchObject([{ loop: 'recovery', error: unavailable.error }])
    expect(await world.step()).toMatchObject({ failureCount: 0 })
    await world.clock.advance(1_000)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
  })

  it('recovers all steps that fall due together (F-V11)', async () => {
    await world.dispatched(manySteps(40), { completeWithin: '30s' })
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(30_000 + graceMs)
    expect(world.telemetry.of('step.recovered')).toHaveLength(40)
    await supervisor.stop()
  })
})

it('a document that fails every time does not delay the recovery of the others (F-V11)', async () => {
  await world.dispatched(manySteps(40), { completeWithin: '30s' })
  const supervisor = await started(world.supervisor())
  supervisor.onChanges(await world.changes(), '0')
  const read = world.store.read.bind(world.store)
  vi.spyOn(world.store, 'read').mockImplementation((address) =>
    address.id.endsWith(':s0') ? Promise.reject(unavailable.error) : read(address),
  )
  await world.clock.advance(30_000 + graceMs)
  expect(world.telemetry.of('step.recovered')).toHaveLength(39)
  expect(world.telemetry.of('loop.failed')).not.toEqual([])
  await supervisor.stop()
})

describe('the sweep of a supervisor', () => {
  it('finds after a takeover a deadline that only the last owner read (R104, R105, F-V1, F-V2)', async () => {
    await underWay()
    await world.clock.advance(60_000)
    const supervisor = await started(world.supervisor())
    await world.clock.advance(60_000)
    expect(await world.step()).toMatchObject({ failureCount: 0 })
    supervisor.onLeaseAcquired('7', laterRange)
    await world.clock.advance(0)
    expect(await world.step()).toMatchObject({ failureCount: 1, fence: 2 })
    await supervisor.stop()
  })

  it('finds a deadline that passes before the next sweep, and waits for it', async () => {
    await underWay()
    const supervisor = await started(world.supervisor({ sweepIntervalMs: 31_000 }))
    supervisor.onLeaseAcquired('0', wholeRange)
    await world.clock.advance(30_000 + graceMs - 1)
    expect(world.faults.count('read')).toBe(0)
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
  })

  it('repeats at its interval, only for the owner of the first range (R85)', async () => {
    const [first, other] = [world.supervisor(), world.supervisor({ instanceName: 'supervisor-2' })]
    await started(first)
    await started(other)
    expect(world.faults.count('listOverdue')).toBe(0)
    first.onLeaseAcquired('0', wholeRange)
    other.onLeaseAcquired('1', laterRange)
    await world.clock.advance(0)
    expect(world.faults.count('listOverdue')).toBe(2)
    await world.clock.advance(90_000)
    expect(world.faults.count('listOverdue')).toBe(5)
    first.onLeaseReleased('0')
    await world.clock.advance(90_000)
    expect(world.faults.count('listOverdue')).toBe(5)
    await Promise.all([first.stop(), other.stop()])
  })

  it('finds an overdue step behind more unreadable documents than one answer holds', async () => {
    await world.dispatched({ pay: [] }, { completeWithin: '30s' })
    const dueMs = world.clock.now()
    for (let index = 0; index < 25; index += 1) {
      const document = {
        id: `damaged-${index}`,
        pk: 'damaged',
        type: 'sas.step',
        schema: 1,
        completeByMs: dueMs + index,
      }
      await world.put('damaged', [{ kind: 'create', document }])
    }
    await world.clock.advance(60_000)
    const supervisor = await started(world.supervisor({ sweepLimit: 10 }))
    supervisor.onLeaseAcquired('7', laterRange)
    await world.clock.advance(5_000)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
    expect(await world.supervisor({ sweepLimit: 10 }).runOnce()).toMatchObject({ recovered: 0 })
  })

  it('is not held up by documents that it cannot recover', async () => {
    await world.dispatched(manySteps(20), { completeWithin: '30s' })
    await world.clock.advance(60_000)
    // The supervisor recovers 16 documents at a time, and exactly the first 16 fail.
    const read = world.store.read.bind(world.store)
    vi.spyOn(world.store, 'read').mockImplementation((address) =>
      Number(address.id.split(':s')[1]) < 16 ? Promise.reject(unavailable.error) : read(address),
    )
    const supervisor = await started(world.supervisor())
    supervisor.onLeaseAcquired('7', laterRange)
    await world.clock.advance(2_000)
    const recovered = world.telemetry.of('step.recovered').map(({ stepId }) => stepId)
    expect(recovered.sort()).toEqual(['s16', 's17', 's18', 's19'])
    await supervisor.stop()
  })
})

describe('a single sweep on a timetable (R106)', () => {
  it('recovers what is overdue without waiting, and reports what it did', async () => {
    await underWay()
    await world.clock.advance(30_000 + graceMs)
    expect(await world.supervisor().runOnce()).toEqual({ lookedAt: 0, recovered: 0 })
    await world.clock.advance(1)
    // The job falls due with its step, but is taken from its scheduler only later.
    expect(await world.supervisor().runOnce()).toEqual({ lookedAt: 2, recovered: 1 })
    expect(await world.step()).toMatchObject({ processState: 'Pending', failureCount: 1 })
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('recovers what it can, and then rejects with the error of the store', async () => {
    await world.dispatched({ a: [], b: [] }, { completeWithin: '30s' })
    await world.clock.advance(40_000)
    world.faults.failWrites(unavailable)
    await expect(world.supervisor().runOnce()).rejects.toBe(unavailable.error)
    expect(world.telemetry.of('step.recovered')).toHaveLength(1)
    await world.supervisor().runOnce()
    expect(world.telemetry.of('step.recovered')).toHaveLength(2)
  })
})

describe('a step whose job no longer drives it (F-V25)', () => {
  it.each(['is gone', 'was set aside'])('loses its deadline for good when its job %s', async (what) => {
    await underWay()
    await world.clock.advance(40_000)
    await world.supervisor().runOnce()
    const isGone = what === 'is gone'
    await (isGone ? forgetJob() : setJobAside())
    await world.clock.advance(40_000)
    await world.supervisor().runOnce()
    expect(await world.step()).toMatchObject({ processState: 'Pending', completeByMs: null, fence: 3 })
    expect(world.telemetry.of('document.refused')).toEqual([
      {
        type: 'document.refused',
        id: 'sas.step:job-1:pay',
        reason: 'job job-1 of this step has ended or is gone',
      },
    ])
    expect(world.telemetry.of('step.unclaimed')).toEqual([])
    const writes = world.faults.writes.length
    await world.clock.advance(40_000)
    await world.supervisor().runOnce()
    expect(world.faults.writes).toHaveLength(writes)
  })
})

describe('supervisors that lose races and replies', () => {
  it('count one failure when two of them recover the same step (R103, F-V5)', async () => {
    const page = await underWay()
    const supervisors = [world.supervisor(), world.supervisor({ instanceName: 'supervisor-2' })]
    for (const supervisor of supervisors) {
      await started(supervisor)
      supervisor.onChanges(page, '0')
    }
    await world.clock.advance(30_000 + graceMs)
    expect(await world.step()).toMatchObject({ failureCount: 1, fence: 2 })
    expect(world.telemetry.of('step.recovered')).toHaveLength(1)
    await Promise.all(supervisors.map((supervisor) => supervisor.stop()))
  })

  it.each(['applied', 'lost'] as const)(
    'count one failure when the reply to a recovery is lost and the write is %s (F-V4)',
    async (truth) => {
      const supervisor = await started(world.supervisor())
      supervisor.onChanges(await underWay(), '0')
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      await world.clock.advance(30_000 + graceMs)
      expect(await world.step()).toMatchObject({ failureCount: 1, fence: 2 })
      await supervisor.stop()
    },
  )

  it('stop waiting for a step that is gone (F-C8)', async () => {
    const supervisor = await started(world.supervisor())
    const page = await underWay()
    supervisor.onChanges(
      page.map((change) => ({ ...change, id: `${change.id}-gone` })),
      '0',
    )
    await world.clock.advance(60_000)
    expect(world.faults.count('read')).toBe(1)
    await supervisor.stop()
  })
})

describe('a step whose deadline has passed', () => {
  it('is flagged at its threshold, and attention is raised (F-V15)', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(1), '0')
    await world.clock.advance(30_000 + graceMs)
    const message = 'given up after 1 failed attempt: no answer before the deadline'
    expect(await world.step()).toMatchObject({
      processState: 'Error',
      attention: { message, by: 'supervisor-1' },
    })
    expect(world.telemetry.of('attention.raised')).toEqual([
      {
        type: 'attention.raised',
        jobId: 'job-1',
        workflow: 'shopping',
        stepId: 'pay',
        kind: 'error',
        message,
      },
    ])
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ processState: 'Error', attention: { stepId: 'pay' } })
    await supervisor.stop()
  })

  it.each(['compensate', 'compensateThenRetry'] as const)(
    'raises no attention if the job is then undone (%s)',
    async (onExhausted) => {
      const supervisor = await started(world.supervisor())
      await world.dispatched({ pay: [] }, { completeWithin: '30s', retry: { tries: 1 }, onExhausted })
      supervisor.onChanges(await world.changes(), '0')
      await world.clock.advance(30_000 + graceMs)
      expect(await world.step()).toMatchObject({ processState: 'Error' })
      expect(world.telemetry.of('step.recovered')).toHaveLength(1)
      expect(world.telemetry.of('attention.raised')).toEqual([])
      await supervisor.stop()
    },
  )

  it('is offered again, without another failure, when no scheduler dispatches it (F-V14)', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    await world.clock.advance(30_000 + graceMs)
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(30_000 + graceMs)
    expect(await world.step()).toMatchObject({ processState: 'Pending', failureCount: 1, fence: 3 })
    expect(world.telemetry.of('step.unclaimed')).toMatchObject([{ stepId: 'pay' }])
    expect(world.telemetry.of('step.recovered')).toHaveLength(1)
    await supervisor.stop()
  })
})
