import type { Alert } from './alert.js'
import { hashOf } from '../plan/payload.js'
import { postJson } from './webhook.js'

/**
 * Tells an operator what is the matter: with one job, or with many in one call where more are flagged than may be told
 * one by one. Each alert is told at least once. A sink may throw; the alerts of that call then count as not told, and are
 * sent again. If the error has a numeric `status` of 4xx other than 401, 403, 404, 408 and 429, smaller calls follow at
 * once. If it has no `status`, smaller calls follow later.
 */
export type AlertSink = (alerts: readonly Alert[], signal: AbortSignal) => Promise<void>

/**
 * Posts an alert as JSON, with its `alertId` as the `idempotency-key` header; several as
 * `{ count, message, alerts }`, with a key made of all their ids.
 */
export function alertWebhook(url: string): AlertSink {
  return (alerts, signal) => postJson(url, messageOf(alerts), signal)
}

function messageOf(alerts: readonly Alert[]) {
  const [only, ...more] = alerts
  if (only !== undefined && more.length === 0) return { body: only, idempotencyKey: only.alertId }
  const body = { count: alerts.length, message: summaryOf(alerts), alerts }
  // A repetition need not hold the same alerts, and must not be taken for the same then.
  return { body, idempotencyKey: hashOf(alerts.map(({ alertId }) => alertId).join('\n')) }
}

/** What is the matter with how many jobs, the most frequent first. */
function summaryOf(alerts: readonly Alert[]): string {
  const counts = new Map<string, number>()
  for (const { kind, stepId, workflow } of alerts) {
    const matter = `${kind}${stepId === null ? '' : ` at step ${stepId}`} of ${workflow}`
    counts.set(matter, (counts.get(matter) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return `${alerts.length} jobs need attention: ${sorted.map(([matter, count]) => `${count} × ${matter}`).join('; ')}`
}
