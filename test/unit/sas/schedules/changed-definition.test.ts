import { describe, expect, it } from 'vitest'
import type { ScheduleOptions } from '../../../../src/sas/index.js'
import { changedDefinition } from '../../../../src/sas/schedules/changed-definition.js'
import { defineSchedule } from '../../../../src/sas/schedules/define-schedule.js'
import { newSchedule, scheduledJobOf } from '../../../../src/sas/schedules/stored-schedule.js'
import { aWorkflow } from '../../../support/a-job.js'

const workflow = aWorkflow()
const options = {
  ...{
    workflow,
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    overlap: 'queue',
    catchUp: '4h',
    jitter: '5m',
  },
  ...{
    priority: 3,
    replyTo: 'https://example.com/',
    notify: ['finished'] as const,
    completeWithin: '2h',
    retainFor: '3d',
  },
  tags: { customer: '4711' },
  input: (tick: { readonly due: string }) => ({ day: tick.due }),
} as unknown as ScheduleOptions<unknown>
const before = defineSchedule('nightly', options)
const stored = { schedule: newSchedule(before, 0), job: scheduledJobOf(before) }
const changed = (parts: object) => changedDefinition('nightly', parts, stored)

describe('a changed schedule', () => {
  it('keeps every part that is not named, also an input that depends on the tick', () => {
    expect(changed({ jitter: '5m' }).hash).toBe(before.hash)
    const { definition } = changed({ jitter: 0 })
    expect(definition).toEqual({ ...before.definition, jitterMs: 0 })
  })

  it('has an interval in place of a pattern, and a pattern in place of an interval', () => {
    const hourly = changed({ every: '1h' })
    expect(hourly.definition.calendar).toEqual({ everyMs: 3_600_000 })
    expect(changed({ cron: '0 8 * * *' }).definition.calendar).toEqual({
      ...{ cron: '0 8 * * *', timeZone: 'Europe/Berlin' },
    })
    const interval = { schedule: newSchedule(hourly, 0), job: scheduledJobOf(hourly) }
    const daily = changedDefinition('nightly', { cron: '0 8 * * *' }, interval)
    expect(daily.definition.calendar).toEqual({ cron: '0 8 * * *', timeZone: 'UTC' })
    expect(() => changedDefinition('nightly', { timeZone: 'UTC' }, interval)).toThrow(
      /timeZone belongs to cron/,
    )
  })

  it('has the input and the workflow that are named', () => {
    expect(changed({ input: { day: 'today' } }).definition.job.inputTemplate).toEqual({ day: 'today' })
    const { definition } = changed({ workflow: { ...workflow, name: 'other' } })
    expect(definition).toMatchObject({
      workflow: 'other',
      job: { inputTemplate: before.definition.job.inputTemplate },
    })
  })

  it('needs a workflow if none can be read', () => {
    expect(() => changedDefinition('nightly', { every: '1h' }, null)).toThrow(
      'it is not stored yet, so name its',
    )
    expect(() => changedDefinition('nightly', { every: '1h' }, { ...stored, job: null })).toThrow(
      'cannot be read',
    )
  })
})
