import { describe, expect, it } from 'vitest'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { intended, stage, submit } from '../../../../src/sas/submission/submit.js'
import { aSubmission, aWorkflow, documentsOf, submittedAtMs, theStep } from '../../../support/a-job.js'

const { plan } = aWorkflow({ reserve: [], ship: ['reserve'] }, { completeWithin: '30s', retry: { tries: 2 } })
const order = { id: 'order-1', pk: 'customer-1', total: 3 }
const request = aSubmission(plan, {
  partition: 'customer-1',
  input: { total: 3 },
  alongside: [order],
  priority: 2,
  replyTo: 'queue',
})

/** The fields that R18 requires of every job and step. */
const initial = {
  lockedBy: null,
  completeBy: null,
  completeByMs: null,
  processState: 'Pending',
  failureCount: 0,
}

describe('a submission', () => {
  it('creates the order, the job and every step in one group (R16, R19)', () => {
    const writes = submit(request)
    expect(writes.map(({ kind }) => kind)).toEqual(Array(5).fill('create'))
    expect(writes.map(({ document }) => [document.pk, document.id])).toEqual([
      ['customer-1', 'order-1'],
      ['customer-1', 'sas.job:job-1'],
      ['customer-1', `sas.notify:job-1:${request.now}:1`],
      ['customer-1', 'sas.step:job-1:reserve'],
      ['customer-1', 'sas.step:job-1:ship'],
    ])
    expect(writes[0]?.document).toBe(order)
  })

  it('writes a job with its intent and its ledger, not yet begun (R17, R18, R21, R30, R36, R40)', () => {
    expect(documentsOf(submit(request)).job).toStrictEqual({
      ...initial,
      id: 'sas.job:job-1',
      pk: 'customer-1',
      type: 'sas.job',
      schema: 1,
      jobId: 'job-1',
      orderId: 'order-1',
      workflow: 'shopping',
      workflowVersion: 1,
      initialState: 'NotStarted',
      targetState: 'Completed',
      currentState: 'NotStarted',
      desiredState: 'Completed',
      fence: 0,
      maxFailures: 1,
      generation: 1,
      diagnostics: [],
      attention: null,
      ttl: -1,
      priority: 2,
      replyTo: 'queue',
      notifySeq: 1,
      stepIds: ['reserve', 'ship'],
      steps: {
        reserve: { state: 'NotStarted', dispatch: 0 },
        ship: { state: 'NotStarted', dispatch: 0 },
      },
      onExhausted: 'error',
      maxGenerations: 3,
      compensation: null,
      completeWithinMs: null,
      endByMs: null,
      retainForMs: null,
      audit: [],
      input: { total: 3 },
      payloadHash: 'hash',
      planHash: null,
      submittedAt: '2026-01-01T00:00:00.000Z',
      submittedAtMs,
      endedAt: null,
      endedAtMs: null,
    })
  })

  it('writes steps whose desired state is still NotStarted (R18, R20, R35, R39)', () => {
    expect(theStep(documentsOf(submit(request)).steps, 'ship')).toStrictEqual({
      ...initial,
      priority: 2,
      id: 'sas.step:job-1:ship',
      pk: 'customer-1',
      type: 'sas.step',
      schema: 1,
      jobId: 'job-1',
      orderId: 'order-1',
      workflow: 'shopping',
      workflowVersion: 1,
      initialState: 'NotStarted',
      targetState: 'Completed',
      currentState: 'NotStarted',
      desiredState: 'NotStarted',
      fence: 0,
      maxFailures: 2,
      generation: 1,
      diagnostics: [],
      attention: null,
      ttl: -1,
      stepId: 'ship',
      kind: 'operation',
      when: null,
      event: null,
      direction: 'do',
      undo: null,
      onExhausted: 'error',
      notBeforeMs: null,
      actor: 'shop',
      action: 'sell',
      dependsOn: ['reserve'],
      inputTemplate: { item: 'ship' },
      input: null,
      completeWithinMs: 30_000,
      retryBackoff: { minMs: 1_000, maxMs: 60_000 },
      dispatch: 0,
      attempt: 0,
      idempotencyKey: 'job-1/ship/g1/do',
      isClaimRequired: false,
      lateDispatches: 0,
      claim: null,
      outcome: null,
      mayHaveActed: false,
      owed: [],
      undoTemplate: null,
      firstBy: null,
      output: null,
    })
  })

  it('writes no deadline, whatever the submitter’s clock says (F-S12)', () => {
    for (const now of [0, submittedAtMs + 3_600_000]) {
      const { job, steps } = documentsOf(submit({ ...request, now }))
      for (const document of [job, ...steps.values()]) {
        expect(document).toMatchObject({ completeBy: null, completeByMs: null })
      }
    }
  })

  it('writes every instant in UTC with milliseconds (F-X21)', () => {
    const text = JSON.stringify(submit(request).map(({ document }) => document))
    const instants = text.match(/\d{4}-\d\d-\d\dT[^"]*/g) ?? []
    expect(instants.length).toBeGreaterThan(0)
    for (const instant of instants) expect(instant).toMatch(/T\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('writes only documents that can be read again', () => {
    const kinds = submit(request).map(({ document }) => decodeDocument(document).kind)
    expect(kinds).toEqual(['foreign', 'job', 'notice', 'step', 'step'])
  })
})

describe('a submission in stages (F-S7)', () => {
  const staged = stage(request, 'plan-hash')

  it('has everything that one transaction would write, except the intent', () => {
    const { job, steps } = documentsOf(submit(request))
    expect(staged.steps).toEqual([...steps.values()])
    expect(staged.alongside).toEqual([order])
    expect(staged.received).toMatchObject([{ kind: 'received', seq: 1 }])
    expect(staged.job).toEqual({
      ...job,
      planHash: 'plan-hash',
      desiredState: 'NotStarted',
    })
  })

  it('gets its intent last, and its submission time with it', () => {
    const later = submittedAtMs + 7_000
    expect(intended(staged.job, later)).toEqual({
      ...staged.job,
      desiredState: 'Completed',
      submittedAt: '2026-01-01T00:00:07.000Z',
      submittedAtMs: later,
    })
  })
})

it('a submission without replyTo writes no notice, and its steps carry their undo', () => {
  const undone = aSubmission(aWorkflow({ sell: [] }, { undo: true }).plan)
  expect(stage(undone, 'hash').received).toEqual([])
  const { job, steps } = documentsOf(submit(undone))
  expect(submit(undone)).toHaveLength(2)
  expect(job.notifySeq).toBe(0)
  expect(theStep(steps, 'sell').undo).toStrictEqual({
    actor: 'shop',
    action: 'takeBack',
    inputTemplate: { item: 'sell', sold: { $from: ['steps', 'sell', 'output'] } },
    input: null,
    failureCount: 0,
    whenUncertain: true,
  })
  const { steps: without } = documentsOf(submit(aSubmission(aWorkflow({ sell: [] }).plan)))
  expect(theStep(without, 'sell').undo).toBeNull()
})
