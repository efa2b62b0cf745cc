import { describe, expect, it } from 'vitest'
import { withDiagnostic } from '../../../../src/sas/model/diagnostics.js'
import {
  processStates,
  schemaVersion,
  type Attention,
  type Diagnostic,
} from '../../../../src/sas/model/documents.js'
import { jobDocumentId, stepDocumentId } from '../../../../src/sas/model/document-ids.js'
import {
  deadline,
  deriveProcessState,
  isTerminal,
  withDerivedState,
} from '../../../../src/sas/model/process-state.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { aJob, aStep } from '../../../support/a-job.js'

const attention: Attention = { kind: 'error', since: '', by: 'x', message: 'no', stepId: null }
const diagnostic: Diagnostic = { at: '', by: 'x', attempt: 1, message: 'no' }

describe('a decoded document', () => {
  it('is the job or the step that was written, and keeps unknown fields', () => {
    const job = { ...aJob(), note: 'mine', _etag: '"1"' }
    expect(decodeDocument(job)).toStrictEqual({ kind: 'job', job })
    const step = { ...aStep(), note: 'mine' }
    expect(decodeDocument(step)).toStrictEqual({ kind: 'step', step })
  })

  it.each([
    {},
    { type: 'order' },
    { type: 7 },
    { type: null, schema: 99 },
    { type: 'sas' },
    { type: 'SAS.job' },
    { type: 'order', schema: 99 },
  ])('is foreign if its type is not ours: %j (F-C11)', (document) => {
    expect(decodeDocument(document)).toEqual({ kind: 'foreign' })
  })

  it.each(['sas.job', 'sas.step', 'sas.something-new'])(
    'is reported if it has a newer schema: %s (F-C10)',
    (type) => {
      const schema = schemaVersion + 1
      expect(decodeDocument({ type, schema, shape: 'unknown' })).toEqual({ kind: 'newerSchema', schema })
    },
  )

  it.each([
    ['a field is missing', { ...aJob(), fence: undefined }, /^fence: /],
    ['a field has another type', { ...aJob(), failureCount: '0' }, /^failureCount: /],
    [
      'the ledger has an unknown state',
      { ...aJob(), steps: { a: { state: 'Done', dispatch: 0 } } },
      /^steps\.a\.state: /,
    ],
    ['a step has no outcome field', { ...aStep(), outcome: undefined }, /^outcome: /],
    ['a fraction is where a whole number is wanted', { ...aStep(), dispatch: 0.5 }, /^dispatch: /],
    ['the schema is missing', { ...aStep(), schema: undefined }, /^schema: /],
    ['everything is missing', { type: 'sas.step' }, /./],
  ])('is invalid when %s (F-C9)', (_what, document, reason) => {
    expect(decodeDocument(document)).toEqual({
      kind: 'invalid',
      reason: expect.stringMatching(reason) as string,
    })
  })

  it.each([aJob({ processState: 'Processed' }), aStep({ processState: 'Error' })])(
    'is invalid when its processState contradicts its other fields (I20)',
    (document) => {
      expect(decodeDocument(document)).toEqual({
        kind: 'invalid',
        reason: `processState is ${document.processState}, but its other fields imply Pending`,
      })
    },
  )
})

describe('the derived state (R33, R37)', () => {
  const begun = { initialState: 'off', targetState: 'on', currentState: 'off', desiredState: 'on' }
  const back = { ...begun, currentState: 'on', desiredState: 'off', direction: 'undo' as const }
  const idle = { lockedBy: null, attention: null, direction: 'do' as const }
  const flag = { ...attention, kind: 'parked' as const }

  it.each([
    ['Pending', { ...begun, ...idle }],
    ['Pending', { ...begun, ...idle, desiredState: 'off' }],
    ['Pending', { ...begun, ...idle, lockedBy: 'x', desiredState: 'off' }],
    ['Pending', { ...begun, ...idle, attention: flag }],
    ['Processing', { ...begun, ...idle, lockedBy: 'x' }],
    ['Processing', { ...begun, ...idle, lockedBy: 'x', attention: flag }],
    ['Processed', { ...begun, ...idle, currentState: 'on' }],
    ['Processed', { ...begun, ...idle, lockedBy: 'x', attention, currentState: 'on' }],
    ['Error', { ...begun, ...idle, attention }],
    ['Error', { ...begun, ...idle, lockedBy: 'x', attention }],
    ['Compensating', { ...idle, ...back }],
    ['Compensating', { ...idle, ...back, lockedBy: 'x' }],
    ['Compensated', { ...idle, ...back, currentState: 'off' }],
    ['Error', { ...idle, ...back, attention }],
  ] as const)('is %s for %j', (processState, fields) => {
    expect(deriveProcessState(fields)).toBe(processState)
    const job = { ...fields, processState: 'Pending' as const, other: 1 }
    expect(withDerivedState(job)).toEqual({ ...job, processState })
  })

  it('of a copy with changes follows from the changes', () => {
    const before = { ...begun, ...idle, processState: 'Pending', other: 1 }
    const after = { ...before, currentState: 'on', processState: 'Processed' }
    expect(withDerivedState(before, { currentState: 'on' })).toEqual(after)
    expect(before).toMatchObject({ currentState: 'off', processState: 'Pending' })
  })

  it('has three final values', () => {
    const ends = processStates.filter((processState) => isTerminal({ processState }))
    expect(ends).toEqual(['Processed', 'Error', 'Compensated'])
  })
})

describe('document ids', () => {
  it.each([
    ['plain-1', 'sas.job:plain-1'],
    ['a/b\\c?d#e', 'sas.job:a~2fb~5cc~3fd~23e'],
    ['50%~', 'sas.job:50~25~7e'],
    ['a\nb\u0080', 'sas.job:a~0ab~80'],
    ['böse 🛒', 'sas.job:böse 🛒'],
  ])('escape the characters of the job id %j', (jobId, id) => {
    expect(jobDocumentId(jobId)).toBe(id)
    expect(stepDocumentId(jobId, 'pay')).toBe(`${id.replace('sas.job', 'sas.step')}:pay`)
  })

  it('differ when the jobs or the steps differ', () => {
    const ids = ['a:b', 'a', 'a/b', 'a~2fb', 'a~b'].flatMap((jobId) => [
      jobDocumentId(jobId),
      ...['b', 'c', 'b-c'].map((stepId) => stepDocumentId(jobId, stepId)),
    ])
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('a deadline', () => {
  it('is the same instant in both forms, or null in both', () => {
    expect(deadline(1_500)).toEqual({ completeBy: '1970-01-01T00:00:01.500Z', completeByMs: 1_500 })
    expect(deadline(null)).toEqual({ completeBy: null, completeByMs: null })
  })
})

describe('diagnostics', () => {
  it('are limited to the newest ten (F-A19)', () => {
    const kept = Array.from({ length: 12 }, (_, index) => index + 1).reduce<Diagnostic[]>(
      (before, attempt) => withDiagnostic(before, { ...diagnostic, attempt }),
      [],
    )
    expect(kept.map(({ attempt }) => attempt)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  it('keep 2,000 characters of each message (F-A19)', () => {
    const [kept] = withDiagnostic([], { ...diagnostic, message: 'x'.repeat(5_000_000) })
    expect(kept?.message).toBe('x'.repeat(2_000))
  })
})
