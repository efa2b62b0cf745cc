import type { ReadPage } from './page-positions.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { Closing } from './closing.js'
import type { ChangeContext } from '../feed/delegate.js'
import type { LeaseHolder } from '../lease/lease-holder.js'
import type { Progress } from './progress.js'
import type { Runtime } from '../runtime/runtime.js'

/** How the supervisor of a lease goes on after a page. */
export type AfterPage =
  /** With the next page. */
  | { readonly kind: 'readOn' }
  /** With everything that was not reported as handled, once more. */
  | { readonly kind: 'readAgain' }
  | { readonly kind: 'close'; readonly closing: Closing }

/** Brings the pages of one lease to the user's delegate, and reports to {@link Progress} what was handled. */
export interface Delivery {
  /** Resolves when the next page may be read. */
  deliver(page: ReadPage): Promise<AfterPage>
  /** Resolves when everything delivered was handled, or with why it will not be. */
  settled(): Promise<Closing | null>
  /** Resolves when the delegate is not running any more. Called once it is to be given nothing new. */
  ended(): Promise<void>
}

/** What the delivery of one lease stands on. */
export interface DeliverySite {
  readonly runtime: Runtime
  readonly holder: LeaseHolder
  readonly progress: Progress
  /** Aborts when the lease is lost or the processor stops. */
  readonly signal: AbortSignal
  /** Why nothing more shall be delivered; null as long as it shall. */
  readonly closing: () => Closing | null
  /** Ends a rest between two reads: there is a reason to close that the delivery alone knows. */
  readonly wake: () => void
}

/** What every context of a page's delivery says. */
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

/** Tells telemetry that all of a page was handled. */
export function reportDelivered(
  { runtime, holder }: DeliverySite,
  changes: readonly AnyChange[],
  charge: number,
): void {
  const { telemetry, notifications } = runtime
  const on = notifications.on(holder.lease.leaseToken)
  telemetry.emit({ type: 'page.delivered', ...on, count: changes.length, charge })
}
