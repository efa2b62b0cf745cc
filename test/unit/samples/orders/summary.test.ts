import { expect, it } from 'vitest'
import { Observer } from '../../../../samples/orders/observer.js'
import { summarize } from '../../../../samples/orders/summary.js'
import type { JobSummary } from 'stepward'

const ledger = {
  effects: [],
  duplicateEffects: 2,
  replies: [
    { orderId: 'a', kind: 'finished' },
    { orderId: 'b', kind: 'finished' },
    { orderId: 'b', kind: 'attention' },
  ],
  misorderedReplies: 1,
  counters: { requests: 0, answeredFromMemory: 0, faults: {} },
}

function job(jobId: string, state: JobSummary['state'], seconds: number | null): JobSummary {
  const submittedAt = '2026-01-01T00:00:00.000Z'
  const endedAt = seconds === null ? null : new Date(Date.parse(submittedAt) + seconds * 1_000).toISOString()
  const ids = { jobId, orderId: jobId, partitionKey: jobId, workflow: 'w' }
  return {
    ...ids,
    state,
    submittedAt,
    endedAt,
    stepsDone: 0,
    stepCount: 3,
    attention: null,
    triage: null,
    paused: null,
    restartedAs: null,
    tags: {},
  }
}

it('the summary counts jobs that ended, and counts others as lost', () => {
  const jobs = [job('a', 'Processed', 1), job('b', 'Error', 3), job('c', 'Processing', null)]
  const findings = {
    jobs,
    ledger: ledger as never,
    elapsedMs: 4_000,
    requestUnits: 500,
    retries: 7,
    alerts: 3,
  }
  expect(summarize({ ...findings, orderIds: ['a', 'b', 'c', 'd'] })).toEqual({
    submitted: 4,
    ended: { Processed: 1, Error: 1 },
    jobsPerSecond: 0.5,
    latencyMs: { p50: 1_000, p95: 3_000 },
    requestUnitsPerJob: 125,
    retries: 7,
    lost: 2,
    duplicateEffects: 2,
    alerts: 3,
    shopToldOf: 1,
    misorderedReplies: 1,
  })
})

it('the observer counts each job once, even if its end is reported twice', async () => {
  const observer = new Observer()
  const waiting = observer.until(() => observer.endedCount === 2, new AbortController().signal)
  const finished = (jobId: string) =>
    observer.emit({ type: 'job.finished', jobId, workflow: 'w', state: 'Processed' })
  finished('a')
  finished('a')
  expect(observer.endedCount).toBe(1)
  finished('b')
  await waiting
  expect(observer.byState()).toEqual({ Processed: 2 })
})

it('the observer stops waiting when the signal aborts', async () => {
  const givingUp = new AbortController()
  let looks = 0
  const waiting = new Observer().until(() => {
    looks += 1
    return false
  }, givingUp.signal)
  givingUp.abort()
  await waiting
  expect(looks, 'given up is given up').toBe(1)
})
