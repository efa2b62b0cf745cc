import { describe, expect, it } from 'vitest'
import {
  currentKey,
  idempotencyKey,
  isBehind,
  isHeldBack,
  isWaiting,
  mayHaveEffect,
  withFailure,
  workOf,
} from '../../../../src/sas/model/work.js'
import { aStep } from '../../../support/a-job.js'
import { JobStory, success } from '../../../support/job-story.js'

const done = JobStory.submitted({ pay: [] }, { undo: true }).scheduled().settled('pay', success).step('pay')
const goingBack = { ...done, direction: 'undo' as const }

describe('the work of a step', () => {
  it('is its operation, or in the direction of undo its undo if it has one', () => {
    expect(workOf(done)).toMatchObject({ actor: 'shop', action: 'sell' })
    expect(workOf(goingBack)).toMatchObject({ actor: 'shop', action: 'takeBack' })
    expect(workOf({ ...goingBack, undo: null })).toMatchObject({ action: 'sell' })
  })

  it('counts failures separately for each direction (I4, R111)', () => {
    const forward = withFailure(withFailure(done))
    expect(forward).toStrictEqual({ ...done, failureCount: 2 })
    const back = withFailure({ ...forward, direction: 'undo' })
    expect(back).toMatchObject({ failureCount: 2, undo: { failureCount: 1, action: 'takeBack' } })
    expect(withFailure({ ...forward, direction: 'undo', undo: null }).failureCount).toBe(3)
  })

  it('has its own key for each job, step, generation and direction (I9)', () => {
    const keys = [
      idempotencyKey({ jobId: 'a', stepId: 's' }, 1, 'do'),
      idempotencyKey({ jobId: 'b', stepId: 's' }, 1, 'do'),
      idempotencyKey({ jobId: 'a', stepId: 't' }, 1, 'do'),
      idempotencyKey({ jobId: 'a', stepId: 's' }, 2, 'do'),
      idempotencyKey({ jobId: 'a', stepId: 's' }, 1, 'undo'),
    ]
    expect(keys[0]).toBe('a/s/g1/do')
    expect(new Set(keys).size).toBe(5)
  })

  it('has the key of its generation, or for an undo that of the newest generation left', () => {
    const fourth = { ...done, generation: 4 }
    const owed = [1, 2, 3].map((generation) => ({ generation, input: null }))
    expect(currentKey({ ...fourth, owed })).toBe('job-1/pay/g4/do')
    expect(currentKey({ ...fourth, owed, direction: 'undo' })).toBe('job-1/pay/g3/undo')
    expect(currentKey({ ...fourth, owed: [], direction: 'undo' })).toBe('job-1/pay/g4/undo')
  })

  it('may have had an effect unless its only call was refused for good (F-A20)', () => {
    const outcome = { kind: 'permanent', attempt: 1, at: '', by: 'x', didNothing: true } as const
    expect(mayHaveEffect(outcome)).toBe(false)
    expect(mayHaveEffect({ ...outcome, didNothing: false })).toBe(true)
    expect(mayHaveEffect({ ...outcome, kind: 'failed' })).toBe(true)
  })

  it('is held back before its time, and while it is parked', () => {
    expect(isHeldBack(aStep(), 0)).toBe(false)
    expect(isHeldBack(aStep({ notBeforeMs: 10 }), 9)).toBe(true)
    expect(isHeldBack(aStep({ notBeforeMs: 10 }), 10)).toBe(false)
    const attention = { kind: 'parked' as const, since: 'then', by: 'x', message: 'waits', stepId: 'only' }
    expect(isHeldBack(aStep({ attention }), 0)).toBe(true)
    expect(isHeldBack(aStep({ attention: { ...attention, kind: 'extendedWait' } }), 0)).toBe(false)
  })
})

it.each([
  ['parked', true],
  ['extendedWait', true],
  ['unclaimed', false],
] as const)('a step that was flagged as %s waits for an operator or a long time: %s', (kind, isIt) => {
  expect(isWaiting({ ...done, attention: { kind, since: '', by: 'one', message: 'm', stepId: null } })).toBe(
    isIt,
  )
  expect(isWaiting({ ...done, attention: null })).toBe(false)
})

it.each([
  ['Processed', true],
  ['Skipped', true],
  ['Failed', true],
  ['TimedOut', true],
  ['Refused', true],
  ['Error', false],
  ['Processing', false],
  ['Compensated', false],
] as const)('the steps that depend on one in state %s may begin: %s', (state, may) => {
  expect(isBehind({ state, dispatch: 1 })).toBe(may)
  expect(isBehind(undefined)).toBe(false)
})
