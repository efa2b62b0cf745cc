import Table from 'cli-table3'
import type { Alert, JobSummary } from 'stepward'
import type { LedgerReport } from './services/index.js'

/** The result of a run, which `--json` prints unchanged. */
export interface Summary {
  /** The number of accepted orders. */
  readonly submitted: number
  /** The number of jobs in each final state. */
  readonly ended: Readonly<Record<string, number>>
  readonly jobsPerSecond: number
  /** The time from the submission of a job to its end, according to the documents. */
  readonly latencyMs: { readonly p50: number; readonly p95: number }
  /** All request units of the run, divided by the number of accepted orders. */
  readonly requestUnitsPerJob: number
  /** The number of attempts that failed or missed their deadline, and that the supervisor recovered. */
  readonly retries: number
  /** The number of accepted orders whose job has not ended. */
  readonly lost: number
  /** See {@link LedgerReport.duplicateEffects}. */
  readonly duplicateEffects: number
  readonly alerts: number
  /** The number of orders whose end was reported to the shop, according to the services' ledger. */
  readonly shopToldOf: number
  readonly misorderedReplies: number
}

/** The sources of a summary: the store's documents, the services' ledger, and the measurements of the run. */
export interface Findings {
  readonly orderIds: readonly string[]
  readonly jobs: readonly JobSummary[]
  readonly ledger: LedgerReport
  readonly elapsedMs: number
  readonly requestUnits: number
  readonly retries: number
  readonly alerts: number
}

export function summarize(findings: Findings): Summary {
  const { orderIds, jobs, ledger, elapsedMs, requestUnits, retries, alerts } = findings
  const byId = new Map(jobs.map((job) => [job.jobId, job]))
  const ended: Record<string, number> = {}
  const latencies: number[] = []
  let lost = 0
  for (const orderId of orderIds) {
    const job = byId.get(orderId)
    if (job?.endedAt === undefined || job.endedAt === null) {
      lost += 1
      continue
    }
    ended[job.state] = (ended[job.state] ?? 0) + 1
    latencies.push(Date.parse(job.endedAt) - Date.parse(job.submittedAt))
  }
  latencies.sort((a, b) => a - b)
  const count = Math.max(1, orderIds.length)
  return {
    submitted: orderIds.length,
    ended,
    jobsPerSecond: rounded((latencies.length * 1_000) / Math.max(1, elapsedMs)),
    latencyMs: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
    requestUnitsPerJob: rounded(requestUnits / count),
    retries,
    lost,
    duplicateEffects: ledger.duplicateEffects,
    alerts,
    shopToldOf: toldOf(orderIds, ledger),
    misorderedReplies: ledger.misorderedReplies,
  }
}

export function describe(summary: Summary): string {
  const { ended, latencyMs } = summary
  const table = new Table({ style: { head: [], border: [] } })
  table.push(
    { 'orders accepted': summary.submitted },
    ...Object.entries(ended).map(([state, jobs]) => ({ [`ended ${state}`]: jobs })),
    { 'not ended': summary.lost },
    { 'jobs per second': summary.jobsPerSecond },
    { 'latency p50 / p95': `${latencyMs.p50} / ${latencyMs.p95} ms` },
    { 'request units per job': summary.requestUnitsPerJob },
    { 'attempts retried': summary.retries },
    { 'duplicate effects': summary.duplicateEffects },
    { 'alerts to the operator': summary.alerts },
    { 'notices to the shop': summary.shopToldOf },
  )
  return table.toString()
}

export function describeAlerts(alerts: readonly Alert[]): string {
  return alerts.map(({ jobId, message }) => `alert: ${jobId}: ${message}`).join('\n')
}

/** Counts the orders whose last reply reports the end of the order. */
function toldOf(orderIds: readonly string[], { replies }: LedgerReport): number {
  const lastKinds = new Map(replies.map(({ orderId, kind }) => [orderId, kind]))
  return orderIds.filter((orderId) => lastKinds.get(orderId) === 'finished').length
}

/** Returns the smallest value that is at least as large as the given share of the sorted values. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
