import { errorMessage } from '../../platform/internal.js'

/**
 * The delegate threw or rejected. `cause` is the value that the delegate threw. The changes are delivered
 * again, or set aside by the failure policy.
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

/** A request for the feed or for the leases failed, and is retried. `cause` is the store's error. */
export class FeedError extends Error {
  override readonly name = 'FeedError'
  readonly code = 'FEED_FAILED'
  readonly retriable = true

  constructor(attempted: string, cause: unknown) {
    super(`${attempted}: ${errorMessage(cause)}`, { cause })
  }
}

/**
 * The container was deleted and created again while this process used it. Nothing is read from the new container, because
 * the positions in the leases are those of the former one. A processor reports this as the `cause` of a {@link FeedError}.
 */
export class ContainerReplacedError extends Error {
  override readonly name = 'ContainerReplacedError'
  readonly code = 'CONTAINER_REPLACED'
  readonly retriable = false

  /**
   * @param formerRid the resource id of the container that this process began with
   * @param rid the resource id of the container that now has its name
   */
  constructor(
    readonly formerRid: string,
    readonly rid: string,
  ) {
    super(
      `the container, or the data directory with it, was deleted and created again: its resource id was ${formerRid}, and is ${rid}. Nothing is read ` +
        'from it with the positions of the former container. Start this process again; it then makes new leases',
    )
  }
}

/** This instance no longer holds the lease. Another instance delivers from the last checkpoint. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'LEASE_LOST'
  readonly retriable = false
  /** The status is 412, as in the .NET SDK and in the store's answer to a write that comes too late. */
  readonly statusCode = 412

  constructor(readonly leaseToken: string) {
    super(
      `lease ${JSON.stringify(leaseToken)} is no longer held by this instance, so nothing is stored ` +
        'for it; the next owner of the lease delivers the changes again',
    )
  }
}

/**
 * Thrown for options, containers or leases that a processor cannot use. Each line of the message names one of
 * them and the rule that it breaks.
 */
export class ProcessorOptionsError extends Error {
  override readonly name = 'ProcessorOptionsError'
  readonly code = 'PROCESSOR_OPTIONS_INVALID'
  readonly retriable = false

  constructor(readonly problems: readonly string[]) {
    super(`Invalid change feed processor options:\n${problems.map((line) => `- ${line}`).join('\n')}`)
  }
}
