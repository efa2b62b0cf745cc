import type { ReadPage } from './page-positions.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { CloseReason } from './close-reason.js'
import type { ChangeContext } from '../feed/delegate.js'
import type { LeaseHolder } from '../lease-holding/lease-holder.js'
import type { Progress } from './progress.js'
import type { Runtime } from '../runtime/runtime.js'

/** The next action of a lease's supervisor after a page. */
export type AfterPage =
  /** Read the next page. */
  | { readonly kind: 'readOn' }
  /** Read again all changes that were not reported as handled. */
  | { readonly kind: 'readAgain' }
  | { readonly kind: 'close'; readonly closing: CloseReason }

/** Delivers the pages of one lease to the user's delegate. Reports handled changes to {@link Progress}. */
export interface Delivery {
  /** Resolves when the next page may be read. */
  deliver(page: ReadPage): Promise<AfterPage>
  /** Resolves with null when all delivered changes were handled, or with the reason why delivery ended. */
  settled(): Promise<CloseReason | null>
  /** Resolves when the delegate no longer runs. Called when no new changes will be delivered. */
  ended(): Promise<void>
}

/** The services that the delivery of one lease uses. */
export interface DeliverySite {
  readonly runtime: Runtime
  readonly holder: LeaseHolder
  readonly progress: Progress
  /** Aborts when the lease is lost or the processor stops. */
  readonly signal: AbortSignal
  /** Returns the reason why no more changes may be delivered, or null while delivery continues. */
  readonly closing: () => CloseReason | null
  /** Ends the pause between two reads, because the delivery has found a reason to close the lease. */
  readonly wake: () => void
}

/** Returns the fields that all contexts of one page share. */
export function contextOf({ holder }: DeliverySite, { page }: ReadPage, signal: AbortSignal): ChangeContext {
  const { leaseToken, feedRange } = holder.lease
  const { charge, sessionToken, headers, diagnostics } = page
  const wasHeldAt = (_ts: number): boolean => holder.wasHeldAt(_ts)
  return {
    leaseToken,
    feedRange,
    requestCharge: charge,
    sessionToken,
    headers,
    diagnostics,
    signal,
    wasHeldAt,
  }
}

/** Reports to telemetry that all changes of a page were handled. */
export function reportDelivered(
  { runtime, holder }: DeliverySite,
  changes: readonly AnyChange[],
  charge: number,
): void {
  const { telemetry, notifications } = runtime
  const on = notifications.on(holder.lease.leaseToken)
  telemetry.emit({ type: 'page.delivered', ...on, count: changes.length, charge })
}
