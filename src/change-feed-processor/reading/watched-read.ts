import { noticingLate } from '../../platform/internal.js'
import type { ChangePage, FeedPosition, ReadOptions } from '../feed/change-feed.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { Runtime } from '../runtime/runtime.js'
import { calledWithin } from '../delivery/time-limit.js'

/**
 * The time after which a read counts as unanswered. This time is longer than any successful answer takes, and
 * shorter than the time for which a client silently retries throttled requests.
 */
const unansweredMs = 5_000

/** The longest time of a read, which is a little more than a client's silent retries may need. */
const readTimeoutMs = 65_000

/**
 * Reads a page, and reports the retries and waits that the client hides. `@azure/cosmos` silently retries a
 * throttled request up to nine times, and cannot be interrupted. The last wait begins up to 30 seconds after
 * the first wait. This function rejects after `readTimeoutMs`, and immediately when `signal` aborts.
 */
export async function watchedRead(
  { readPage, clock, telemetry, notifications }: Runtime,
  from: FeedPosition,
  { leaseToken, signal, maxItemCount, emptyWithinMs = 0 }: ReadOptions & { readonly leaseToken: string },
): Promise<ChangePage<AnyChange>> {
  const on = notifications.on(leaseToken)
  const reading = calledWithin((ending) => readPage(from, { maxItemCount, emptyWithinMs, signal: ending }), {
    clock,
    signal,
    limitMs: readTimeoutMs,
    what: 'a read of the change feed',
  })
  const page = await noticingLate(clock, unansweredMs, reading, () => {
    telemetry.emit({ type: 'feed.unanswered', ...on, waitedMs: unansweredMs })
  })
  const { changes, charge, headers } = page
  const retries = Number(headers['x-ms-throttle-retry-count'] ?? 0)
  const waitedMs = Number(headers['x-ms-throttle-retry-wait-time-ms'] ?? 0)
  if (retries > 0) telemetry.emit({ type: 'feed.throttled', ...on, retries, waitedMs })
  telemetry.emit({ type: 'feed.polled', ...on, count: changes.length, charge })
  return page
}
