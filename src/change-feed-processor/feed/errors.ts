import { errorMessage } from '../../platform/internal.js'

/**
 * The delegate threw or rejected. `cause` is the value that it threw. The changes are delivered again, or set
 * aside by the failure policy.
 */
export class DelegateError extends Error {
  override readonly name = 'DelegateError'
  readonly code = 'DELEGATE_FAILED'
  readonly retriable = true

  constructor(
    readonly leaseToken: string,
    cause: unknown,
  ) {
    super(`the delegate failed on lease ${JSON.stringify(leaseToken)}: ${errorMessage(cause)}`, { cause })
  }
}

/**
 * The feed or the leases could not be read or written. `cause` is the store's error. The operation is tried
 * again.
 */
export class FeedError extends Error {
  override readonly name = 'FeedError'
  readonly code = 'FEED_FAILED'
  readonly retriable = true

  constructor(attempted: string, cause: unknown) {
    super(`${attempted}: ${errorMessage(cause)}`, { cause })
  }
}

/**
 * The lease is no longer held. Another instance delivers from the last checkpoint. The status is 412, as in
 * the .NET SDK.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'LEASE_LOST'
  readonly retriable = false
  /** The status with which the store answers a write that comes too late. */
  readonly statusCode = 412

  constructor(readonly leaseToken: string) {
    super(
      `lease ${JSON.stringify(leaseToken)} is no longer held by this instance, so nothing is stored ` +
        'for it; ' +
        'its next owner delivers its changes again',
    )
  }
}

/**
 * Thrown for options, containers or leases that a processor cannot work with. Each line names one of them and
 * the rule that it breaks.
 */
export class ProcessorOptionsError extends Error {
  override readonly name = 'ProcessorOptionsError'
  readonly code = 'PROCESSOR_OPTIONS_INVALID'
  readonly retriable = false

  constructor(readonly problems: readonly string[]) {
    super(`Invalid change feed processor options:\n${problems.map((line) => `- ${line}`).join('\n')}`)
  }
}
