import type { Alert } from './alert.js'
import { hashOf } from '../plan/payload.js'
import { postJson } from './webhook.js'

/**
 * Sends alerts to an operator. A call contains one alert, or many if more jobs are flagged than the limit of
 * calls allows. Each alert is sent at least once. If a sink throws, the alerts of that call are sent again.
 * After an error with a numeric `status` of 4xx, except 401, 403, 404, 408 and 429, smaller calls follow
 * immediately. After an error without `status`, smaller calls follow later.
 */
export type AlertSink = (alerts: readonly Alert[], signal: AbortSignal) => Promise<void>

/**
 * Returns a sink that posts an alert as JSON, with its `alertId` as the `idempotency-key` header. Several
 * alerts are posted as `{ count, message, alerts }`, with a key that depends on all their ids.
 */
export function alertWebhook(url: string): AlertSink {
  return (alerts, signal) => postJson(url, messageOf(alerts), signal)
}

function messageOf(alerts: readonly Alert[]) {
  const [only, ...more] = alerts
  if (only !== undefined && more.length === 0) return { body: only, idempotencyKey: only.alertId }
  const body = { count: alerts.length, message: summaryOf(alerts), alerts }
  // The key depends on all ids, because a repeated call may contain other alerts.
  return { body, idempotencyKey: hashOf(alerts.map(({ alertId }) => alertId).join('\n')) }
}

/** Returns the number of jobs for each kind of problem, the most frequent problem first. */
function summaryOf(alerts: readonly Alert[]): string {
  const counts = new Map<string, number>()
  for (const { kind, stepId, workflow } of alerts) {
    const problem = `${kind}${stepId === null ? '' : ` at step ${stepId}`} of ${workflow}`
    counts.set(problem, (counts.get(problem) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return (
    `${alerts.length} jobs need attention: ` +
    sorted.map(([problem, count]) => `${count} × ${problem}`).join('; ')
  )
}
