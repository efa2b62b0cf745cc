import { describe, expect, it } from 'vitest'
import type { Lease } from '../../../lease-store/index.js'
import { unreadText } from '../../../src/connection/range-readers.js'
import { machineProcesses } from '../../../src/platform/internal.js'
import { viewOf, type JobView, type StepView } from '../../../src/sas/client/job-view.js'
import { aJob, aStep, submittedAtMs } from '../../support/a-job.js'
import { aLease } from '../../support/a-lease.js'

const range = { min: '10', max: '20' }
const nowMs = 100_000

/** A lease of the range of the job, whose owner has just renewed it. */
function owned(parts: Partial<Lease> = {}): Lease {
  return aLease({
    leaseToken: '1',
    feedRange: range,
    owner: 'host',
    storedAtMs: nowMs,
    serves: ['shop'],
    ...parts,
  })
}

type Leases = Partial<Record<'scheduler' | 'agents' | 'supervisor', readonly Lease[]>>

/** Returns the sentence about the job if the roles have these leases, in these units. */
function said(job: JobView, ...units: readonly Leases[]): string | null {
  const found = units.flatMap((unit, index) =>
    Object.entries(unit).map(([role, leases]) => ({
      processorName: `${index === 0 ? 'stepward' : 'other'}-${role}`,
      leases,
    })),
  )
  return unreadText(job, range, { units: found as never, storeTimeMs: nowMs, expirationMs: 60_000 })
}

function jobWith(state: StepView['state'], actor = 'shop'): JobView {
  const step = aStep({ stepId: 'only', actor, dispatch: 1 })
  const view = viewOf(aJob({ stepIds: ['only'] }), [step], { now: submittedAtMs })
  return { ...view, steps: view.steps.map((each) => ({ ...each, state })) }
}

const all = { scheduler: [owned()], agents: [owned()], supervisor: [owned()] }
const waiting = jobWith('Pending')
const atWork = jobWith('Processing')
const advice = '; "stepward leases" shows the owners.'

describe('the range of a job', () => {
  it('is read if every role that the job needs owns its leases there', () => {
    expect(said(atWork, all)).toBeNull()
    expect(said(waiting, { ...all, agents: [] }), 'no step is with an agent').toBeNull()
    expect(said(jobWith('Processing', ''), { ...all, agents: [] }), 'a question').toBeNull()
  })

  it.each<[string, Lease[]]>([
    ['free', [owned({ owner: null })]],
    ['expired', [owned({ storedAtMs: nowMs - 62_000 })]],
    ['missing', []],
    ['missing there, while another range is read', [owned({ feedRange: { min: '', max: '10' } })]],
  ])('is read by no scheduler if the lease is %s', (_, scheduler) => {
    expect(said(waiting, { ...all, scheduler })).toBe(
      `No instance in the role scheduler reads the feed range of this job${advice}`,
    )
  })

  it('is read by no scheduler if the process of the owner has ended on this machine', () => {
    const here = machineProcesses.own ?? ''
    // A process with the id of this one that started at another time has ended.
    const ended = here.replace(/\d+$/, (startedAt) => `${Number(startedAt) - 1}`)
    const text = `No instance in the role scheduler reads the feed range of this job${advice}`
    const found = (process: string) => said(waiting, { ...all, scheduler: [owned({ process })] })
    expect(found(ended)).toBe(here === '' ? null : text)
    expect(found(here)).toBeNull()
    expect(found(`elsewhere${ended}`), 'another machine').toBeNull()
  })

  it('names every role that does not read it', () => {
    expect(said(atWork, { scheduler: all.scheduler })).toBe(
      `No instance in the roles agents and supervisor reads the feed range of this job${advice}`,
    )
  })

  it('may be read in part, if its leases are finer than the partition', () => {
    const scheduler = [
      owned({ leaseToken: '10-18', feedRange: { min: '10', max: '18' } }),
      owned({ leaseToken: '18-20', feedRange: { min: '18', max: '20' }, owner: null }),
    ]
    expect(said(waiting, { ...all, scheduler })).toBe(
      `No instance in the role scheduler reads 1 of 2 parts of the feed range of this job${advice}`,
    )
  })

  it('is read if one of several units reads it', () => {
    expect(said(waiting, { ...all, scheduler: [owned({ owner: null })] }, all)).toBeNull()
  })
})

describe('the agents of a job', () => {
  it('are missing if no instance that reads the range has them', () => {
    expect(said(jobWith('Processing', 'payments'), all)).toBe(
      'No instance that reads the feed range of this job has agent payments: start one whose module exports it, ' +
        'and stop host, which holds the range without it.',
    )
    expect(said(jobWith('Compensating', 'payments'), all), 'the agent of an undo').toMatch(
      /has agent payments: /,
    )
    expect(said(jobWith('Pending', 'payments'), all), 'the step does not wait for it').toBeNull()
  })

  it('are also missing after the last attempt of a step got no answer', () => {
    const flag = { since: '', by: 'x', message: 'no answer', stepId: 'only' }
    const givenUp = (parts: Partial<StepView>): JobView => {
      const view = jobWith('Error', 'ghost')
      return { ...view, endedAt: 'then', steps: view.steps.map((step) => ({ ...step, ...parts })) }
    }
    const silent = { attention: { ...flag, kind: 'error' }, failureCount: 3 } as const
    const missing = /^No instance that reads the feed range of this job has agent ghost: /
    expect(said(givenUp(silent), all)).toMatch(missing)
    const parked = { ...silent, attention: { ...flag, kind: 'parked' } } as const
    expect(said({ ...givenUp(parked), endedAt: null }, all)).toMatch(missing)
    const answered = { ...silent, diagnostics: [{ at: '', by: 'x', attempt: 3, message: 'no card' }] }
    expect(said(givenUp(answered), all), 'an agent has answered').toBeNull()
    const elsewhere = { ...all, scheduler: [], agents: [owned({ serves: ['ghost'] })] }
    expect(said(givenUp(silent), elsewhere), 'a failed job needs no scheduler').toBeNull()
  })

  it('are not missing if an instance of any unit has them, or does not say which it has', () => {
    const other = { agents: [owned({ serves: ['payments'] })] }
    expect(said(jobWith('Processing', 'payments'), all, other)).toBeNull()
    const older = { ...all, agents: [owned({ serves: null })] }
    expect(said(jobWith('Processing', 'payments'), older)).toBeNull()
  })

  it('are not needed by steps that only wait, and by those of large lists', () => {
    for (const actor of ['', 'stepward']) expect(said(jobWith('Processing', actor), all)).toBeNull()
  })
})
