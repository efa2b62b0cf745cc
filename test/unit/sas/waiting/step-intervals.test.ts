import { describe, expect, it } from 'vitest'
import { intervalsOf } from '../../../../src/sas/waiting/step-intervals.js'
import type { JobDocument, StepDocument } from '../../../../src/sas/model/documents.js'

const at = (second: number): string =>
  new Date(Date.parse('2026-01-01T00:00:00.000Z') + second * 1_000).toISOString()
const now = Date.parse(at(100))

function aStep(stepId: string, parts: Partial<StepDocument>): StepDocument {
  return {
    stepId,
    kind: 'operation',
    direction: 'do',
    processState: 'Processing',
    dispatch: 1,
    dependsOn: [],
    diagnostics: [],
    attention: null,
    outcome: null,
    event: null,
    claim: null,
    attempt: 1,
    failureCount: 0,
    notBeforeMs: null,
    completeByMs: null,
    completeWithinMs: 60_000,
    ...parts,
  } as unknown as StepDocument
}

function aJob(stepIds: string[], parts: Partial<JobDocument> = {}): JobDocument {
  const job = {
    stepIds,
    submittedAt: at(0),
    endedAt: null,
    audit: [],
    steps: {},
    compensation: null,
    ...parts,
  }
  return job as unknown as JobDocument
}

const success = (second: number): StepDocument['outcome'] => ({
  kind: 'success',
  attempt: 1,
  at: at(second),
  by: 'one',
  didNothing: false,
})

const rowsOf = (steps: StepDocument[], job: Partial<JobDocument> = {}) =>
  intervalsOf(
    aJob(
      steps.map(({ stepId }) => stepId),
      job,
    ),
    steps,
    now,
  ).map(({ stepId, kind, from, to, isExact }) => [
    stepId,
    kind,
    Date.parse(from) / 1_000 - Date.parse(at(0)) / 1_000,
    to === null ? null : Date.parse(to) / 1_000 - Date.parse(at(0)) / 1_000,
    ...(isExact ? [] : ['inexact']),
  ])

describe('what a step did', () => {
  it('begins when the steps before it have ended, and divides a claimed attempt from its wait', () => {
    const done = { processState: 'Processed' } as const
    expect(
      rowsOf([
        aStep('first', { ...done, outcome: success(10) }),
        aStep('second', {
          ...done,
          dependsOn: ['first'],
          outcome: success(30),
          claim: { by: 'one', token: 't', fence: 1, at: at(25) },
        }),
      ]),
    ).toEqual([
      ['first', 'running', 0, 10, 'inexact'],
      ['second', 'waiting', 10, 25],
      ['second', 'running', 25, 30],
    ])
  })

  it('backs off after a failure, until the next attempt is offered', () => {
    const failed = { diagnostics: [{ at: at(20), by: 'one', attempt: 1, message: 'no' }], failureCount: 1 }
    expect(
      rowsOf([aStep('pay', { ...failed, outcome: { ...success(20), kind: 'failed' } as never })]),
    ).toEqual([
      ['pay', 'running', 0, 20, 'inexact'],
      ['pay', 'backingOff', 20, null],
    ])
    expect(rowsOf([aStep('pay', { ...failed, completeByMs: Date.parse(at(90)) })])).toEqual([
      ['pay', 'running', 0, 20, 'inexact'],
      ['pay', 'backingOff', 20, 30],
      ['pay', 'running', 30, null],
    ])
  })

  it.each<[string, Partial<StepDocument>, unknown[][]]>([
    [
      'is blocked at a limit',
      { place: { entry: 0, gates: [], waitsFor: 'bank', turn: null, since: at(5), reservedMs: null } },
      [['it', 'blocked', 5, null]],
    ],
    [
      'waits in a pause in which it left its limit',
      {
        place: { entry: 2, gates: [], waitsFor: null, turn: null, since: null, reservedMs: null },
        held: { atMs: Date.parse(at(30)), completeByMs: now },
      },
      [
        ['it', 'waiting', 0, 30],
        ['it', 'paused', 30, null],
      ],
    ],
    [
      'waits for an answer since it was asked',
      { kind: 'waitFor', asked: { title: '', assignees: [], since: at(7), expiresAtMs: now } },
      [['it', 'waiting', 7, null]],
    ],
    ['waits for an event', { kind: 'waitFor' }, [['it', 'waiting', 0, null]]],
    ['waits for other steps', { dispatch: 0, processState: 'Pending' }, [['it', 'waiting', 0, null]]],
    [
      'needs an operator',
      {
        processState: 'Error',
        attention: { kind: 'error', since: at(40), by: 'one', message: '', stepId: null },
      },
      [
        ['it', 'running', 0, 40, 'inexact'],
        ['it', 'operator', 40, null],
      ],
    ],
    [
      'is parked',
      { attention: { kind: 'parked', since: at(40), by: 'one', message: '', stepId: null } },
      [['it', 'operator', 40, null]],
    ],
  ])('%s', (_title, parts, rows) => {
    expect(rowsOf([aStep('it', parts)])).toEqual(rows)
  })

  it('is undone since the job is undone, and the job was paused between two decisions', () => {
    const decision = (command: 'pause' | 'resume', second: number) =>
      ({ command, stepId: null, at: at(second), by: 'ann', why: '' }) as const
    const compensation = { since: at(50), by: 'ann', reason: 'no', thenRetry: false }
    expect(
      rowsOf([aStep('pay', { direction: 'undo', processState: 'Compensated', outcome: success(60) })], {
        compensation,
        audit: [decision('pause', 10), decision('resume', 20), decision('pause', 30)],
        paused: { since: at(30), by: 'ann', why: '' },
      }),
    ).toEqual([
      [null, 'paused', 10, 20],
      [null, 'paused', 30, null],
      ['pay', 'undoing', 50, 60, 'inexact'],
    ])
  })

  const failures = (...seconds: number[]): StepDocument['diagnostics'] =>
    seconds.map((second, index) => ({ at: at(second), by: 'one', attempt: index + 1, message: 'no' }))
  const decided = (
    command: 'resubmit' | 'release' | 'pause' | 'resume',
    second: number,
    stepId: string | null = null,
  ): JobDocument['audit'][number] => ({ command, stepId, at: at(second), by: 'ann', why: '' })
  const textsOf = (step: StepDocument, audit: JobDocument['audit']): string[] =>
    intervalsOf(aJob(['pay'], { audit }), [step], now).map(({ what }) => what)

  it('needs an operator from a failure until the decision that sets it going again, and works only after that', () => {
    const underWay = { failureCount: 1, maxFailures: 3, diagnostics: failures(10, 80) }
    const pay = aStep('pay', { ...underWay, completeByMs: Date.parse(at(145)) })
    expect(rowsOf([pay], { audit: [decided('resubmit', 70, 'pay')] })).toEqual([
      ['pay', 'running', 0, 10, 'inexact'],
      ['pay', 'operator', 10, 70, 'inexact'],
      ['pay', 'running', 70, 80, 'inexact'],
      ['pay', 'backingOff', 80, 85],
      ['pay', 'running', 85, null],
    ])
    const [, waited] = textsOf(pay, [decided('resubmit', 70, 'pay')])
    expect(waited).toBe('until ann resubmitted it')
    // The job ended because of another step, so this one waited for the same decision.
    expect(rowsOf([pay], { audit: [decided('resubmit', 70, 'other')] })[1]).toEqual([
      'pay',
      'operator',
      10,
      70,
      'inexact',
    ])
  })

  it('was done after a decision, and later decisions are about other steps', () => {
    const done = { processState: 'Processed', diagnostics: failures(10), outcome: success(75) } as const
    const audit = [decided('resubmit', 70), decided('resubmit', 90)]
    expect(rowsOf([aStep('pay', done)], { audit })).toEqual([
      ['pay', 'running', 0, 10, 'inexact'],
      ['pay', 'operator', 10, 70, 'inexact'],
      ['pay', 'running', 70, 75, 'inexact'],
    ])
    const claim = { by: 'one', token: 't', fence: 1, at: at(72) }
    expect(rowsOf([aStep('pay', { ...done, claim })], { audit }).slice(2)).toEqual([
      ['pay', 'waiting', 70, 72],
      ['pay', 'running', 72, 75],
    ])
  })

  it('says what is not recorded if a decision follows no failure', () => {
    const pay = aStep('pay', { diagnostics: failures(10) })
    expect(
      textsOf(pay, [decided('resubmit', 30, 'pay'), decided('resubmit', 60, 'pay')]).slice(1, 3),
    ).toEqual(['until ann resubmitted it', 'what it did until ann resubmitted it is not recorded'])
  })

  it('waits for a scheduler after a decision, until it begins again', () => {
    const reset = { processState: 'Pending', diagnostics: failures(10) } as const
    const job = {
      audit: [decided('resubmit', 70)],
      steps: { pay: { state: 'NotStarted', dispatch: 1 } },
    } as const
    expect(rowsOf([aStep('pay', reset)], job as never).slice(1)).toEqual([
      ['pay', 'operator', 10, 70, 'inexact'],
      ['pay', 'waiting', 70, null],
    ])
  })

  it.each<[string, StepDocument['onExhausted'], string | null, unknown[][]]>([
    ['a parked step', 'park', null, [['pay', 'operator', 10, 70, 'inexact']]],
    ['a step of this id', 'error', 'pay', [['pay', 'operator', 10, 70, 'inexact']]],
    ['an extended wait', { extendedWaitMs: 90_000 }, null, [['pay', 'waiting', 10, 70, 'inexact']]],
    ['no other step', 'park', 'other', [['pay', 'waiting', 10, 72]]],
    ['no step that cannot be held', 'error', null, [['pay', 'waiting', 10, 72]]],
  ])('a release sets going %s', (_title, onExhausted, stepId, row) => {
    const claim = { by: 'one', token: 't', fence: 1, at: at(72) }
    const pay = aStep('pay', { onExhausted, diagnostics: failures(10), maxFailures: 1, claim })
    const found = rowsOf([pay], { audit: [decided('release', 70, stepId)] })
    expect(found.slice(1, 2)).toEqual(row)
    expect(found.at(-1)).toEqual(['pay', 'running', 72, null])
  })

  it('waits for the whole extended wait after the last attempt', () => {
    const waits = {
      onExhausted: { extendedWaitMs: 40_000 },
      maxFailures: 2,
      diagnostics: failures(10, 20, 63),
    }
    expect(
      rowsOf([aStep('pay', { ...waits, claim: { by: 'one', token: 't', fence: 1, at: at(99) } })]),
    ).toEqual([
      ['pay', 'running', 0, 10, 'inexact'],
      ['pay', 'running', 10, 20, 'inexact'],
      ['pay', 'waiting', 20, 60],
      ['pay', 'running', 60, 63, 'inexact'],
      ['pay', 'waiting', 63, 99],
      ['pay', 'running', 99, null],
    ])
  })

  it('begins no attempt in a pause of the job', () => {
    const audit = [decided('pause', 5), decided('resume', 20), decided('pause', 40), decided('resume', 60)]
    const pay = aStep('pay', { diagnostics: failures(10, 70), maxFailures: 9 })
    expect(rowsOf([pay], { audit }).filter(([stepId]) => stepId === 'pay')).toEqual([
      ['pay', 'running', 0, 10, 'inexact'],
      ['pay', 'paused', 10, 20],
      ['pay', 'running', 20, 40, 'inexact'],
      ['pay', 'paused', 40, 60, 'inexact'],
      ['pay', 'running', 60, 70, 'inexact'],
      ['pay', 'running', 70, null],
    ])
  })

  it.each<[string, Partial<JobDocument>, number | null]>([
    ['goes on while its job has failed', { processState: 'Error' }, null],
    [
      'ends with the undo of the job',
      { compensation: { since: at(60), by: 'ann', reason: '', thenRetry: false } },
      60,
    ],
    ['ends with its job', { processState: 'Compensated' }, 50],
  ])('the wait for an operator %s', (_title, job, end) => {
    const attention = { kind: 'error', since: at(40), by: 'one', message: '', stepId: null } as const
    const failed = aStep('pay', { processState: 'Error', attention })
    expect(rowsOf([failed], { endedAt: at(50), ...job }).at(-1)).toEqual(['pay', 'operator', 40, end])
  })

  it('has no part before the job was submitted, if a restart has taken it over', () => {
    const event = { payload: null, at: at(20), by: 'ann', askedAt: at(10) }
    const asked = aStep('asked', { kind: 'waitFor', processState: 'Processed', event })
    const claim = { by: 'one', token: 't', fence: 1, at: at(21) }
    const paid = aStep('paid', { processState: 'Processed', outcome: success(25), claim })
    const next = aStep('next', { dependsOn: ['asked', 'paid'], completeByMs: Date.parse(at(130)) })
    expect(rowsOf([asked, paid, next], { submittedAt: at(60) })).toEqual([
      ['next', 'waiting', 60, 70],
      ['next', 'running', 70, null],
    ])
  })

  it('keeps its failed attempts when the job is undone, and a failed undo needs an operator', () => {
    const attention = {
      kind: 'compensationFailed',
      since: at(70),
      by: 'one',
      message: '',
      stepId: null,
    } as const
    const undone = aStep('pay', {
      direction: 'undo',
      processState: 'Error',
      diagnostics: failures(10, 65, 70),
      attention,
    })
    const compensation = { since: at(60), by: 'ann', reason: 'no', thenRetry: false }
    expect(rowsOf([undone], { compensation, processState: 'Error', endedAt: at(70) })).toEqual([
      ['pay', 'running', 0, 10, 'inexact'],
      ['pay', 'undoing', 60, 70, 'inexact'],
      ['pay', 'operator', 70, null],
    ])
  })

  it('a pause ends with its job', () => {
    const job = {
      audit: [decided('pause', 10)],
      paused: { since: at(10), by: 'ann', why: '' },
      endedAt: at(30),
    }
    expect(rowsOf([], job)).toEqual([[null, 'paused', 10, 30]])
  })

  it('waits only for steps that are not over, and not at all once it was left out', () => {
    const waiting: Partial<StepDocument> = {
      dispatch: 0,
      processState: 'Pending',
      dependsOn: ['done', 'open'],
    }
    const job = (state: 'NotStarted' | 'Skipped') =>
      aJob(['it'], { steps: { done: { state: 'Processed', dispatch: 1 }, it: { state, dispatch: 0 } } })
    const textsOf = (state: 'NotStarted' | 'Skipped') =>
      intervalsOf(job(state), [aStep('it', waiting)], now).map(({ what }) => what)
    expect(textsOf('NotStarted')).toEqual(['waits for open'])
    expect(textsOf('Skipped')).toEqual([])
  })
})

describe('the end of a sleep, which no document contains', () => {
  const nap = (input: { readonly forMs: number; readonly orUntil?: { readonly $from: string[] } }) =>
    aStep('nap', { kind: 'sleep', processState: 'Processed', dispatch: 2, input, inputTemplate: input })

  it('is later by the time of a pause of the job', () => {
    const decided = (command: 'pause' | 'resume', second: number) => {
      return { command, stepId: null, at: at(second), by: 'ann', why: '' }
    }
    const pay = aStep('pay', {
      dependsOn: ['nap'],
      processState: 'Processed',
      claim: { by: 'one', token: 't', fence: 1, at: at(71) },
      outcome: success(72),
    })
    const audit = [decided('pause', 10), decided('resume', 60)]
    const rows = rowsOf([nap({ forMs: 20_000 }), pay], { audit, endedAt: at(72) })
    expect(rows).toContainEqual(['pay', 'waiting', 70, 71])
  })

  it('is that of the step that ends the sleep early', () => {
    const asked = aStep('ask', {
      kind: 'waitFor',
      processState: 'Processed',
      event: { payload: 1, at: at(30) },
    })
    const cut = nap({ forMs: 3_600_000, orUntil: { $from: ['steps', 'ask', 'outcomeSoFar'] } })
    expect(rowsOf([asked, cut])).toContainEqual(['nap', 'waiting', 0, 30, 'inexact'])
  })

  it('is not in the future if the step that ended the sleep early was skipped', () => {
    const skipped = aStep('ask', { kind: 'waitFor', processState: 'Pending', dispatch: 0 })
    const cut = nap({ forMs: 3_600_000, orUntil: { $from: ['steps', 'ask', 'outcomeSoFar'] } })
    const rows = rowsOf([skipped, cut], { steps: { ask: { state: 'Skipped', dispatch: 0 } } as never })
    expect(rows).toContainEqual(['nap', 'waiting', 0, 100, 'inexact'])
  })
})
