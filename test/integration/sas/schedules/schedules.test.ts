import { beforeEach, describe, expect, it } from 'vitest'
import { Schedules } from '../../../../src/sas/client/schedules.js'
import { CommandInvalid, ScheduleNotFound, SubmissionInvalid } from '../../../../src/sas/model/errors.js'
import { defineSchedule, type ScheduleOptions } from '../../../../src/sas/schedules/define-schedule.js'
import { aWorkflow, submittedAtMs } from '../../../support/a-job.js'
import { withoutSense, withPlan } from '../../../support/a-schedule.js'
import { StateWorld } from '../../../support/state-world.js'

const minute = 60_000
const address = { pk: 'sas.schedule:hourly', id: 'sas.schedule:hourly' }

let world: StateWorld
let schedules: Schedules
beforeEach(() => {
  world = new StateWorld()
  schedules = new Schedules(world)
})

function hourly(options: Partial<ScheduleOptions<unknown>> = {}) {
  return defineSchedule('hourly', { workflow: aWorkflow(), every: '1h', ...options })
}

async function jobIds(): Promise<readonly string[]> {
  return (await world.queries.listJobs({})).map(({ jobId }) => jobId).sort()
}

function at(time: string): Date {
  return new Date(`2026-01-01T${time}:00Z`)
}

describe('set', () => {
  it('creates, leaves alone, updates, and creates again after a deletion', async () => {
    expect((await schedules.set(hourly())).change).toBe('created')
    expect((await schedules.set(hourly())).change).toBe('unchanged')
    const { change, schedule } = await schedules.set(hourly({ overlap: 'queue' }))
    expect([change, schedule.overlap]).toEqual(['updated', 'queue'])
    await schedules.delete('hourly', { by: 'ann', why: 'not needed' })
    expect(await schedules.get('hourly')).toBeNull()
    expect(await schedules.list()).toEqual([])
    expect(await world.truth.read(address)).toMatchObject({ ttl: 60, completeByMs: null })
    expect((await schedules.set(hourly())).change).toBe('created')
    expect(await world.truth.read(address)).toMatchObject({ ttl: -1, submitted: 0 })
  })

  it('writes once if two instances set the same schedule (F-T9)', async () => {
    const changes = await Promise.all([schedules.set(hourly()), schedules.set(hourly())])
    expect(changes.map(({ change }) => change).sort()).toEqual(['created', 'unchanged'])
  })

  it('keeps ticks that are due if the times stay, and starts again with other times', async () => {
    await schedules.set(hourly())
    await world.clock.advance(90 * minute)
    const same = await schedules.set(hourly({ input: 'other' }))
    expect(same.schedule.nextDue).toBe('2026-01-01T01:00:00.000Z')
    const other = await schedules.set(hourly({ every: '30m' }))
    expect(other.schedule.nextDue).toBe('2026-01-01T02:00:00.000Z')
  })

  it('refuses a value that is no schedule', async () => {
    await expect(schedules.set({ id: 'x' } as never)).rejects.toThrow(CommandInvalid)
  })
})

describe('pause and resume', () => {
  it('leave out the ticks between them, which are counted as skipped', async () => {
    await schedules.set(hourly({ overlap: 'allow' }))
    const paused = await schedules.pause('hourly', { by: 'ann', why: 'audit' })
    expect(paused.paused).toMatchObject({ by: 'ann', why: 'audit' })
    expect(await schedules.pause('hourly', { by: 'bob' })).toEqual(paused)
    await world.clock.advance(150 * minute)
    await world.supervisor().runOnce()
    expect(await jobIds()).toEqual([])
    const resumed = await schedules.resume('hourly', { by: 'ann', why: 'audit is over' })
    expect(resumed.audit.map(({ command }) => command)).toEqual(['pause', 'resume'])
    await world.clock.advance(31 * minute)
    await world.supervisor().runOnce()
    expect(await jobIds()).toEqual(['hourly@20260101T030000Z'])
    expect(await schedules.get('hourly')).toMatchObject({ skipped: 2, submitted: 1, paused: null })
  })
})

describe('trigger', () => {
  it('submits a job besides the ticks', async () => {
    await schedules.set(hourly())
    await world.clock.advance(1_250)
    expect(await schedules.trigger('hourly')).toBe('hourly@20260101T000001.250Z.manual')
    expect(await jobIds()).toEqual(['hourly@20260101T000001.250Z.manual'])
    expect(await schedules.get('hourly')).toMatchObject({
      submitted: 0,
      nextDue: '2026-01-01T01:00:00.000Z',
      audit: [{ command: 'trigger', by: 'operator', why: 'triggered' }],
    })
  })
})

describe('backfill', () => {
  beforeEach(async () => {
    await schedules.set(hourly({ overlap: 'allow' }))
    await world.clock.advance(5 * 60 * minute)
  })

  it('submits the ticks of a time, each only once', async () => {
    const dry = await schedules.backfill('hourly', { from: at('01:00'), to: at('03:59'), dryRun: true })
    expect(dry.submitted).toHaveLength(3)
    expect(await jobIds()).toEqual([])
    const first = await schedules.backfill('hourly', { from: at('01:00'), to: at('02:00'), by: 'ann' })
    expect(first).toEqual({
      submitted: ['hourly@20260101T010000Z', 'hourly@20260101T020000Z'],
      existing: [],
    })
    const second = await schedules.backfill('hourly', { from: at('01:00'), to: at('03:59') })
    expect(second).toEqual({ submitted: ['hourly@20260101T030000Z'], existing: first.submitted })
    expect((await schedules.get('hourly'))?.audit[0]).toMatchObject({
      command: 'backfill',
      by: 'ann',
      why: '2 ticks, 20260101T010000Z to 20260101T020000Z: backfill',
    })
  })

  it.each([
    [
      { from: at('02:00'), to: at('01:00') },
      /from is "2026-01-01T02:00:00.000Z"; it must not be later than to, "2026-01-01T01:00:00.000Z"$/,
    ],
    [
      { from: at('02:00'), to: at('09:00') },
      /: to is "2026-01-01T09:00:00.000Z"; it must not be in the future$/,
    ],
    [{ from: 'yesterday', to: at('01:00') }, 'from is "yesterday"; it must be a valid Date'],
    [{ from: new Date(submittedAtMs - 1_001 * 60 * minute), to: at('01:00') }, 'more than 1000 ticks'],
  ])('refuses %j', async (options, message) => {
    await expect(schedules.backfill('hourly', options as never)).rejects.toThrow(message)
    expect(await jobIds()).toEqual([])
  })
})

it.each([
  ['pause', () => schedules.pause('nightly')],
  ['resume', () => schedules.resume('nightly')],
  ['delete', () => schedules.delete('nightly')],
  ['trigger', () => schedules.trigger('nightly')],
  ['backfill', () => schedules.backfill('nightly', { from: at('00:00'), to: at('00:00') })],
])('%s says that there is no such schedule', async (_name, call) => {
  await expect(call()).rejects.toThrow(ScheduleNotFound)
})

it('a job that can never be accepted is refused with the reason', async () => {
  await schedules.set(withPlan(hourly(), withoutSense))
  await expect(schedules.trigger('hourly')).rejects.toThrow(SubmissionInvalid)
})
