import {
  alertWebhook,
  CosmosReplyContainers,
  replyChannel,
  type AlertSink,
  type NotifierSettings,
  type ReplyChannel,
} from '../sas/index.js'
import type { Containers } from '../connection/containers.js'

/** The receivers to which the role `notifier` sends alerts about jobs. */
export interface NotifyingSettings {
  /** A URL to which every alert is posted as JSON, with an `idempotency-key` header; many at once as one message. Default: nowhere. */
  readonly alertWebhook?: string
  /** Sinks of your own, beside that. Alerts are also `alert.raised` events, which the console logger writes. */
  readonly alertSinks?: readonly AlertSink[]
  /**
   * How often one instance calls each of them in a minute, at most. Where more jobs are flagged than that, one call tells
   * of up to 250 of them. Default 20.
   */
  readonly alertCallsPerMinute?: number
  /** After how long an alert is raised again while the same is still the matter, in milliseconds. Default a day. */
  readonly remindAfterMs?: number
  /** How long a receiver of replies or alerts may take before it is tried again, in milliseconds. Default 10,000. */
  readonly sendTimeoutMs?: number
}

/** What a notifier needs beside what every unit has. */
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

/** Everything that is wrong with these settings. */
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
