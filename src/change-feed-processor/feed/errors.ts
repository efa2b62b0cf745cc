import { errorMessage } from '../../platform/index.js'

/** The delegate threw or rejected. `cause` is what it threw; the changes will be delivered to it again. */
export class DelegateError extends Error {
  override readonly name = 'DelegateError'

  constructor(
    readonly leaseToken: string,
    cause: unknown,
  ) {
    super(`the delegate failed on lease ${JSON.stringify(leaseToken)}: ${messageOf(cause)}`, { cause })
  }
}

/** The feed or the leases could not be read or written. `cause` is the store's error; it is tried again. */
export class FeedError extends Error {
  override readonly name = 'FeedError'

  constructor(attempted: string, cause: unknown) {
    super(`${attempted}: ${messageOf(cause)}`, { cause })
  }
}

/**
 * The lease is not held any more: somebody else delivers from its last checkpoint. As in the .NET SDK the `code` is 412,
 * what the store answers to a write that comes too late.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 412

  constructor(readonly leaseToken: string) {
    super(
      `lease ${JSON.stringify(leaseToken)} is no longer held by this instance, so nothing is stored for it; ` +
        'its changes are delivered again by whoever holds it',
    )
  }
}

/** Options, containers or leases that a processor cannot work with, all at once; each line names what, and the rule. */
export class ProcessorOptionsError extends Error {
  override readonly name = 'ProcessorOptionsError'

  constructor(readonly problems: readonly string[]) {
    super(
      `the change feed processor cannot work like this:\n${problems.map((line) => `- ${line}`).join('\n')}`,
    )
  }
}

function messageOf(cause: unknown): string {
  return errorMessage(cause)
}
