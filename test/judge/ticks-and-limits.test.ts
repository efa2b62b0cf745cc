import { describe, expect, it } from 'vitest'
import { aCall, AHistory, aJob, aStep } from './a-history.js'
import type { Fields } from './rules/history.js'

const atMs = (second: number): string => new Date(second * 1_000).toISOString()

/** Returns a stored schedule whose first tick is due after one second. */
function aSchedule(fields: Fields = {}): Fields {
  return {
    id: 'sas.schedule:ticking',
    scheduleId: 'ticking',
    calendar: { everyMs: 1_000 },
    overlap: 'skip',
    nextDueMs: 1_000,
    passed: [],
    ...fields,
  }
}

/** Returns the stored job of a tick. */
function aRun(second: number, fields: Fields = {}): Fields {
  const jobId = `ticking@${second}`
  return {
    ...aJob({ stepIds: [], steps: {}, input: { schedule: 'ticking', due: atMs(second) } }),
    id: `sas.job:${jobId}`,
    ...fields,
  }
}

/** Returns the job of a tick after it has ended. */
function anEndedRun(second: number, endedAtMs: number): Fields {
  return aRun(second, { processState: 'Processed', endedAtMs })
}

function passed(second: number, to = second): Fields {
  return { reason: 'overlap', from: atMs(second), to: atMs(to), count: to - second + 1, message: '' }
}

/** Ends a history in which ticks were awaited until this second. */
function awaited(history: AHistory, second: number): readonly string[] {
  return history.note('client', 'awaited', { untilMs: second * 1_000 }).broken()
}

/** Returns the history of a schedule whose first tick has run until 1.5 s. */
function aFirstRun(): AHistory {
  return new AHistory()
    .write('client', [aSchedule()])
    .later(1_000)
    .write('m1', [aRun(1)])
    .later(500)
    .write('m1', [{ ...anEndedRun(1, 1_500), on: 'e2' }])
}

describe('the judge, checking ticks,', () => {
  it('accepts ticks that are jobs or were skipped, and ignores later ones', () => {
    const history = aFirstRun()
      .later(500)
      .write('m1', [anEndedRun(2, 2_100)])
    const rows = { ...aSchedule({ nextDueMs: 4_000, passed: [passed(3)] }), on: 'e1' }
    expect(awaited(history.write('m1', [rows]), 3)).toEqual([])
  })

  it('rejects a tick without a job, but not before it is due', () => {
    expect(awaited(aFirstRun(), 1)).toEqual([])
    expect(awaited(aFirstRun(), 2)).toEqual(['ticks'])
  })

  it('rejects a tick with two jobs, whatever their ids are', () => {
    const again = aFirstRun().write('m2', [{ ...anEndedRun(1, 1_600), id: 'sas.job:ticking@1-other' }])
    expect(awaited(again, 1)).toEqual(['ticks'])
  })

  it('rejects a job of a tick that has not ended', () => {
    const open = new AHistory().write('client', [aSchedule()]).write('m1', [aRun(1)])
    expect(awaited(open, 1)).toEqual(['ticks'])
    const later = new AHistory().write('client', [aSchedule()]).write('m1', [aRun(1)])
    expect(awaited(later, 0)).toEqual([])
  })

  it('rejects a tick that was submitted before the previous run had ended', () => {
    const during = new AHistory()
      .write('client', [aSchedule()])
      .write('m1', [aRun(1)])
      .write('m1', [anEndedRun(2, 2_500)])
      .write('m1', [{ ...anEndedRun(1, 2_100), on: 'e2' }])
    expect(awaited(during, 2)).toEqual(['overlap'])
    const late = aFirstRun().write('m1', [{ ...anEndedRun(2, 2_500) }])
    expect(awaited(late, 2)).toEqual([])
  })

  it('accepts the late job of a tick that another instance has skipped', () => {
    const late = aFirstRun()
      .write('m1', [{ ...aSchedule({ nextDueMs: 3_000, passed: [passed(2)] }), on: 'e1' }])
      .write('m1', [anEndedRun(3, 3_100)])
      .write('m2', [anEndedRun(2, 9_000)])
      .write('m1', [anEndedRun(4, 4_100)])
    expect(awaited(late, 4)).toEqual([])
  })

  it('rejects ticks that were skipped long after the run before them, unless a clock was wrong', () => {
    const idle = (): AHistory =>
      aFirstRun().write('m1', [{ ...aSchedule({ nextDueMs: 9_000, passed: [passed(2, 8)] }), on: 'e1' }])
    expect(awaited(idle(), 4)).toEqual([])
    expect(awaited(idle(), 8)).toEqual(['skipped-for-a-reason'])
    expect(awaited(idle().note('runner', 'fault', { fault: 'clock' }), 8)).toEqual([])
  })
})

/** Returns a stored schedule with a tick every three seconds, from the third second on. */
function aCronSchedule(fields: Fields = {}): Fields {
  const calendar = { cron: '*/3 * * * * *', timeZone: 'Asia/Tokyo' }
  return aSchedule({ calendar, overlap: 'queue', nextDueMs: 3_000, ...fields })
}

/** Returns the history of such a schedule, whose first tick has run from 3 s on. */
function aCronHistory(fields: Fields = {}): AHistory {
  const settings = { leaseExpirationIntervalMs: 3_000, graceMs: 200 }
  return new AHistory(settings)
    .write('client', [aCronSchedule(fields)])
    .later(3_000)
    .write('m1', [aRun(3)])
}

describe('the judge, checking ticks of cron schedules,', () => {
  const end = (endedAtMs: number): Fields => ({ ...anEndedRun(3, endedAtMs), on: 'e2' })
  const counted = (fields: Fields, row: Fields): Fields => ({
    ...aCronSchedule({ ...fields, nextDueMs: 12_000, passed: [row] }),
    on: 'e1',
  })

  it('knows the ticks by the pattern', () => {
    const ended = (): AHistory => aCronHistory().write('m1', [end(3_500)])
    expect(awaited(ended(), 5)).toEqual([])
    expect(awaited(ended(), 6)).toEqual(['ticks'])
    expect(awaited(ended().write('m1', [anEndedRun(4, 4_500)]), 5)).toEqual(['ticks'])
  })

  it('rejects a queued tick that does not wait for the run before it, or is skipped', () => {
    const early = aCronHistory()
      .later(3_000)
      .write('m1', [anEndedRun(6, 6_100)])
    expect(awaited(early.write('m1', [end(8_000)]), 6)).toEqual(['overlap'])
    const late = (): AHistory =>
      aCronHistory()
        .later(5_000)
        .write('m1', [end(8_000)])
    expect(awaited(late().write('m1', [anEndedRun(6, 9_000)]), 6)).toEqual([])
    const skipped = late().write('m1', [counted({}, passed(6))])
    expect(awaited(skipped, 6)).toEqual(['queued'])
    const missed = late().write('m1', [counted({}, { ...passed(6), reason: 'late' })])
    expect(awaited(missed, 6)).toEqual([])
  })

  it('rejects a tick that does not cancel the run before it', () => {
    const overlap = 'cancelPrevious'
    const second = (history: AHistory): AHistory => history.write('m1', [anEndedRun(6, 6_500)])
    const atSix = (): AHistory => aCronHistory({ overlap }).later(3_000)
    expect(awaited(second(atSix()).write('m1', [end(9_000)]), 6)).toEqual(['overlap'])
    const audit = [{ command: 'cancel', by: 'm1', why: 'tick follows' }]
    const cancelled = { ...aRun(3, { audit, processState: 'Compensating' }), on: 'e2' }
    const compensated = { ...aRun(3, { audit, processState: 'Compensated', endedAtMs: 7_000 }), on: 'e3' }
    expect(awaited(second(atSix().write('m1', [cancelled])).write('m1', [compensated]), 6)).toEqual([])
  })

  it('rejects a tick that would cancel and was skipped before a later one was due', () => {
    const overlap = 'cancelPrevious'
    const skippedAt = (second: number): AHistory =>
      aCronHistory({ overlap })
        .write('m1', [end(3_500)])
        .later((second - 3) * 1_000)
        .write('m1', [counted({ overlap }, passed(6))])
    expect(awaited(skippedAt(7), 6)).toEqual(['skipped-for-a-reason'])
    expect(awaited(skippedAt(9), 6)).toEqual([])
  })
})

describe('the judge, checking limits,', () => {
  const limits = [{ key: 'bank', atOnce: 1 }]
  const begun = { limits, lockedBy: 'm1', place: { waitsFor: null, gates: [{ key: 'bank' }] } }
  const waiting = {
    limits,
    lockedBy: null,
    processState: 'Pending',
    place: { waitsFor: 'bank', gates: [{ key: 'bank' }], since: atMs(1) },
  }
  const over = { limits, lockedBy: null, processState: 'Processed' }
  const step = (name: string, fields: Fields): Fields =>
    aStep({ id: `sas.step:j:${name}`, stepId: name, pk: 'p', ...fields })
  const job = aJob({ stepIds: ['a', 'b'], steps: {} })
  const rejected = (history: AHistory): readonly string[] =>
    history.broken().filter((rule) => rule.startsWith('limit'))

  it('rejects two steps at work at once, and accepts them one after the other', () => {
    const first = (): AHistory => new AHistory().write('m1', [job, step('a', begun)])
    expect(rejected(first().write('m1', [step('b', begun)]))).toEqual(['limit'])
    const ended = first().write('m1', [{ ...step('a', over), on: 'e2' }])
    expect(rejected(ended.write('m1', [step('b', begun)]))).toEqual([])
    const lost = first().write('m1', [step('b', begun)], { end: 'info' })
    expect(rejected(lost)).toEqual([])
    expect(rejected(lost.read('m2', 'sas.step:j:b', 'e3'))).toEqual(['limit'])
  })

  it('gives each partition a limit of its own only if the definition says so', () => {
    const both = (perPartition: boolean, pk: string): AHistory => {
      const own = { ...begun, limits: [{ key: 'bank', atOnce: 1, perPartition }] }
      return new AHistory().write('m1', [job, step('a', own)]).write('m1', [step('b', { ...own, pk })])
    }
    expect(rejected(both(false, 'q'))).toEqual(['limit'])
    expect(rejected(both(true, 'p'))).toEqual(['limit'])
    expect(rejected(both(true, 'q'))).toEqual([])
  })

  it('rejects a limit that has more steps inside than it allows', () => {
    const gate = (holders: number): Fields => ({
      id: 'sas.gate:bank',
      rules: { atOnce: 1 },
      operated: null,
      holders: Array.from({ length: holders }, () => ({})),
    })
    expect(new AHistory().write('m1', [gate(1)]).broken()).toEqual([])
    expect(new AHistory().write('m1', [gate(2)]).broken()).toEqual(['limit'])
  })

  it('rejects a step that was left waiting at a limit that has room', () => {
    const left = (first: Fields): AHistory =>
      new AHistory()
        .write('m1', [job, step('a', first), step('b', waiting)])
        .note('client', 'awaited', { untilMs: 2_000 })
    expect(rejected(left(over))).toEqual(['limit-moves'])
    expect(rejected(left(begun))).toEqual([])
    const paused = { ...begun, lockedBy: null, processState: 'Pending' }
    expect(rejected(left(paused))).toEqual([])
  })

  it('accepts a step that waits only since the end, or whose job is over', () => {
    const recent = new AHistory()
      .write('m1', [job, step('a', over), step('b', waiting)])
      .note('client', 'awaited', { untilMs: 500 })
    expect(rejected(recent)).toEqual([])
    const ended = new AHistory()
      .write('m1', [{ ...job, processState: 'Error', attention: {} }, step('a', over), step('b', waiting)])
      .note('client', 'awaited', { untilMs: 2_000 })
    expect(rejected(ended)).toEqual([])
  })
})

describe('the judge, checking limits of jobs,', () => {
  const limits = [{ key: 'shop', atOnce: 1, perPartition: true }]
  const key = 'jobs:partition:shop:p'
  const job = (name: string, fields: Fields = {}): Fields => {
    return { ...aJob({ stepIds: ['s'], steps: {}, pk: 'p', limits, ...fields }), id: `sas.job:${name}` }
  }
  const step = (name: string, fields: Fields = {}): Fields =>
    aStep({ id: `sas.step:${name}:s`, jobId: name, idempotencyKey: `${name}/s/g1/do`, ...fields })
  const ended = { processState: 'Error', attention: {}, endedAtMs: 1 }
  const rejected = (history: AHistory): readonly string[] =>
    history.broken().filter((rule) => rule.startsWith('limit'))

  it('rejects a job that begins before the one before it has ended', () => {
    const first = (): AHistory => new AHistory().write('m1', [job('j'), step('j')])
    const afterStep = (): AHistory =>
      first().write('m1', [{ ...step('j', { lockedBy: null, processState: 'Processed' }), on: 'e2' }])
    const next = [job('k'), step('k')]
    expect(rejected(afterStep().write('m1', next))).toEqual(['limit-of-jobs'])
    const over = afterStep().write('m1', [{ ...job('j', ended), on: 'e1' }])
    expect(rejected(over.write('m1', next))).toEqual([])
    const elsewhere = [job('k', { pk: 'q' }), step('k', { pk: 'q' })]
    expect(rejected(afterStep().write('m1', elsewhere))).toEqual([])
  })

  it('counts a job again that was resubmitted', () => {
    const again = new AHistory()
      .write('m1', [job('j'), step('j')])
      .write('m1', [{ ...step('j', { lockedBy: null, processState: 'Error' }), on: 'e2' }])
      .write('m1', [{ ...job('j', ended), on: 'e1' }])
      .write('m1', [job('k'), step('k')])
      .write('m1', [{ ...job('j'), on: 'e4' }])
    expect(rejected(again)).toEqual([])
    expect(rejected(again.write('m1', [{ ...step('j', { fence: 3, dispatch: 2 }), on: 'e3' }]))).toEqual([
      'limit-of-jobs',
    ])
  })

  it('rejects a job that was left waiting at a limit that has room', () => {
    const gates = [{ key }]
    const waits = { place: { waitsFor: key, gates, since: atMs(1) }, lockedBy: null }
    const left = (first: Fields): AHistory =>
      new AHistory()
        .write('m1', [job('j', first), job('k', waits)])
        .note('client', 'awaited', { untilMs: 2_000 })
    expect(rejected(left(ended))).toEqual(['limit-of-jobs-moves'])
    expect(rejected(left({ place: { waitsFor: null, gates } }))).toEqual([])
  })
})

describe('the judge, checking rates,', () => {
  const limits = [{ key: 'post', perSecond: 2, burst: 2 }]
  const call = (history: AHistory, attempt: number): AHistory =>
    history.operation('m1', 'handler', [aCall({ attempt }), {}])
  const begun = (count: number, pauseMs: number, history = new AHistory()): readonly string[] => {
    history.write('m1', [aJob(), aStep({ limits })])
    for (let attempt = 1; attempt <= count; attempt += 1) call(history.later(pauseMs), attempt)
    return history.broken().filter((rule) => rule === 'rate')
  }

  it('rejects more attempts than the burst, the rate and the time of a busy machine allow', () => {
    expect(begun(6, 0)).toEqual([])
    expect(begun(7, 0)).toEqual(['rate'])
    expect(begun(20, 500)).toEqual([])
    expect(begun(20, 300)).toEqual(['rate'])
  })

  it('allows attempts that a fault held back, and counts no call twice', () => {
    const fault = (): AHistory => new AHistory().note('runner', 'fault', { fault: 'kill' })
    expect(begun(30, 0, fault())).toEqual([])
    expect(begun(40, 0, fault())).toEqual(['rate'])
    const same = new AHistory().write('m1', [aJob(), aStep({ limits })])
    for (let count = 0; count < 20; count += 1) call(same, 1)
    expect(same.broken().filter((rule) => rule === 'rate')).toEqual([])
  })
})
