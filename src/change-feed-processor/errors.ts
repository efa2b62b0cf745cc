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

/** Options, containers or leases that a processor cannot work with, all at once; each line names what, and the rule. */
export class ProcessorOptionsError extends Error {
  override readonly name = 'ProcessorOptionsError'

  constructor(readonly problems: readonly string[]) {
    super(`change feed processor cannot start:\n${problems.map((line) => `- ${line}`).join('\n')}`)
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
