import { describe, expect, it } from 'vitest'
import { mustRead } from '../../../../../src/sas/decisions/readers.js'
import { recoverJob } from '../../../../../src/sas/decisions/recover-job.js'
import { decisionsOf, isSnoozed, triageOf } from '../../../../../src/sas/decisions/operator/triage.js'
import { JobStory } from '../../../../support/job-story.js'

const permanent = { kind: 'permanent', message: 'no such card', didNothing: true } as const
const assign = { kind: 'triage', assignee: 'ann', by: 'bob', why: 'assigned to ann' } as const
const snooze = {
  kind: 'triage',
  snoozedUntil: '2026-01-01T02:00:00.000Z',
  note: 'the bank calls back',
  by: 'ann',
  why: 'snoozed until 2026-01-01T02:00:00.000Z',
} as const
const resubmit = { kind: 'resubmit', by: 'ann', why: 'repaired' } as const

const inError = JobStory.submitted({ a: [] }).scheduled().concluded('a', permanent)
const parked = JobStory.submitted({ a: [], b: ['a'] }, { onExhausted: 'park', retry: { tries: 1 } })
  .scheduled()
  .expired('a')
  .scheduled()
const waiting = JobStory.submitted({ a: [] }, { onExhausted: { extendedWait: '1h' }, retry: { tries: 1 } })
  .scheduled()
  .expired('a')
  .scheduled()

describe('the triage of a job', () => {
  it('keeps who looks after it, a note and the end of a snooze, and records each change', () => {
    const triaged = inError.later(5).commanded(assign).later(5).commanded(snooze)
    expect(triageOf(triaged.job)).toEqual({
      assignee: 'ann',
      note: 'the bank calls back',
      snoozedUntil: '2026-01-01T02:00:00.000Z',
      by: 'ann',
      at: '2026-01-01T00:00:00.010Z',
    })
    expect(decisionsOf(triaged.job)).toMatchObject([
      { command: 'triage', stepId: 'a', by: 'bob', why: 'assigned to ann', at: '2026-01-01T00:00:00.005Z' },
      { command: 'triage', by: 'ann' },
    ])
    expect(triaged.job.operatedAtMs).toBe(triaged.now)
    expect(triaged.job.audit, 'earlier versions read only commands that they know').toEqual([])
  })

  it.each([
    ['in Error', inError],
    ['with a parked step', parked],
    ['with an extended wait', waiting],
  ])('changes nothing that a role decides by: a job %s (I42)', (_name, story) => {
    const after = story.commanded(assign)
    const { triage: _triage, triageAudit: _audit, operatedAtMs: _at, ...others } = after.job
    const { triage: _before, triageAudit: _none, operatedAtMs: _never, ...same } = story.job
    expect(others).toEqual(same)
    expect(after.steps).toEqual(story.steps)
    if (mustRead.scheduler(after.job)) expect(after.deciding().kind).toBe('nothing')
    const policy = { now: after.now, graceMs: 0, supervisor: 'supervisor-1' }
    expect(recoverJob(after.job, policy)).toEqual(recoverJob(story.job, policy))
  })

  it('is refused if the job needs no operator, or has this triage already', () => {
    const reasonOf = (story: JobStory): unknown => story.commanding(assign)
    expect(reasonOf(JobStory.submitted({ a: [] }).scheduled())).toEqual({
      kind: 'refused',
      reason: 'job job-1 needs no operator: there is no problem to triage',
    })
    expect(reasonOf(inError.commanded(assign))).toEqual({
      kind: 'refused',
      reason: 'nothing changes: the triage of job job-1 says this already',
    })
    expect(inError.commanding({ ...assign, assignee: null })).toMatchObject({ kind: 'refused' })
  })

  it('removes parts, and leaves no triage without a part', () => {
    const both = inError.commanded(assign).commanded(snooze)
    const less = both.commanded({ ...assign, assignee: null })
    expect(triageOf(less.job)).toMatchObject({ assignee: null, note: 'the bank calls back' })
    const none = less.commanded({ ...snooze, note: null, snoozedUntil: null })
    expect(none.job.triage).toBeNull()
    expect(none.job.triageAudit).toHaveLength(4)
  })

  it('ends with the problem: an operator acts, or the job goes on (F-O8)', () => {
    const again = inError.commanded(assign).commanded(resubmit)
    expect(again.job.triage).toBeNull()
    expect(triageOf(again.job)).toBeNull()
    // The same step fails in the same way at the same time by the clock.
    expect(triageOf(again.scheduled().concluded('a', permanent).job)).toBeNull()
    const released = parked.commanded(assign).commanded({ kind: 'release', by: 'ann', why: 'go' })
    expect(released.job.triage).toBeNull()
    const cancelled = parked.commanded(assign).commanded({ kind: 'cancel', by: 'ann', why: 'stop' })
    expect(cancelled.job.triage).toBeNull()
  })

  it('stays during a pause, whose end does not end the problem', () => {
    const paused = parked.commanded(assign).commanded({ kind: 'pause', by: 'ann', why: 'later' })
    expect(triageOf(paused.job)).toMatchObject({ assignee: 'ann' })
    const resumed = paused.commanded({ kind: 'resume', by: 'ann', why: 'go' })
    expect(triageOf(resumed.job)).toMatchObject({ assignee: 'ann' })
  })

  it('is void for another problem, and outlasts the tries of an extended wait', () => {
    const told = waiting.commanded(snooze)
    const tried = told.later(3_700_000).expired('a').scheduled()
    expect(tried.job.attention, 'the step is tried again').toBeNull()
    expect(triageOf(tried.job)).toBeNull()
    const back = tried.later(100_000).expired('a').scheduled()
    expect(back.job.attention).toMatchObject({ kind: 'extendedWait' })
    expect(back.job.attention?.since).not.toBe(told.job.attention?.since)
    expect(triageOf(back.job)).toMatchObject({ note: 'the bank calls back' })

    const { attention } = told.job
    if (attention === null) throw new Error('the job is not flagged')
    expect(triageOf({ ...told.job, attention: { ...attention, kind: 'error' } })).toBeNull()
    expect(triageOf({ ...told.job, attention: { ...attention, stepId: 'b' } })).toBeNull()
    const stalled = parked.commanded(assign).job
    const later = { kind: 'parked' as const, since: 'later', by: 'x', message: '', stepId: 'a' }
    expect(triageOf({ ...stalled, attention: later })).toBeNull()
  })

  it('of an extended wait is void if the step waits for another reason, or after the job began again', () => {
    const told = waiting.commanded(snooze)
    const { attention } = told.job
    if (attention === null) throw new Error('the job is not flagged')
    const after = (message: string, generation = told.job.generation) =>
      triageOf({ ...told.job, generation, attention: { ...attention, since: 'later', message } })
    expect(after(attention.message.replace('1 failed attempt', '7 failed attempts'))).toMatchObject({
      note: 'the bank calls back',
    })
    expect(after('given up after 1 failed attempt: the account is closed')).toBeNull()
    expect(after(attention.message, told.job.generation + 1)).toBeNull()
    const { generation: _generation, cause: _cause, ...about } = told.job.triage?.about ?? {}
    const old = { ...told.job, triage: { ...told.job.triage, about } } as typeof told.job
    expect(triageOf({ ...old, attention: { ...attention, since: 'later' } }), 'written before').not.toBeNull()
  })

  it.each([
    ['the bank answered 503', 'the bank answered 401', false],
    ['HTTP 503: {"error":"overloaded"}', 'HTTP 503: {"error":"account_closed"}', false],
    ["'rate limited'", "'card stolen'", false],
    ['503 for request "a-81f3", after 412 ms', '503 for request "b-2c07", after 587 ms', true],
  ])('of an extended wait for %s is kept for %s: %s', (first, second, isKept) => {
    const flagged = (message: string, since: string) => {
      const attention = waiting.job.attention && { ...waiting.job.attention, since, message }
      return { ...waiting.job, attention }
    }
    const told = waiting
      .withJob(flagged(`given up after 1 failed attempt: ${first}`, 'now'))
      .commanded(snooze)
    const { attention } = flagged(`given up after 2 failed attempts: ${second}`, 'later')
    expect(triageOf({ ...told.job, attention }) !== null).toBe(isKept)
  })

  it('hides a job until the snooze ends, without a write', () => {
    const told = triageOf(inError.commanded(snooze).job)
    const endMs = Date.parse(snooze.snoozedUntil)
    expect(isSnoozed(told, endMs - 1)).toBe(true)
    expect(isSnoozed(told, endMs)).toBe(false)
    expect(isSnoozed(triageOf(inError.commanded(assign).job), 0)).toBe(false)
    expect(isSnoozed(null, 0)).toBe(false)
  })

  it('keeps the newest ten changes, and pushes no decision out of the audit', () => {
    let story = parked.commanded({ kind: 'pause', by: 'ann', why: 'wait' })
    for (let index = 0; index < 30; index += 1) story = story.commanded({ ...assign, assignee: `p${index}` })
    expect(story.job.triageAudit).toHaveLength(10)
    expect(decisionsOf(story.job)[0]).toMatchObject({ command: 'pause' })
  })
})

describe('a snooze of one of several parallel steps', () => {
  const options = { onExhausted: 'park', retry: { tries: 1 } } as const
  const begun = JobStory.submitted({ a: [], b: [], c: [] }, options).scheduled()
  const flagOf = ({ job }: JobStory): unknown => job.attention?.stepId
  const isHidden = ({ job, now }: JobStory): boolean => isSnoozed(triageOf(job), now)
  const until = (snoozedUntil: string) => ({ ...snooze, snoozedUntil }) as const
  const first = begun.expired('a').scheduled()

  it('does not hide the problem that another step has later (F-O7, I42)', () => {
    const told = first.commanded(snooze)
    expect([flagOf(told), isHidden(told)]).toEqual(['a', true])
    const both = told.expired('b').scheduled()
    expect([flagOf(both), isHidden(both)]).toEqual(['b', false])
    expect(both.deciding().kind, 'the flag stays').toBe('nothing')
  })

  it('does not hide the problem that another step has already', () => {
    const both = first.expired('b').commanded(snooze)
    expect([flagOf(both), isHidden(both)]).toEqual(['a', true])
    expect(both.deciding(['a']), 'a scheduler that has not read the steps').toEqual({
      kind: 'read',
      stepIds: ['b', 'c'],
    })
    expect(flagOf(both.scheduled())).toBe('b')
  })

  it('stays while the other problem is shown, snoozed and released', () => {
    const both = first.commanded(snooze).expired('b').scheduled()
    const told = both.commanded({ ...until('2026-01-01T01:00:00.000Z'), note: 'of b' })
    expect(told.job.otherTriages).toMatchObject([{ note: 'the bank calls back', about: { stepId: 'a' } }])
    expect(told.deciding().kind, 'the flag whose snooze ends first stays').toBe('nothing')
    expect([flagOf(told), isHidden(told)]).toEqual(['b', true])
    const longer = told.commanded(until('2026-01-02T00:00:00.000Z')).scheduled()
    expect([flagOf(longer), isHidden(longer)], 'the snooze of a ends first').toEqual(['a', true])
    expect(triageOf(longer.job)).toMatchObject({ note: 'the bank calls back' })
    const paused = told.commanded({ kind: 'pause', by: 'ann', why: 'later' }).scheduled()
    expect(paused.job.otherTriages).toHaveLength(1)
    const released = told.commanded({ kind: 'release', stepId: 'b', by: 'ann', why: 'go' }).scheduled()
    expect([flagOf(released), isHidden(released)]).toEqual(['a', true])
    expect(released.job.otherTriages).toEqual([])
    const again = released.expired('b').scheduled()
    expect([flagOf(again), isHidden(again)], 'a new problem of the same step').toEqual(['b', false])
    const cancelled = told.commanded({ kind: 'cancel', by: 'ann', why: 'stop' })
    expect(cancelled.job).toMatchObject({ triage: null, otherTriages: [] })
  })

  it('shows the first step again when only a triage without a snooze is left', () => {
    const told = first.commanded(snooze).expired('b').scheduled()
    const open = told.commanded({ kind: 'release', stepId: 'a', by: 'ann', why: 'go' }).scheduled()
    expect([flagOf(open), open.job.triage]).toEqual(['b', null])
    const assigned = first.commanded(assign).expired('b')
    expect(assigned.deciding().kind, 'nothing is hidden, so the order of the workflow counts').toBe('nothing')
  })

  it('keeps triages of at most ten other steps, and only of steps under way', () => {
    const ids = Array.from({ length: 13 }, (_, index) => `s${String(index).padStart(2, '0')}`)
    let story = JobStory.submitted(Object.fromEntries(ids.map((id) => [id, []])), options).scheduled()
    for (const id of ids)
      story = story
        .expired(id)
        .scheduled()
        .commanded(until(`2027-01-01T00:00:00.0${id.slice(1)}Z`))
    expect(story.job.otherTriages).toHaveLength(10)
    const over = first.commanded(snooze).expired('b').scheduled()
    const entry = { ...over.job.steps['a'], state: 'Processed' as const, dispatch: 9 }
    const later = over.withJob({ ...over.job, steps: { ...over.job.steps, a: entry } }).commanded(snooze)
    expect(later.job.otherTriages ?? []).toEqual([])
  })
})
