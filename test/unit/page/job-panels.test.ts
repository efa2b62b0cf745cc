import { describe, expect, it } from 'vitest'
import { costRows } from '../../../src/page/browser/parts/cost-rows.js'
import { comparable, differenceOf, firstCompared } from '../../../src/page/browser/state/difference.js'
import { undoPathOf } from '../../../src/page/browser/state/undo-path.js'

type Job = Parameters<typeof undoPathOf>[0]
type Step = Job['steps'][number]

const at = '2026-01-01T00:00:00.000Z'

function aStep(stepId: string, parts: Partial<Step> = {}): Step {
  return {
    stepId,
    kind: 'operation',
    state: 'Processed',
    direction: 'do',
    dependsOn: [],
    undo: { operation: `shop.un${stepId}`, whenUncertain: false },
    mayHaveActed: true,
    attention: null,
    diagnostics: [],
    outcome: null,
    round: null,
    previous: null,
    input: null,
    inputTemplate: null,
    output: null,
    ...parts,
  } as unknown as Step
}

const aJob = (steps: Step[], compensation: Job['compensation'] = null): Job =>
  ({ steps, compensation, input: { id: 1 } }) as unknown as Job

const undoing = { since: at, by: 'ada', reason: 'cancelled', thenRetry: false }

describe('the path of an undo', () => {
  const rowsOf = (job: Job) => undoPathOf(job).map(({ turn, stepId, kind }) => [turn, stepId, kind])

  it('has what depends on a step before the step, and independent steps in the same turn', () => {
    const steps = [
      aStep('reserve'),
      aStep('wait', { kind: 'sleep', undo: null, dependsOn: ['reserve'] }),
      aStep('charge', { dependsOn: ['wait'] }),
      aStep('label', { dependsOn: ['reserve'] }),
      aStep('mail', { undo: null, dependsOn: ['charge'] }),
      aStep('later', { state: 'Pending', mayHaveActed: false, dependsOn: ['mail'] }),
    ]
    expect(rowsOf(aJob(steps))).toEqual([
      [1, 'charge', 'ahead'],
      [1, 'label', 'ahead'],
      [2, 'reserve', 'ahead'],
      [null, 'mail', 'stays'],
    ])
  })

  it('says what was undone, what is being undone, what failed and why, and what is next', () => {
    const steps = [
      aStep('a'),
      aStep('b', {
        direction: 'undo',
        state: 'Error',
        dependsOn: ['a'],
        attention: { kind: 'compensationFailed', since: at, by: 'x', message: 'no account', stepId: 'b' },
      }),
      aStep('c', { direction: 'undo', state: 'Compensating', dependsOn: ['b'] }),
      aStep('d', { direction: 'undo', state: 'Compensated', dependsOn: ['c'] }),
    ]
    const rows = undoPathOf(aJob(steps, undoing))
    expect(rows.map(({ turn, stepId, kind }) => [turn, stepId, kind])).toEqual([
      [1, 'd', 'undone'],
      [2, 'c', 'undoing'],
      [3, 'b', 'failed'],
      [4, 'a', 'ahead'],
    ])
    expect(rows[2]?.what).toContain('no account')
    expect(rows[3]?.what).toContain('next in turn')
  })

  it('has a step that may have acted, unless undoUncertain is false', () => {
    const failed = { state: 'Error', mayHaveActed: true } as const
    const uncertain = { operation: 'shop.x', whenUncertain: true }
    const steps = [
      aStep('a', { ...failed, undo: uncertain }),
      aStep('b', failed),
      aStep('c', { state: 'Skipped', mayHaveActed: false }),
    ]
    expect(rowsOf(aJob(steps))).toEqual([
      [1, 'a', 'ahead'],
      [null, 'b', 'stays'],
    ])
  })
})

describe('the difference of two values', () => {
  it('lists the smallest parts that differ, with what one side does not have', () => {
    const left = { a: 1, list: [1, { x: 1 }], gone: 'x', same: [1, 2] }
    const right = { a: 2, list: [1, { x: 1, y: null }, 3], same: [1, 2] }
    expect(differenceOf(left, right)).toEqual({
      rows: [
        { path: 'a', left: '1', right: '2' },
        { path: 'list[1].y', left: null, right: 'null' },
        { path: 'list[2]', left: null, right: '3' },
        { path: 'gone', left: '"x"', right: null },
      ],
      others: 0,
      same: 4,
    })
    expect(differenceOf([1], { 0: 1 }).rows).toHaveLength(1)
    expect(differenceOf(null, null)).toEqual({ rows: [], others: 0, same: 1 })
  })

  it('is bounded, and reads values of any depth and with odd names', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`n${index}`, index]))
    expect(differenceOf(many, {})).toMatchObject({ others: 100 })
    const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(differenceOf(deep(5_000), deep(4_999)).rows).toHaveLength(1)
    expect(differenceOf({ constructor: 1 }, {}).rows).toEqual([
      { path: 'constructor', left: '1', right: null },
    ])
    expect(differenceOf('x'.repeat(5_000), 1).rows[0]?.left?.length).toBeLessThan(2_100)
  })

  it('compares two rounds first, otherwise the newest two failures, otherwise input and output', () => {
    const first = (parts: Partial<Step>) => firstCompared(comparable(aJob([]), aStep('a', parts)))
    const failure = { at, by: 'x', attempt: 1, message: 'down' }
    expect(first({})).toEqual(['Input of the step', 'Output'])
    expect(first({ diagnostics: [failure, { ...failure, attempt: 2 }] })).toEqual([
      'Failure 1 (attempt 1)',
      'Failure 2 (attempt 2)',
    ])
    expect(first({ round: { number: 3, atMost: 9 }, previous: {} })).toEqual([
      'Output of round 2',
      'Output of round 3',
    ])
  })
})

describe('the cost by step', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, number) => ({
      stepId: `step-${number}`,
      cost: { writes: 2, charge: number },
    }))

  it('lists all steps of a job in the order of its workflow, and the job', () => {
    const { rows, total } = costRows(steps(2), { writes: 3, charge: 10 })
    expect(rows.map(({ name }) => name)).toEqual(['step-0', 'step-1', 'the job itself'])
    expect(total).toEqual({ writes: 7, charge: 11 })
  })

  it('lists the most expensive steps of a large job, and the sum of the others', () => {
    const { rows, total } = costRows(steps(1_000), { writes: 3, charge: 10 })
    expect(rows).toHaveLength(52)
    expect(rows[0]).toEqual({ name: 'step-999', writes: 2, charge: 999 })
    expect(rows[50]).toEqual({ name: '950 other steps', writes: 1_900, charge: (949 * 950) / 2 })
    expect(total).toEqual({ writes: 2_003, charge: 499_510 })
  })
})
