import { expect, it } from 'vitest'
import { Observer } from '../../../../samples/orders/observer.js'
import { summarize } from '../../../../samples/orders/summary.js'
import type { JobSummary } from 'stepward'

const ledger = {
  effects: [],
  duplicateEffects: 2,
  counters: { requests: 0, answeredFromMemory: 0, faults: {} },
}

function job(jobId: string, state: JobSummary['state'], seconds: number | null): JobSummary {
  const submittedAt = '2026-01-01T00:00:00.000Z'
  const endedAt = seconds === null ? null : new Date(Date.parse(submittedAt) + seconds * 1_000).toISOString()
  const ids = { jobId, orderId: jobId, partitionKey: jobId, workflow: 'w' }
  return { ...ids, state, submittedAt, endedAt, stepsDone: 0, stepCount: 3, attention: null }
}

it('counts what ended, what did not, and what was never there as lost', () => {
  const jobs = [job('a', 'Processed', 1), job('b', 'Error', 3), job('c', 'Processing', null)]
  const findings = { jobs, ledger: ledger as never, elapsedMs: 4_000, requestUnits: 500, retries: 7 }
  expect(summarize({ ...findings, orderIds: ['a', 'b', 'c', 'd'] })).toEqual({
    submitted: 4,
    ended: { Processed: 1, Error: 1 },
    jobsPerSecond: 0.5,
    latencyMs: { p50: 1_000, p95: 3_000 },
    requestUnitsPerJob: 125,
    retries: 7,
    lost: 2,
    duplicateEffects: 2,
  })
})

it('hears each job once, however often its end is told', async () => {
  const observer = new Observer()
  const waiting = observer.until(2, new AbortController().signal)
  const finished = (jobId: string) =>
    observer.emit({ type: 'job.finished', jobId, workflow: 'w', state: 'Processed' })
  finished('a')
  finished('a')
  expect(observer.endedCount).toBe(1)
  finished('b')
  expect(await waiting).toBe(2)
})

it('gives up waiting when told to', async () => {
  const givingUp = new AbortController()
  const waiting = new Observer().until(1, givingUp.signal)
  givingUp.abort()
  expect(await waiting).toBe(0)
})
