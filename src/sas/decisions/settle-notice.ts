import { backoffDelayMs, type Backoff, type Random } from '../../platform/index.js'
import { boundedMessage } from '../model/diagnostics.js'
import type { NoticeDocument } from '../model/documents.js'

/** What became of sending a notice. */
export type Delivery =
  | { readonly kind: 'sent' }
  /** Not now: the receiver was not reached, or did not take it. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Never: the host has no way to send there. */
  | { readonly kind: 'impossible'; readonly reason: string }

/** How long a receiver is waited for. */
export interface NoticeRetry {
  readonly backoff: Backoff
  /** Tries before a notice is given up and those after it go on. */
  readonly maxTries: number
}

/** From a second to a quarter of an hour: a receiver that is gone for four hours misses nothing. */
export const defaultNoticeRetry: NoticeRetry = { backoff: { minMs: 1_000, maxMs: 900_000 }, maxTries: 30 }

/** How long a notice is kept after it was sent, in seconds: long enough to look into, then it goes (F-N5). */
const keptWhenSentSeconds = 86_400

/**
 * W11: the notice after a try. Sent, it begins to expire; else it is due again later, and at last it is given up, which
 * an operator sees. The job's state is its own and is never touched (F-N3).
 */
export function settleNotice(
  notice: NoticeDocument,
  delivery: Delivery,
  at: {
    readonly now: number
    readonly by: string
    readonly random: Random
    readonly retry: NoticeRetry
  },
): NoticeDocument {
  const since = new Date(at.now).toISOString()
  if (delivery.kind === 'sent') {
    return { ...notice, sentAt: since, completeByMs: null, attention: null, ttl: keptWhenSentSeconds }
  }
  const failureCount = notice.failureCount + 1
  if (delivery.kind === 'failed' && failureCount < at.retry.maxTries) {
    const completeByMs = at.now + backoffDelayMs(failureCount, at.retry.backoff, at.random)
    return { ...notice, failureCount, completeByMs }
  }
  const attention = {
    kind: 'notify' as const,
    since,
    by: at.by,
    message: boundedMessage(delivery.reason),
  }
  return { ...notice, failureCount, completeByMs: null, attention }
}
