import { isContainer, type DeadLetterContainer } from '../feed/cosmos-ports.js'
import type { ChangeDelegate, PageDelegate, DeadLetter } from '../feed/delegate.js'
import type { FailureLimits } from './failure-policy.js'
import { brokenRules, countProblems, type CountRule, type Rule } from './option-rules.js'

/** When the position of a lease is stored: by itself when a page was handled, or when the delegate says so. */
export type CheckpointMode = 'auto' | 'manual'

/** What becomes of a change that its delegate refuses again and again. */
export interface FailurePolicy<C> {
  /**
   * How often a page is tried before the change that makes it fail is searched for, and how often that one is tried by
   * itself before it is set aside.
   */
  readonly maxAttempts: number
  /** Between two attempts: doubling between bounds. Default 500 to 30,000. */
  readonly backoffMs?: { readonly min: number; readonly max: number }
  readonly then: 'deadLetter'
  /** Where it is kept: a container of `@azure/cosmos`, or a function. As long as that fails, nothing is passed. */
  readonly deadLetter: DeadLetterContainer | DeadLetter<C>
}

/** How changes are brought to the user's code, whichever way it takes them. */
export interface DeliveryOptions<C> {
  /** Default: what the delegate refuses is delivered again for ever, ever more slowly, and nothing is passed. */
  readonly failurePolicy?: FailurePolicy<C>
  /**
   * How long one call of the delegate may take. After that its signal aborts and it has failed: an attempt of the
   * `failurePolicy`, or without one the lease is given back. Default: as long as it likes.
   */
  readonly delegateTimeoutMs?: number
  /** How long one read of the feed may take before it is thrown away and made anew. Default 65,000. */
  readonly readTimeoutMs?: number
}

/** The user's code takes pages. */
export interface PageDeliveryOptions<C> extends DeliveryOptions<C> {
  readonly onChanges: PageDelegate<C>
  /** Default `'auto'`. With `'manual'`, what `context.checkpoint` has not stored comes again when the lease moves. */
  readonly checkpoint?: CheckpointMode
  readonly onChange?: never
  readonly concurrency?: never
  readonly orderBy?: never
}

/** The user's code takes changes one by one, in order per key. */
export interface ChangeDeliveryOptions<C> extends DeliveryOptions<C> {
  readonly onChange: ChangeDelegate<C>
  /** How many changes of one lease are handled at once, 1 to 1,000. Default 16. */
  readonly concurrency?: number
  /** Changes with the same answer are handled one after another. Default: the partition key. One that throws has failed. */
  readonly orderBy?: (change: C) => string | number
  readonly onChanges?: never
  readonly checkpoint?: 'auto'
}

/** Delivery options with every default filled in; functions are kept by who calls them. */
export interface ResolvedDeliveryOptions {
  readonly checkpoint: CheckpointMode
  readonly concurrency: number
  readonly delegateTimeoutMs: number | null
  readonly readTimeoutMs: number
  readonly failureLimits: FailureLimits
}

/** Of either way. */
type EitherDeliveryOptions = PageDeliveryOptions<never> | ChangeDeliveryOptions<never>

/** Fills in defaults. */
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

/** Every rule that the options break; types do not hold for users of JavaScript. */
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
    // Left out it would be no limit, which is what no policy means.
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
