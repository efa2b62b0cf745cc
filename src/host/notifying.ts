import { alertWebhook, type AlertSink } from '../sas/index.js'
import {
  CosmosReplyContainers,
  replyChannel,
  type NotifierSettings,
  type ReplyChannel,
} from '../sas/internal.js'
import type { Containers } from '../connection/internal.js'

/** The receivers to which the role `notifier` sends alerts about jobs. */
export interface NotifyingSettings {
  /**
   * A URL to which every alert is posted as JSON, with an `idempotency-key` header. Many alerts at once are one
   * message. Default: none.
   */
  readonly alertWebhook?: string
  /** Additional sinks of the application. Alerts are also `alert.raised` events, which the console logger writes. */
  readonly alertSinks?: readonly AlertSink[]
  /**
   * The most calls of each sink that one instance makes in a minute. If more jobs are flagged, one call contains
   * up to 250 of them. Default 20.
   */
  readonly alertCallsPerMinute?: number
  /** The time after which an alert is raised again while its cause remains, in milliseconds. Default a day. */
  readonly remindAfterMs?: number
  /**
   * The time that a receiver of replies or alerts may take before the message is sent again, in milliseconds.
   * Default 10,000.
   */
  readonly sendTimeoutMs?: number
}

/** Returns the settings and the reply channel that only a notifier needs. */
export function notifying(
  {
    alertWebhook: url,
    alertSinks = [],
    alertCallsPerMinute,
    remindAfterMs,
    sendTimeoutMs,
  }: NotifyingSettings,
  { state }: Containers,
): NotifierSettings & { readonly channel: ReplyChannel } {
  return {
    channel: replyChannel(new CosmosReplyContainers({ database: state.database })),
    alertSinks: url === undefined ? alertSinks : [alertWebhook(url), ...alertSinks],
    ...(alertCallsPerMinute === undefined ? {} : { alertCallsPerMinute }),
    ...(remindAfterMs === undefined ? {} : { remindAfterMs }),
    ...(sendTimeoutMs === undefined ? {} : { sendTimeoutMs }),
  }
}

export function notifyingProblems(settings: NotifyingSettings): string[] {
  const { alertWebhook: url, alertCallsPerMinute, remindAfterMs, sendTimeoutMs } = settings
  const problems: string[] = []
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    problems.push(`alertWebhook ${JSON.stringify(url)} must be a URL that begins with http:// or https://`)
  }
  if (
    alertCallsPerMinute !== undefined &&
    !(Number.isInteger(alertCallsPerMinute) && alertCallsPerMinute >= 1)
  ) {
    problems.push(`alertCallsPerMinute ${alertCallsPerMinute} must be a whole number from 1`)
  }
  if (remindAfterMs !== undefined && !(remindAfterMs >= 1_000)) {
    problems.push(`remindAfterMs ${remindAfterMs} must be at least 1,000`)
  }
  if (sendTimeoutMs !== undefined && !(sendTimeoutMs >= 1)) {
    problems.push(`sendTimeoutMs ${sendTimeoutMs} must be at least 1`)
  }
  return problems
}
