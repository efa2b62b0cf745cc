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
  /** Read everything again that was not reported as handled. */
  | { readonly kind: 'readAgain' }
  | { readonly kind: 'close'; readonly closing: CloseReason }

/** Brings the pages of one lease to the user's delegate, and reports to {@link Progress} what was handled. */
export interface Delivery {
  /** Resolves when the next page may be read. */
  deliver(page: ReadPage): Promise<AfterPage>
  /** Resolves when everything delivered was handled, or with the reason why that will not happen. */
  settled(): Promise<CloseReason | null>
  /** Resolves when the delegate no longer runs. Called once no new changes will be delivered. */
  ended(): Promise<void>
}

/** The services that the delivery of one lease uses. */
export interface DeliverySite {
  readonly runtime: Runtime
  readonly holder: LeaseHolder
  readonly progress: Progress
  /** Aborts when the lease is lost or the processor stops. */
  readonly signal: AbortSignal
  /** Returns why nothing more may be delivered; null while delivery goes on. */
  readonly closing: () => CloseReason | null
  /** Ends the pause between two reads, because the delivery knows a reason to close. */
  readonly wake: () => void
}

/** Returns the fields that every context of a page's delivery has. */
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
