import type { Random } from '../../platform/index.js'
import { backoffDelayMs, type ResolvedRetry } from '../../platform/internal.js'
import { boundedMessage } from '../model/diagnostics.js'
import type { NoticeDocument } from '../model/documents.js'

/** The result of a try to send a notice. */
export type SendResult =
  | { readonly kind: 'sent' }
  /** The receiver could not be reached, or did not accept the notice. A later try may succeed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The host has no way to send to this receiver, so no try can succeed. */
  | { readonly kind: 'impossible'; readonly reason: string }

/** The time, in seconds, after which a sent notice expires (F-N5). Until then it can be inspected. */
const keptWhenSentSeconds = 86_400

/**
 * Returns the notice to write after a try (W11). A sent notice begins to expire. A notice that was not sent
 * is due again later. After its last try, the notice is given up and flagged for an operator. The state of
 * the job never changes (F-N3).
 */
export function settleNotice(
  notice: NoticeDocument,
  result: SendResult,
  at: {
    readonly now: number
    readonly by: string
    readonly random: Random
    /**
     * The tries and their back-off. After the last try, the notice is given up, and later notices are sent.
     */
    readonly retry: ResolvedRetry
  },
): NoticeDocument {
  const since = new Date(at.now).toISOString()
  if (result.kind === 'sent') {
    return { ...notice, sentAt: since, completeByMs: null, attention: null, ttl: keptWhenSentSeconds }
  }
  const failureCount = notice.failureCount + 1
  if (result.kind === 'failed' && failureCount < at.retry.tries) {
    const completeByMs = at.now + backoffDelayMs(failureCount, at.retry.backoff, at.random)
    return { ...notice, failureCount, completeByMs }
  }
  const attention = {
    kind: 'notify' as const,
    since,
    by: at.by,
    message: boundedMessage(result.reason),
  }
  return { ...notice, failureCount, completeByMs: null, attention }
}
