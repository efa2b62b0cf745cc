import type { Lease } from '../../../lease-store/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { CloseReason, LifecycleNotifications } from '../feed/delegate.js'
import { DelegateError, type FeedError } from '../feed/errors.js'

/** The receivers of notifications, and the names that events carry. */
export interface NotificationOptions {
  readonly callbacks: LifecycleNotifications
  readonly telemetry: Telemetry
  readonly processorName: string
  readonly instanceName: string
}

/** Reports events of leases to telemetry and the user, and catches failures of the user's callbacks. */
export class Notifications {
  constructor(private readonly options: NotificationOptions) {}

  acquired({ leaseToken, feedRange }: Lease, takenFrom: string | null): void {
    this.options.telemetry.emit({ type: 'lease.acquired', ...this.on(leaseToken), takenFrom })
    this.call('onLeaseAcquired', leaseToken, () =>
      this.options.callbacks.onLeaseAcquired?.(leaseToken, feedRange),
    )
  }

  released(leaseToken: string, reason: CloseReason): void {
    this.options.telemetry.emit({ type: 'lease.released', ...this.on(leaseToken), reason })
    this.call('onLeaseReleased', leaseToken, () =>
      this.options.callbacks.onLeaseReleased?.(leaseToken, reason),
    )
  }

  failed(leaseToken: string, error: DelegateError | FeedError): void {
    const type = error instanceof DelegateError ? 'delegate.failed' : 'feed.failed'
    this.options.telemetry.emit({ type, ...this.on(leaseToken), error })
    this.call('onError', leaseToken, () => this.options.callbacks.onError?.(leaseToken, error))
  }

  /** Returns the fields that all events of one lease have. */
  on(leaseToken: string): { processorName: string; instanceName: string; leaseToken: string } {
    const { processorName, instanceName } = this.options
    return { processorName, instanceName, leaseToken }
  }

  private call(
    notification: keyof LifecycleNotifications,
    leaseToken: string,
    callback: () => Promise<void> | void,
  ): void {
    Promise.resolve()
      .then(callback)
      .catch((error: unknown) => {
        this.options.telemetry.emit({
          type: 'notification.failed',
          ...this.on(leaseToken),
          notification,
          error,
        })
      })
  }
}
