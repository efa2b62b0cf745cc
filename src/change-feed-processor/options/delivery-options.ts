import type { Duration, Retry } from '../../platform/index.js'
import type { ResolvedRetry } from '../../platform/internal.js'
import {
  callback,
  duration,
  group,
  kind,
  oneOf,
  optional,
  retryOption,
  shown,
  wholeNumber,
  type Values,
} from '../../platform/options.js'
import type { AnyChange } from '../feed/change-identity.js'
import { isContainer, type DeadLetterContainer } from '../feed/cosmos-ports.js'
import type { ChangeDelegate, DeadLetter, PageDelegate } from '../feed/delegate.js'

/**
 * With `'auto'`, the processor stores the position of handled pages. With `'manual'`, only the delegate
 * stores positions, with `checkpoint`.
 */
export type CheckpointMode = 'auto' | 'manual'

/** The treatment of a change on which the delegate fails repeatedly. */
export interface FailurePolicy<C> {
  /**
   * `tries` is the number of deliveries of a page before the processor searches the page for the failing
   * change. That change alone is then delivered the same number of times before it is set aside. Default
   * back-off: 500 ms to 30 s.
   */
  readonly retry: Retry
  readonly then: 'deadLetter'
  /**
   * The container of `@azure/cosmos` that stores the change, or a function that stores the change. Until the
   * change is stored, no checkpoint passes the change.
   */
  readonly deadLetter: DeadLetterContainer | DeadLetter<C>
}

/** The options that both kinds of delegate share. */
export interface DeliveryOptions<C> {
  /**
   * The treatment of changes on which the delegate fails. Default: such changes are delivered again without
   * limit, with growing pauses, and no checkpoint passes them.
   */
  readonly failurePolicy?: FailurePolicy<C>
  /**
   * The longest time of one call of the delegate. After that time, the call's signal aborts and the call
   * counts as a failed try of the `failurePolicy`. Without a `failurePolicy`, the lease is released. Default:
   * no limit.
   */
  readonly delegateTimeout?: Duration
}

/** Options for a delegate that receives pages. */
export interface PageDeliveryOptions<C> extends DeliveryOptions<C> {
  readonly onChanges: PageDelegate<C>
  /**
   * The way in which positions are stored. With `'manual'`, changes after the last `context.checkpoint` are
   * delivered again when the lease moves to another owner. Default `'auto'`.
   */
  readonly checkpoint?: CheckpointMode
  readonly onChange?: never
  readonly concurrency?: never
  readonly orderBy?: never
}

/** Options for a delegate that receives changes one by one, in order per key. */
export interface ChangeDeliveryOptions<C> extends DeliveryOptions<C> {
  readonly onChange: ChangeDelegate<C>
  /** The largest number of changes of one lease that are handled at the same time, 1 to 1,000. Default 16. */
  readonly concurrency?: number
  /**
   * Returns a key. Changes with the same key are handled one after another. Default: the partition key. If
   * the function throws, the change fails.
   */
  readonly orderBy?: (change: C) => string | number
  readonly onChanges?: never
  readonly checkpoint?: 'auto'
}

/** The functions of the user, in the types that the parts of the processor use. */
export interface UserCode {
  readonly onChanges?: PageDelegate<AnyChange> | undefined
  readonly onChange?: ChangeDelegate<AnyChange> | undefined
  readonly orderBy?: ((change: AnyChange) => string | number) | undefined
  readonly deadLetter?: DeadLetterContainer | DeadLetter<AnyChange> | undefined
}

/** The limits for retries of a failing change. Without a failure policy, `tries` is null for no limit. */
export type FailureLimits = Omit<ResolvedRetry, 'tries'> & { readonly tries: number | null }

const backoff = { minMs: 500, maxMs: 30_000 }

/** The options that both kinds of delegate have, each with the zod type that reads it. */
export const deliveryShape = {
  onChanges: optional(callback<PageDelegate<AnyChange>>()),
  onChange: optional(callback<ChangeDelegate<AnyChange>>()),
  orderBy: optional(callback<(change: AnyChange) => string | number>('a function from a change to its key')),
  checkpoint: optional(oneOf('auto', 'manual'), 'auto' as const),
  concurrency: optional(wholeNumber(1, 1_000), 16),
  delegateTimeout: optional(duration(), null),
  failurePolicy: optional(
    group({
      retry: retryOption(backoff),
      then: oneOf('deadLetter'),
      deadLetter: kind<DeadLetterContainer | DeadLetter<AnyChange>>(
        'a Container of @azure/cosmos, or a function that keeps a change',
        (value) => typeof value === 'function' || isContainer(value),
      ),
    }),
  ),
}

export function failureLimitsOf(policy: Values<typeof deliveryShape>['failurePolicy']): FailureLimits {
  return policy?.retry ?? { tries: null, backoff }
}

/** Returns a problem for every broken rule that concerns several options. */
export function deliveryProblems(given: { readonly [K in keyof typeof deliveryShape]?: unknown }): string[] {
  const { onChanges, onChange, concurrency, orderBy, checkpoint } = given
  const isOneByOne = (onChange ?? null) !== null
  const problems: string[] = []
  if (isOneByOne === ((onChanges ?? null) !== null)) {
    const both = `onChanges is ${shown(onChanges)} and onChange is ${shown(onChange)}`
    problems.push(`${both}; pass exactly one of them`)
  }
  if (!isOneByOne && (concurrency ?? orderBy ?? null) !== null) {
    problems.push(
      'concurrency and orderBy apply only to onChange; pass onChange instead of onChanges, or omit them',
    )
  }
  if (isOneByOne && checkpoint === 'manual') {
    const rule = 'omit checkpoint, or pass onChanges instead of onChange'
    problems.push(`checkpoint is "manual", but onChange always stores the low-water mark; ${rule}`)
  }
  return problems
}
