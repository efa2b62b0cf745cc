import { beforeEach, describe, expect, it } from 'vitest'
import { Schedules } from '../../../../src/sas/client/schedules.js'
import type { ScheduleView } from '../../../../src/sas/schedules/schedule-view.js'
import type { Reference } from '../../../../src/sas/model/values/reference.js'
import {
  defineSchedule,
  type ScheduleOptions,
  type ScheduleTick,
} from '../../../../src/sas/schedules/define-schedule.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { schemaVersion } from '../../../../src/sas/model/documents.js'
import { withDerivedState } from '../../../../src/sas/model/process-state.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import type { Supervisor } from '../../../../src/sas/supervisor/supervisor.js'
import { aWorkflow, submittedAtMs } from '../../../support/a-job.js'
import { withoutSense, withPlan } from '../../../support/a-schedule.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { wholeRange } from '../../../support/waiting-agents.js'

const minute = 60_000
const address = { pk: 'sas.schedule:minutely', id: 'sas.schedule:minutely' }

let world: StateWorld
let schedules: Schedules
beforeEach(() => {
  world = new StateWorld()
  schedules = new Schedules(world)
})

async function set(options: Partial<ScheduleOptions<unknown>> = {}): Promise<void> {
  const workflow = aWorkflow()
  await schedules.set(defineSchedule('minutely', { workflow, every: '1m', overlap: 'allow', ...options }))
}

async function started(name: string): Promise<Supervisor> {
  const supervisor = world.supervisor({ instanceName: name })
  supervisor.start()
  supervisor.onLeaseAcquired('0', wholeRange)
  await world.clock.advance(0)
  return supervisor
}

async function shown(): Promise<ScheduleView> {
  const view = await schedules.get('minutely')
  if (view === null) throw new Error('the schedule is there')
  return view
}

async function jobIds(): Promise<readonly string[]> {
  return (await world.queries.listJobs({})).map(({ jobId }) => jobId).sort()
}

/** The ids of the jobs of the first ticks. */
function firstTicks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const due = new Date(submittedAtMs + (index + 1) * minute).toISOString()
    return `minutely@${due.replaceAll(/[-:]|\.000/g, '')}`
  })
}

it('a tick whose input does not fit the schema of the workflow is refused', async () => {
  const inputSchema = { type: 'object', properties: { due: { type: 'number' } } }
  const input = (tick: Reference<ScheduleTick>) => ({ due: tick.due })
  const schedule = defineSchedule('minutely', { workflow: aWorkflow(), every: '1m', input })
  await schedules.set(withPlan(schedule, (plan) => ({ ...plan, inputSchema })))
  await started('s1')
  await world.clock.advance(minute + 1_000)
  expect(await jobIds()).toEqual([])
  const [passed] = (await shown()).passed
  expect(passed).toMatchObject({ reason: 'refused' })
  expect(passed?.message).toMatch(/^input\.due is "2026-.*": invalid input: expected number/)
})

it('the job of a tick has the tags of its schedule', async () => {
  await set({ tags: { source: 'nightly', tenant: 7 } })
  await started('s1')
  await world.clock.advance(minute + 1_000)
  const [job] = await world.queries.listJobs({ tags: { tenant: 7 } })
  expect(job?.tags).toEqual(['source=nightly', 'tenant=7'])
})

/** Ends the job of a tick as Processed. */
async function end(jobId: string): Promise<void> {
  const job = await world.job(jobId)
  const endedAtMs = world.clock.now()
  const ended = {
    ...job,
    currentState: job.targetState,
    endedAtMs,
    endedAt: new Date(endedAtMs).toISOString(),
  }
  await world.put(jobId, [replacing(job, withDerivedState(ended))])
}

describe('the ticks of a schedule', () => {
  it('are submitted at their due times, from the feed or from the sweep', async () => {
    await set({ input: (tick: Reference<ScheduleTick>) => ({ day: tick.due, by: tick.scheduleId }) })
    const supervisor = await started('supervisor-1')
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(minute - 1)
    expect(await jobIds()).toEqual([])
    await world.clock.advance(1)
    expect(await jobIds()).toEqual(firstTicks(1))
    expect((await world.job(firstTicks(1)[0])).input).toEqual({
      day: '2026-01-01T00:01:00.000Z',
      by: 'minutely',
    })
    await world.clock.advance(9 * minute)
    expect(await jobIds()).toEqual(firstTicks(10))
    expect(await shown()).toMatchObject({ submitted: 10, missed: 0, skipped: 0 })
    await supervisor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('are submitted once by two supervisors (F-T1, I23)', async () => {
    await set()
    const supervisors = [await started('supervisor-1'), await started('supervisor-2')]
    await world.clock.advance(10 * minute)
    expect(await jobIds()).toEqual(firstTicks(10))
    expect(await shown()).toMatchObject({ submitted: 10, missed: 0 })
    for (const supervisor of supervisors) await supervisor.stop()
  })

  it('are neither lost nor doubled if an instance dies between the two writes (F-T2, I23)', async () => {
    // So short a time does not let ticks stay open.
    await set({ retainFor: '1h' })
    const supervisor = await started('supervisor-1')
    const unavailable = new StoreUnavailable('killed', { cause: null })
    const { store } = world
    let isDead = false
    const apply = store.apply.bind(store)
    // The job is written, and the schedule is not.
    store.apply = async (partition, writes) => {
      if (isDead || writes.some(({ kind }) => kind === 'replace')) {
        isDead = true
        throw unavailable
      }
      return apply(partition, writes)
    }
    await world.clock.advance(minute)
    await supervisor.stop()
    expect(isDead).toBe(true)
    expect(await jobIds()).toEqual(firstTicks(1))
    expect(await world.truth.read(address)).toMatchObject({ submitted: 0 })
    expect(await shown()).toMatchObject({ submitted: 1, nextDue: '2026-01-01T00:02:00.000Z' })
    store.apply = apply
    const next = await started('supervisor-2')
    await world.clock.advance(minute)
    expect(await jobIds()).toEqual(firstTicks(2))
    expect(await shown()).toMatchObject({ submitted: 2, missed: 0 })
    await next.stop()
  })

  it('are not counted as missed if the instance died between the two writes long ago (F-T3, I23)', async () => {
    await set({ catchUp: '2m' })
    await world.clock.advance(minute + 2_001)
    const { store } = world
    const apply = store.apply.bind(store)
    store.apply = async (partition, writes) => {
      if (writes.some(({ kind }) => kind === 'replace')) throw new StoreUnavailable('killed', { cause: null })
      return apply(partition, writes)
    }
    await expect(world.supervisor().runOnce()).rejects.toThrow('killed')
    store.apply = apply
    expect(await jobIds()).toEqual(firstTicks(1))
    await world.clock.advance(10 * minute)
    await world.supervisor().runOnce()
    const view = await shown()
    // The first tick was submitted before the outage, and the last two after it.
    expect(view.passed).toMatchObject([{ reason: 'late', from: '2026-01-01T00:02:00.000Z', count: 8 }])
    expect(view).toMatchObject({ submitted: 3, missed: 8 })
    expect(await jobIds()).toHaveLength(3)
  })

  it('are made up after an outage as far as catchUp, and are visible as missed before (F-T4, I23)', async () => {
    await set({ catchUp: '5m' })
    await world.clock.advance(20 * minute)
    const supervisor = await started('supervisor-1')
    await world.clock.advance(0)
    expect(await jobIds()).toEqual(firstTicks(20).slice(14))
    expect(await shown()).toMatchObject({ submitted: 6, missed: 14, passed: [{ reason: 'late', count: 14 }] })
    expect(world.telemetry.of('ticks.passed')).toMatchObject([{ reason: 'late', count: 14 }])
    await supervisor.stop()
  })

  it('are submitted again after an answer was lost, and conflict harmlessly (F-T5)', async () => {
    await set()
    const supervisor = await started('supervisor-1')
    world.faults.failWrites(
      { kind: 'unknownOutcome', truth: 'applied' },
      { kind: 'unknownOutcome', truth: 'lost' },
    )
    await world.clock.advance(minute)
    expect(await jobIds()).toEqual(firstTicks(1))
    expect(await shown()).toMatchObject({ submitted: 1 })
    await supervisor.stop()
  })

  it('count as missed with a reason if their job can never be accepted (F-T6)', async () => {
    const workflow = aWorkflow()
    await schedules.set(withPlan(defineSchedule('minutely', { workflow, every: '1m' }), withoutSense))
    const supervisor = await started('supervisor-1')
    await world.clock.advance(2 * minute)
    expect(await jobIds()).toEqual([])
    expect(await shown()).toMatchObject({ missed: 2, passed: [{ reason: 'refused', count: 2 }] })
    expect((await shown()).passed[0]?.message).toMatch(/step "only": when/)
    await supervisor.stop()
  })
})

describe('open ticks', () => {
  /** Counts the writes of the schedule. */
  function schedulesWritten(): () => number {
    const { store } = world
    const apply = store.apply.bind(store)
    let count = 0
    store.apply = (partition, writes) => {
      if (writes.some(({ document }) => document['type'] === 'sas.schedule')) count += 1
      return apply(partition, writes)
    }
    return () => count
  }

  it('are counted with one write of the schedule for five ticks, and are visible before', async () => {
    await set()
    const supervisor = await started('supervisor-1')
    const written = schedulesWritten()
    await world.clock.advance(4 * minute)
    expect(written()).toBe(0)
    expect(await shown()).toMatchObject({ submitted: 4, last: { jobId: firstTicks(4)[3] } })
    expect(await schedules.list()).toMatchObject([{ submitted: 4, nextDue: '2026-01-01T00:05:00.000Z' }])
    await world.clock.advance(minute)
    expect(written()).toBe(1)
    await world.clock.advance(10 * minute)
    expect(written()).toBe(3)
    expect(await jobIds()).toEqual(firstTicks(15))
    await supervisor.stop()
  })

  it('are written when the supervisor stops', async () => {
    await set()
    const supervisor = await started('supervisor-1')
    await world.clock.advance(2 * minute)
    await supervisor.stop()
    expect(await world.truth.read(address)).toMatchObject({ submitted: 2, last: { jobId: firstTicks(2)[1] } })
  })

  it('are counted by the next instance if all die, however late it is (F-T11, I23)', async () => {
    await set({ catchUp: '2m' })
    // The first instance is dead from now on: it is never stopped, and has no timer.
    const dead = await started('supervisor-1')
    await world.clock.advance(3 * minute)
    dead.onLeaseReleased('0')
    world.store.apply = () => Promise.reject(new StoreUnavailable('dead', { cause: null }))
    await dead.stop()
    Reflect.deleteProperty(world.store, 'apply')
    await world.clock.advance(10 * minute)
    const supervisor = await started('supervisor-2')
    await world.clock.advance(0)
    expect(await shown()).toMatchObject({ submitted: 6, missed: 7, passed: [{ reason: 'late', count: 7 }] })
    expect(await jobIds()).toHaveLength(6)
    await supervisor.stop()
  })

  it('cost nothing until the next tick, although each sweep lists the schedule', async () => {
    await set({ every: '1d' })
    const supervisor = await started('supervisor-1')
    await world.clock.advance(24 * 60 * minute)
    expect(await world.truth.read(address)).toMatchObject({ submitted: 0 })
    const { store } = world
    const read = store.read.bind(store)
    let reads = 0
    store.read = (of) => {
      if (of.id === address.id) reads += 1
      return read(of)
    }
    await world.clock.advance(10 * minute)
    expect(reads).toBe(0)
    await supervisor.stop()
  })

  it('are counted before a pause or another calendar', async () => {
    await set()
    const supervisor = await started('supervisor-1')
    await world.clock.advance(3 * minute)
    await schedules.pause('minutely')
    expect(await world.truth.read(address)).toMatchObject({ submitted: 3 })
    await schedules.resume('minutely')
    await world.clock.advance(2 * minute)
    await set({ every: '1h' })
    expect(await world.truth.read(address)).toMatchObject({ submitted: 5, missed: 0, skipped: 0 })
    await supervisor.stop()
  })

  it('are no more than their jobs are kept for', async () => {
    await set({ retainFor: '2h' })
    const supervisor = await started('supervisor-1')
    await world.clock.advance(minute)
    expect(await world.truth.read(address)).toMatchObject({ submitted: 1 })
    await supervisor.stop()
  })
})

describe('a frozen instance', () => {
  /** Lets the first instance decide about the first tick, and holds back its write of the job. */
  async function frozen(answer: 'arrives' | 'is lost' | 'is late' = 'arrives') {
    const { store } = world
    const apply = store.apply.bind(store)
    const thawed = deferred<null>()
    store.apply = async (partition, writes) => {
      if (writes.some(({ kind }) => kind === 'create')) {
        store.apply = apply
        await thawed.promise
        if (answer === 'is late') {
          await apply(partition, writes)
          throw new StoreUnavailable('no answer', { cause: null })
        }
        if (answer === 'is lost') {
          await apply(partition, writes)
          return { kind: 'unknownOutcome', cause: new Error('the connection was reset') }
        }
      }
      return apply(partition, writes)
    }
    const supervisor = await started('supervisor-1')
    await world.clock.advance(minute)
    return {
      thaw: async () => {
        thawed.resolve(null)
        await world.clock.advance(answer === 'is late' ? minute : 0)
        await supervisor.stop()
      },
    }
  }

  it('corrects the count of a tick that was counted as missed meanwhile (F-T12, I23)', async () => {
    await set({ catchUp: '2m' })
    const { thaw } = await frozen()
    await world.clock.advance(9 * minute)
    await world.supervisor().runOnce()
    expect(await shown()).toMatchObject({ submitted: 3, missed: 7 })
    await thaw()
    const rows = [{ reason: 'late', from: '2026-01-01T00:02:00.000Z', count: 6 }]
    expect(await shown()).toMatchObject({ submitted: 4, missed: 6, passed: rows })
    expect(await jobIds()).toHaveLength(4)
  })

  it.each(['is lost', 'is late'] as const)(
    'corrects the count if the answer to its write %s, and the job seems to be of another instance (F-T12, I23)',
    async (answer) => {
      await set({ catchUp: '2m' })
      const { thaw } = await frozen(answer)
      await world.clock.advance(9 * minute)
      await world.supervisor().runOnce()
      expect(await shown()).toMatchObject({ submitted: 3, missed: 7 })
      await thaw()
      const { submitted, missed } = await shown()
      expect(missed).toBe(6)
      expect(await jobIds(), 'each tick that is counted has its job').toHaveLength(submitted)
    },
  )
})

describe('a run that has not ended', () => {
  it('lets the next tick be skipped (overlap: skip)', async () => {
    await set({ overlap: 'skip' })
    const supervisor = await started('supervisor-1')
    await world.clock.advance(3 * minute + 30_000)
    expect(await jobIds()).toEqual(firstTicks(1))
    expect(await shown()).toMatchObject({ submitted: 1, skipped: 2 })
    await end(firstTicks(1)[0] ?? '')
    await world.clock.advance(minute)
    expect(await jobIds()).toEqual([firstTicks(1)[0], firstTicks(4)[3]])
    await supervisor.stop()
  })

  it('lets the next tick wait for its end (overlap: queue)', async () => {
    await set({ overlap: 'queue' })
    const supervisor = await started('supervisor-1')
    await world.clock.advance(3 * minute)
    expect(await jobIds()).toEqual(firstTicks(1))
    await end(firstTicks(1)[0] ?? '')
    await world.clock.advance(5_000)
    expect(await jobIds()).toEqual(firstTicks(2))
    expect(await shown()).toMatchObject({ submitted: 2, skipped: 0, missed: 0 })
    await supervisor.stop()
  })

  it('is cancelled by the next tick (overlap: cancelPrevious)', async () => {
    await set({ overlap: 'cancelPrevious' })
    const supervisor = await started('supervisor-1')
    await world.clock.advance(2 * minute)
    expect(await jobIds()).toEqual(firstTicks(2))
    const [first = '', second = ''] = firstTicks(2)
    expect((await world.job(first)).compensation).toMatchObject({
      reason: `cancelled: tick ${second} follows`,
    })
    expect((await world.job(second)).compensation).toBeNull()
    await supervisor.stop()
  })

  it('is cancelled once if the supervisor dies before it submits the next tick (F-T13)', async () => {
    await set({ overlap: 'cancelPrevious' })
    const [first = '', second = ''] = firstTicks(2)
    const supervisor = await started('supervisor-1')
    await world.clock.advance(minute)
    const { store } = world
    let isDead = false
    const apply = store.apply.bind(store)
    store.apply = async (partition, writes) => {
      isDead ||= partition === second
      if (isDead) throw new StoreUnavailable('killed', { cause: null })
      return apply(partition, writes)
    }
    await world.clock.advance(minute)
    await supervisor.stop()
    expect([isDead, await jobIds()]).toEqual([true, [first]])
    const cancelled = await world.job(first)
    expect(cancelled.audit).toMatchObject([{ command: 'cancel' }])
    store.apply = apply
    const other = await started('supervisor-2')
    await world.clock.advance(30_000)
    expect(await jobIds()).toEqual([first, second])
    expect(await world.job(first), 'it is cancelled only once').toEqual(cancelled)
    expect(await shown()).toMatchObject({ submitted: 2, missed: 0, skipped: 0 })
    await other.stop()
  })
})

it('a schedule at rest costs nothing but the sweep', async () => {
  await set({ every: '1d' })
  const supervisor = await started('supervisor-1')
  supervisor.onChanges(await world.changes(), '0')
  const [reads, sweeps] = [world.faults.count('read'), world.faults.count('listOverdue')]
  await world.clock.advance(10 * minute)
  expect(world.faults.count('read')).toBe(reads)
  expect(world.faults.count('listOverdue') - sweeps).toBe(20)
  await supervisor.stop()
})

it('an instance leaves a schedule of a newer version alone (F-T8)', async () => {
  await set()
  const stored = await world.truth.read(address)
  if (stored === null) throw new Error('the schedule is there')
  await world.put(address.pk, [replacing(stored, { ...stored, schema: schemaVersion + 1 })])
  const supervisor = await started('supervisor-1')
  supervisor.onChanges(await world.changes(), '0')
  await world.clock.advance(10 * minute)
  expect(await jobIds()).toEqual([])
  expect(world.telemetry.of('loop.failed')).toEqual([])
  await supervisor.stop()
})

it('an instance leaves ticks whose plan has a newer version to newer instances (F-T8)', async () => {
  await set()
  const planAddress = { pk: address.pk, id: 'sas.scheduledJob:minutely' }
  const change = async (by: number): Promise<void> => {
    const stored = await world.truth.read(planAddress)
    if (stored === null) throw new Error('the plan is there')
    await world.put(address.pk, [replacing(stored, { ...stored, schema: Number(stored['schema']) + by })])
  }
  await change(schemaVersion)
  const old = await started('supervisor-1')
  await world.clock.advance(10 * minute)
  expect(await jobIds()).toEqual([])
  expect(await shown()).toMatchObject({ submitted: 0, missed: 0, skipped: 0 })
  expect(world.telemetry.of('document.refused')[0]).toMatchObject({ id: address.id })
  await old.stop()
  // For an instance that knows the version, the document is readable.
  await change(-schemaVersion)
  const newer = await started('supervisor-2')
  await world.clock.advance(0)
  expect(await jobIds()).toEqual(firstTicks(10))
  expect(await shown()).toMatchObject({ submitted: 10, missed: 0 })
  await newer.stop()
})
