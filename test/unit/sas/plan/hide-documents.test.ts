import { expect, it } from 'vitest'
import { hideDocuments, versionHider } from '../../../../src/sas/plan/hide-documents.js'
import { aJob, aStep } from '../../../support/a-job.js'

const secret = 'ZQX-9911'
const at = '2026-01-01T00:00:00.000Z'
const message = `about ${secret}`

const job = aJob({
  secrets: [
    ['input', 'card'],
    ['result', 'paid'],
  ],
  input: { card: secret, copy: [secret] },
  result: { paid: `ZQX-result` },
  outputs: { pay: { token: `ZQX-token` } },
  attention: { kind: 'error', since: at, by: 'agent', message, stepId: null },
  compensation: { since: at, by: 'ada', reason: message, thenRetry: false },
  paused: { since: at, by: 'ada', why: message },
  restartOf: { jobId: 'first', from: 'pay', at, by: 'ada', why: message },
  audit: [
    {
      command: 'resubmit',
      stepId: 'pay',
      at,
      by: 'ada',
      why: message,
      edit: {
        changes: [{ stepId: 'pay', path: 'input.card', before: null, after: `"${secret}"` }],
        others: 0,
      },
    },
  ],
})

const step = aStep({
  stepId: 'pay',
  secrets: [
    ['input', 'card'],
    ['output', 'token'],
    ['output', '*', 'code'],
    ['undo', 'token'],
  ],
  when: { operator: 'equal', of: [secret, secret] },
  input: { card: secret },
  inputTemplate: { card: secret },
  output: { token: 'ZQX-token' },
  undo: {
    actor: 'bank',
    action: 'refund',
    input: { token: 'ZQX-token' },
    inputTemplate: { token: 'ZQX-token' },
    failureCount: 0,
    whenUncertain: false,
  },
  owed: [{ generation: 1, input: { token: 'ZQX-older' } }],
  undoTemplate: { token: 'ZQX-token' },
  event: { payload: { token: 'ZQX-event' }, at, note: 'it is ZQX-event' },
  collect: { count: 2, events: [{ key: 'from ZQX-code', payload: { code: 'ZQX-code' }, at }] },
  repeat: { until: { operator: 'equal', of: [secret] }, everyMs: 1, atMost: 3 },
  round: {
    number: 2,
    first: 1,
    until: { operator: 'equal', of: [secret] },
    previous: { token: 'ZQX-round' },
  },
  progress: { note: message, at },
  asked: { title: message, assignees: [], since: at, expiresAtMs: 1 },
  diagnostics: [{ at, by: 'agent', attempt: 1, message }],
})

/** A job that has planned a step with secrets. */
const planning = {
  ...job,
  planned: [
    {
      id: 'refund',
      actor: 'bank',
      action: 'refund',
      input: { card: 'ZQX-planned', open: 'about ZQX-undone' },
      dependsOn: [],
      completeWithinMs: 1,
      maxFailures: 1,
      retryBackoff: { minMs: 1, maxMs: 1 },
      initialState: 'NotStarted',
      targetState: 'Completed',
      onExhausted: 'error' as const,
      when: { operator: 'equal', of: ['ZQX-compared'] },
      undo: { actor: 'bank', action: 'pay', input: { token: 'ZQX-undone' }, whenUncertain: false },
      repeat: { until: { operator: 'equal', of: ['ZQX-until'] }, everyMs: 1, atMost: 2 },
      secrets: [
        ['input', 'card'],
        ['undo', 'token'],
      ],
    },
  ],
}

it('the secrets of a step that has not begun are hidden in its job', () => {
  const hidden = hideDocuments(planning, [step])
  expect(JSON.stringify(hidden)).not.toContain('ZQX')
  expect(hidden.job.planned?.[0]).toMatchObject({ id: 'refund', input: { open: 'about •••• secret' } })
  expect(hidden.conceal('card ZQX-planned')).toBe('card •••• secret')
  const { secrets: _secrets, ...unmarked } = planning
  expect(JSON.stringify(hideDocuments(unmarked, []).job.planned)).not.toContain('ZQX')
  // A later plan of the step has brought the mark.
  const later = aStep({ stepId: 'refund', secrets: [['input', 'open']] })
  const versions = versionHider([{ ...planning, secrets: [] }], [later], { areAllKnown: true })
  expect(versions.job(planning)).toMatchObject({ planned: [{ input: { open: '•••• secret' } }] })
})

it('every field in which a secret may be is hidden, and the rest stays', () => {
  expect(JSON.stringify([job, step])).toContain('ZQX')
  const hidden = hideDocuments(job, [step])
  expect(JSON.stringify(hidden)).not.toContain('ZQX')
  expect(hidden.job.input).toEqual({ card: '•••• secret', copy: ['•••• secret'] })
  expect(hidden.steps[0]).toMatchObject({
    stepId: 'pay',
    diagnostics: [{ message: 'about •••• secret', by: 'agent' }],
  })
  expect(hidden.conceal(`at ${secret}`)).toBe('at •••• secret')
})

it('documents without secrets are returned as they are', () => {
  const plain = { job: aJob({}), step: aStep({}) }
  const { job: sameJob, steps } = hideDocuments(plain.job, [plain.step])
  expect([sameJob, steps[0]]).toEqual([plain.job, plain.step])
  expect(sameJob).toBe(plain.job)
})

it('a version without marks is hidden by the marks of another, and whole messages if secrets are unknown', () => {
  const old = aStep({ stepId: 'pay', input: { card: 'ZQX-old' } })
  const told = { ...old, diagnostics: [{ at, by: 'agent', attempt: 1, message: 'about a lost value' }] }
  const known = versionHider([job], [step, told], { areAllKnown: true })
  expect(JSON.stringify([known.job(job), known.step(told)])).not.toContain('ZQX')
  expect(known.step(told).diagnostics).toEqual(told.diagnostics)
  const { diagnostics } = versionHider([job], [step, told], { areAllKnown: false }).step(told)
  expect(diagnostics).toEqual([{ at, by: 'agent', attempt: 1, message: '•••• secret' }])
  const plain = aStep({})
  expect(versionHider([aJob()], [plain], { areAllKnown: false }).step(plain)).toBe(plain)
})
