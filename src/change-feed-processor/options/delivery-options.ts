import { isContainer, type DeadLetterContainer } from '../feed/cosmos-ports.js'
import type { ChangeDelegate, PageDelegate, DeadLetter } from '../feed/delegate.js'
import type { FailureLimits } from './failure-policy.js'
import { brokenRules, countProblems, type CountRule, type Rule } from './option-rules.js'

/** When the position of a lease is stored: automatically after a page was handled, or when the delegate says so. */
export type CheckpointMode = 'auto' | 'manual'

/** Defines what happens to a change that its delegate refuses again and again. */
export interface FailurePolicy<C> {
  /**
   * The number of attempts for a page before the failing change is searched for, and the number of attempts for
   * that single change before it is set aside.
   */
  readonly maxAttempts: number
  /** The pause between two attempts in milliseconds, doubling from `min` to `max`. Default 500 to 30,000. */
  readonly backoffMs?: { readonly min: number; readonly max: number }
  readonly then: 'deadLetter'
  /**
   * Where the change is stored: a container of `@azure/cosmos`, or a function. Until that succeeds, no later
   * change is passed.
   */
  readonly deadLetter: DeadLetterContainer | DeadLetter<C>
}

/** The options that both kinds of delegate share. */
export interface DeliveryOptions<C> {
  /**
   * Default: changes that the delegate refuses are delivered again forever with growing pauses, and no change is
   * passed.
   */
  readonly failurePolicy?: FailurePolicy<C>
  /**
   * The longest time of one call of the delegate, in milliseconds. After that its signal aborts and the call has
   * failed. It counts as an attempt of the `failurePolicy`; without one the lease is released. Default: no limit.
   */
  readonly delegateTimeoutMs?: number
  /**
   * The longest time of one read of the feed, in milliseconds, before it is discarded and repeated. Default
   * 65,000.
   */
  readonly readTimeoutMs?: number
}

/** Options for a delegate that receives pages. */
export interface PageDeliveryOptions<C> extends DeliveryOptions<C> {
  readonly onChanges: PageDelegate<C>
  /**
   * Default `'auto'`. With `'manual'`, changes not stored with `context.checkpoint` are delivered again when the
   * lease moves.
   */
  readonly checkpoint?: CheckpointMode
  readonly onChange?: never
  readonly concurrency?: never
  readonly orderBy?: never
}

/** Options for a delegate that receives changes one by one, in order per key. */
export interface ChangeDeliveryOptions<C> extends DeliveryOptions<C> {
  readonly onChange: ChangeDelegate<C>
  /** The number of changes of one lease that are handled at once, 1 to 1,000. Default 16. */
  readonly concurrency?: number
  /**
   * Changes with the same result are handled one after another. Default: the partition key. If it throws, the
   * change fails.
   */
  readonly orderBy?: (change: C) => string | number
  readonly onChanges?: never
  readonly checkpoint?: 'auto'
}

/** Delivery options with every default filled in. Functions are passed on separately. */
export interface ResolvedDeliveryOptions {
  readonly checkpoint: CheckpointMode
  readonly concurrency: number
  readonly delegateTimeoutMs: number | null
  readonly readTimeoutMs: number
  readonly failureLimits: FailureLimits
}

type EitherDeliveryOptions = PageDeliveryOptions<never> | ChangeDeliveryOptions<never>

export function resolveDelivery(options: EitherDeliveryOptions): ResolvedDeliveryOptions {
  const { failurePolicy } = options
  const { min: minMs, max: maxMs } = failurePolicy?.backoffMs ?? { min: 500, max: 30_000 }
  return {
    checkpoint: options.checkpoint ?? 'auto',
    concurrency: options.concurrency ?? 16,
    delegateTimeoutMs: options.delegateTimeoutMs ?? null,
    readTimeoutMs: options.readTimeoutMs ?? 65_000,
    failureLimits: { maxAttempts: failurePolicy?.maxAttempts ?? null, backoff: { minMs, maxMs } },
  }
}

/** Returns a problem for every broken rule; types do not bind users of JavaScript. */
export function deliveryProblems(options: EitherDeliveryOptions): string[] {
  const { checkpoint, concurrency, delegateTimeoutMs, readTimeoutMs, failureLimits } =
    resolveDelivery(options)
  const { onChanges, onChange, orderBy, failurePolicy } = options
  const counts: readonly CountRule[] = [
    ['concurrency', concurrency, 1, 1_000],
    ['delegateTimeoutMs', delegateTimeoutMs ?? 1, 1, Infinity],
    ['readTimeoutMs', readTimeoutMs, 1, Infinity],
    ['failurePolicy.maxAttempts', failureLimits.maxAttempts ?? 1, 1, Infinity],
    ['failurePolicy.backoffMs.min', failureLimits.backoff.minMs, 1, Infinity],
    ['failurePolicy.backoffMs.max', failureLimits.backoff.maxMs, 1, Infinity],
  ]
  const rules: readonly Rule[] = [
    [
      (isFunction(onChanges) && onChange === undefined) || (isFunction(onChange) && onChanges === undefined),
      `onChanges is ${typeof onChanges} and onChange is ${typeof onChange}; exactly one of them must be a function`,
    ],
    [
      isFunction(onChange) || (options.concurrency ?? orderBy) === undefined,
      'concurrency and orderBy are about onChange; pass that instead of onChanges, or leave them out',
    ],
    [
      orderBy === undefined || isFunction(orderBy),
      `orderBy is ${typeof orderBy}; it must be a function from a change to its key`,
    ],
    [
      ['auto', 'manual'].includes(checkpoint),
      `checkpoint is ${JSON.stringify(checkpoint)}; it must be "auto" or "manual"`,
    ],
    [
      !isFunction(onChange) || checkpoint !== 'manual',
      'checkpoint is "manual" beside onChange, whose checkpoint is the low-water mark; leave it out, or pass onChanges',
    ],
  ]
  return [...countProblems(counts), ...brokenRules(rules), ...policyProblems(failurePolicy, failureLimits)]
}

function policyProblems(policy: FailurePolicy<never> | undefined, { backoff }: FailureLimits): string[] {
  if (policy === undefined) return []
  const { then, deadLetter, maxAttempts } = policy
  return brokenRules([
    // Without `maxAttempts` there would be no limit, which is what having no policy means.
    [
      (maxAttempts as unknown) !== undefined,
      'failurePolicy.maxAttempts is undefined; it must be a whole number, at least 1',
    ],
    [
      backoff.minMs <= backoff.maxMs,
      `failurePolicy.backoffMs is ${backoff.minMs} to ${backoff.maxMs}; min must not exceed max`,
    ],
    [
      (then as unknown) === 'deadLetter',
      `failurePolicy.then is ${JSON.stringify(then)}; it must be "deadLetter"`,
    ],
    [
      isFunction(deadLetter) || isContainer(deadLetter),
      `failurePolicy.deadLetter is ${typeof deadLetter}; it must be a Container, or a function that keeps a change`,
    ],
  ])
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
