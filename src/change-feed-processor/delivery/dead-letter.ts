import { backoffDelayMs, type Backoff } from '../../platform/internal.js'
import { identityOf, type AnyChange } from '../feed/change-identity.js'
import type { CloseReason } from './close-reason.js'
import type { ChangeContext } from '../feed/delegate.js'
import type { DeliverySite } from './delivery.js'
import { FeedError, type DelegateError } from '../feed/errors.js'

/** A change to set aside, and the error that is the reason. */
export interface Poison {
  readonly change: AnyChange
  readonly error: DelegateError
  readonly attempts: number
  readonly context: ChangeContext
}

/** The bounds of the pause between two attempts to store a change. */
const backoff: Backoff = { minMs: 500, maxMs: 30_000 }

/**
 * Sets a change aside, and retries until the change is stored. Meanwhile no checkpoint passes the change
 * (I10, F-C15). Returns null when the change is stored. If delivery ends first, returns the reason for the
 * end.
 */
export async function setAside(
  { change, error, attempts, context }: Poison,
  { runtime, signal, closing }: DeliverySite,
): Promise<CloseReason | null> {
  const { clock, random, notifications, telemetry } = runtime
  const { leaseToken } = context
  const { id } = identityOf(change)
  for (let failures = 1; ; failures += 1) {
    const stopped = closing()
    if (stopped !== null) return stopped
    try {
      await runtime.deadLetter(change, error, context)
      const on = notifications.on(leaseToken)
      telemetry.emit({ type: 'deadLetter.written', ...on, documentId: id, attempts, error })
      return null
    } catch (cause) {
      const attempted =
        `the change of document ${JSON.stringify(id)} could not be stored as a dead ` +
        'letter, so no checkpoint passes it'
      notifications.failed(leaseToken, new FeedError(attempted, cause))
      await clock.sleep(backoffDelayMs(failures, backoff, random), signal)
    }
  }
}
