import Table from 'cli-table3'
import type { Alert, JobSummary } from 'stepward'
import type { LedgerReport } from './services/index.js'

/** What a run came to; printed as it is with `--json`. */
export interface Summary {
  /** Orders accepted. */
  readonly submitted: number
  /** Jobs by end state. */
  readonly ended: Readonly<Record<string, number>>
  readonly jobsPerSecond: number
  /** From submission to end, by the documents. */
  readonly latencyMs: { readonly p50: number; readonly p95: number }
  /** Everything asked of the store, divided by the jobs: submission, three feeds, leases. */
  readonly requestUnitsPerJob: number
  /** Attempts that failed and were made good. */
  readonly retries: number
  /** Accepted orders that have no ended job. */
  readonly lost: number
  /** Effects beyond one per idempotency key or order, by the services' own ledger. */
  readonly duplicateEffects: number
  /** Jobs of which the operator was alerted. */
  readonly alerts: number
  /** Orders of whose end the shop was told, as the job's `replyTo`, by the shop's own ledger. */
  readonly shopToldOf: number
  /** Replies that came to the shop out of their order. */
  readonly misorderedReplies: number
}

/** What the summary is made of: the store's documents, the services' ledger, and what the run measured. */
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

/** The summary for people. */
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
    { 'operator alerted of': summary.alerts },
    { 'shop told of': summary.shopToldOf },
  )
  return table.toString()
}

/** What the operator was alerted of. */
export function describeAlerts(alerts: readonly Alert[]): string {
  return alerts.map(({ jobId, message }) => `alert: ${jobId}: ${message}`).join('\n')
}

/** The last word about an order must be how it ended. */
function toldOf(orderIds: readonly string[], { replies }: LedgerReport): number {
  const lastKinds = new Map(replies.map(({ orderId, kind }) => [orderId, kind]))
  return orderIds.filter((orderId) => lastKinds.get(orderId) === 'finished').length
}

/** The smallest value that a share of the sorted values does not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
