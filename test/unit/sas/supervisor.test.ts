import { beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../src/sas/errors.js'
import { replacing } from '../../../src/sas/state-store.js'
import type { Supervisor } from '../../../src/sas/supervisor.js'
import { asChange } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const
const graceMs = 2_000

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** A job whose only step is under way for 30 s, and the page that shows it. */
async function underWay(maxFailures = 3) {
  await world.dispatched({ pay: [] }, { completeWithin: '30s', maxFailures })
  return world.changes()
}

async function started(supervisor: Supervisor): Promise<Supervisor> {
  supervisor.start()
  await world.clock.advance(0)
  return supervisor
}

describe('the deadline index', () => {
  it('recovers a step when its deadline and the grace have passed, and not before', async () => {
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

  it('asks the store for nothing while nothing is due', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    await world.clock.advance(29_000)
    expect(world.store.count('read')).toBe(0)
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
    expect(world.store.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('F-D6: reads before it decides: an outcome that is there stands', async () => {
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

  it('waits on where the deadline turns out to be later', async () => {
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

  it('forgets what came by a lease that was lost', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    supervisor.onLeaseReleased('0')
    await world.clock.advance(60_000)
    expect(world.store.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('F-C11: does not mind other documents', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges([asChange({ id: 'x', pk: 'x', completeByMs: 1 })], '0')
    await world.clock.advance(60_000)
    expect(world.store.count('read')).toBe(0)
    await supervisor.stop()
  })

  it('tries again when the store was not available', async () => {
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await underWay(), '0')
    world.store.failReads(unavailable)
    await world.clock.advance(30_000 + graceMs)
    expect(world.telemetry.of('loop.failed')).toMatchObject([{ loop: 'recovery', error: unavailable.error }])
    expect(await world.step()).toMatchObject({ failureCount: 0 })
    await world.clock.advance(1_000)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
  })

  it('recovers as many as fall due together', async () => {
    const shape = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}`, []]))
    await world.dispatched(shape, { completeWithin: '30s' })
    const supervisor = await started(world.supervisor())
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(30_000 + graceMs)
    expect(world.telemetry.of('step.recovered')).toHaveLength(40)
    await supervisor.stop()
  })
})

describe('the sweep', () => {
  it('F-V1, F-V2: finds after a takeover what another owner had been told', async () => {
    await underWay()
    await world.clock.advance(60_000)
    const supervisor = await started(world.supervisor())
    await world.clock.advance(60_000)
    expect(await world.step()).toMatchObject({ failureCount: 0 })
    supervisor.onLeaseAcquired('7', false)
    await world.clock.advance(0)
    expect(await world.step()).toMatchObject({ failureCount: 1, fence: 2 })
    await supervisor.stop()
  })

  it('finds what falls due before the next one, and waits for it', async () => {
    await underWay()
    const supervisor = await started(world.supervisor({ sweepIntervalMs: 31_000 }))
    supervisor.onLeaseAcquired('0', true)
    await world.clock.advance(30_000 + graceMs - 1)
    expect(world.store.count('read')).toBe(0)
    await world.clock.advance(1)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
  })

  it('repeats at its interval for the holder of the first range only', async () => {
    const [first, other] = [world.supervisor(), world.supervisor({ instanceName: 'supervisor-2' })]
    await started(first)
    await started(other)
    expect(world.store.count('listOverdue')).toBe(0)
    first.onLeaseAcquired('0', true)
    other.onLeaseAcquired('1', false)
    await world.clock.advance(0)
    expect(world.store.count('listOverdue')).toBe(2)
    await world.clock.advance(90_000)
    expect(world.store.count('listOverdue')).toBe(5)
    first.onLeaseReleased('0')
    await world.clock.advance(90_000)
    expect(world.store.count('listOverdue')).toBe(5)
    await Promise.all([first.stop(), other.stop()])
  })

  it('after a takeover is made up for when the store was not available', async () => {
    await underWay()
    await world.clock.advance(60_000)
    const supervisor = await started(world.supervisor())
    world.store.failReads(unavailable)
    supervisor.onLeaseAcquired('7', false)
    await world.clock.advance(0)
    expect(world.telemetry.of('loop.failed')).toMatchObject([{ loop: 'sweep' }])
    await world.clock.advance(1_000)
    expect(await world.step()).toMatchObject({ failureCount: 1 })
    await supervisor.stop()
  })

  it('R106: can be made once, and says how many documents it will look at', async () => {
    await underWay()
    await world.clock.advance(60_000)
    expect(await world.supervisor().sweepOnce()).toBe(2)
  })
})

describe('races and lost replies of a supervisor', () => {
  it('F-V5: two supervisors on one step count once', async () => {
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
    'F-V4: a recovery whose reply is lost, %s, counts once',
    async (truth) => {
      const supervisor = await started(world.supervisor())
      supervisor.onChanges(await underWay(), '0')
      world.store.failWrites({ kind: 'unknownOutcome', truth })
      await world.clock.advance(30_000 + graceMs)
      expect(await world.step()).toMatchObject({ failureCount: 1, fence: 2 })
      await supervisor.stop()
    },
  )

  it('F-C8: a step that is gone is not waited for any more', async () => {
    const supervisor = await started(world.supervisor())
    const page = await underWay()
    supervisor.onChanges(
      page.map((change) => ({ ...change, id: `${change.id}-gone` })),
      '0',
    )
    await world.clock.advance(60_000)
    expect(world.store.count('read')).toBe(1)
    await supervisor.stop()
  })
})

describe('the end of patience', () => {
  it('F-V15: at the threshold the step is flagged, and attention raised', async () => {
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

  it('F-V14: a step that nobody dispatches is offered again, and is not counted', async () => {
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
