import { describe, expect, it } from 'vitest'
import type { LedgerEntry, StepDocument } from '../../../../src/sas/model/documents.js'
import { isUnderWay, sameLedger, stepsAsIn, withStates } from '../../../../src/sas/decisions/ledger.js'
import { aStep } from '../../../support/a-job.js'

describe('`stepsAsIn`', () => {
  const jobOf = (state: LedgerEntry['state'], dispatch = 1) => ({
    stepIds: ['first', 'last'],
    steps: { last: { state: 'NotStarted' as const, dispatch: 0 }, first: { state, dispatch } },
  })
  const stepsOf = (first: Partial<StepDocument>): ReadonlyMap<string, StepDocument> =>
    new Map([
      ['last', aStep({ stepId: 'last' })],
      ['first', aStep({ stepId: 'first', dispatch: 1, ...first })],
    ])

  it.each([
    ['Processed', 'Processed'],
    ['Error', 'Error'],
    ['Compensated', 'Compensated'],
    ['CompensationFailed', 'Error'],
    ['Failed', 'Error'],
    ['TimedOut', 'Error'],
    ['Refused', 'Error'],
  ] as const)(
    'returns all steps in the order of the workflow when they agree with a ledger entry of %s',
    (state, looks) => {
      const steps = stepsOf({ processState: looks })
      expect(stepsAsIn(jobOf(state), steps)).toEqual([steps.get('first'), steps.get('last')])
    },
  )

  it('returns null when a step is missing', () => {
    const steps = new Map([['last', aStep({ stepId: 'last' })]])
    expect(stepsAsIn(jobOf('Processed'), steps)).toBeNull()
  })

  it('returns null when a step is known only from before its attempt ended', () => {
    expect(stepsAsIn(jobOf('Processed'), stepsOf({ processState: 'Processing' }))).toBeNull()
  })

  it('returns null when a step is not in the ledger', () => {
    const job = { ...jobOf('Processed'), stepIds: ['first', 'last', 'unknown'] }
    const steps = stepsOf({ processState: 'Processed' })
    expect(stepsAsIn(job, new Map([...steps, ['unknown', aStep({ stepId: 'unknown' })]]))).toBeNull()
  })

  it('returns null when a step is known only from an earlier dispatch', () => {
    expect(stepsAsIn(jobOf('Processed', 2), stepsOf({ processState: 'Processed' }))).toBeNull()
  })
})

it('a step that is not in a ledger is not under way, and makes two ledgers differ', () => {
  expect(isUnderWay(undefined)).toBe(false)
  const entry = { state: 'Processing', dispatch: 1 } as const
  expect(sameLedger({}, { a: entry })).toBe(false)
  expect(sameLedger({ a: entry }, { a: { ...entry } })).toBe(true)
  expect(sameLedger({ a: entry }, { a: { ...entry, dispatch: 2 } })).toBe(false)
  expect(sameLedger({ a: entry }, { a: { ...entry, state: 'Processed' } })).toBe(false)
})

it('`withStates` changes the state of the named steps, and of no other step', () => {
  const entry: LedgerEntry = { state: 'Processed', dispatch: 1 }
  expect(withStates({ a: entry, b: entry }, ['a'], 'NotStarted')).toEqual({
    a: { state: 'NotStarted', dispatch: 1 },
    b: entry,
  })
})
