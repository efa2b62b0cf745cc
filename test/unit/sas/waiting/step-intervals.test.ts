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
