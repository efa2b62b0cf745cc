import type { Alert } from './alert.js'
import { postJson } from './webhook.js'

/**
 * Tells an operator. Called at least once for everything that is the matter, perhaps again; may throw, and is then
 * called again later.
 */
export type AlertSink = (alert: Alert, signal: AbortSignal) => Promise<void>

/** Posts alerts as JSON, each with its `alertId` as the `idempotency-key` header. */
export function alertWebhook(url: string): AlertSink {
  return (alert, signal) => postJson(url, { body: alert, idempotencyKey: alert.alertId }, signal)
}
