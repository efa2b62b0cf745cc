import type { Duration, Retry } from '../../platform/index.js'
import {
  chosen,
  duration,
  flag,
  group,
  isObject,
  kind,
  optional,
  readOptions,
  retryOption,
  textThat,
  wholeNumber,
  type Read,
} from '../../platform/options.js'
import type { OperationCall } from '../agents/agent.js'
import type { Condition } from '../plan/condition.js'
import type { ExhaustionPolicy } from '../model/documents.js'
import type { PlanStep } from '../plan/plan.js'
import { betweenStates } from '../model/process-state.js'
import type { Limit } from '../gates/limit-options.js'
import type { Reference } from '../model/values/reference.js'

/** Options of a step. */
export interface StepOptions {
  /** Other steps that must be done first, even if this step does not use their output. */
  readonly after?: readonly { readonly id: string }[]
  /** The longest time of an attempt, including the time until an agent begins it. Default `'1m'`. */
  readonly completeWithin?: Duration
  /**
   * After `tries` attempts without success, the step is given up. `backoff` is the pause after a reported
   * failure, which doubles from `min` to `max`. Up to half of each pause is subtracted at random, and the pause ends
   * at the latest at the deadline of the attempt. Default 3 tries, 1 s to 1 m.
   */
  readonly retry?: Partial<Retry>
  /** Your names for the states before and after the step. Default `NotStarted` and `Completed`. */
  readonly initialState?: string
  readonly targetState?: string
  /** The condition of the step. If it does not hold, this step and steps that need its output are skipped. */
  readonly when?: Condition
  /**
   * The policy for a step that failed permanently or has no attempts left. With `'continue'`, the job goes on
   * without the step. Steps that need its output are skipped, unless they ask for its outcome, for example
   * with `condition.failed(step)`. Default: the policy of `job.onExhausted`.
   */
  readonly onExhausted?: OnExhausted | 'continue'
  /**
   * Whether the step's `undo` also runs if it is unknown whether the last attempt took effect. This happens
   * if an attempt is cut off by its deadline or by the failure of another step. The undo then lacks the
   * output of the step, but its context contains the key of the attempt. Default true.
   */
  readonly undoUncertain?: boolean
  /**
   * The limits that the step shares with other steps: how many may be at work at once, or begin in a second. A
   * step without room waits, and its deadline begins when its attempt begins. At most 5 limits.
   */
  readonly limits?: readonly Limit[]
  /**
   * Whether an agent claims each attempt in the store before it acts. If two instances receive the same
   * attempt, only one of them acts. An attempt that no agent claimed in time does not count as failed. A
   * claim costs one write for each attempt. Default false: both instances may act, and the first recorded
   * outcome counts.
   */
  readonly claim?: boolean
}

/**
 * The policy for a step that failed permanently or has no attempts left.
 *
 * - `error` ends the job in error.
 * - `compensate` undoes all done steps.
 * - `compensateThenRetry` undoes all done steps and then begins the job again.
 * - `park` sets the step aside until an operator releases it.
 * - `extendedWait` waits for the given time and then tries the step again. After a permanent failure, it ends
 *   the job in error.
 */
export type OnExhausted =
  'error' | 'compensate' | 'compensateThenRetry' | 'park' | { readonly extendedWait: Duration }

/**
 * The undo of a step. The function makes the call of an operation from the step's output. Pass `'none'` if
 * the step has no effect.
 */
export type Undo<O> = ((output: Reference<O>) => OperationCall<unknown>) | 'none'

/** A name for the state before or after a step. The name of the state between them is not allowed. */
const stateName = textThat(
  `a name other than ${JSON.stringify(betweenStates)}, the state of a step that is between the two`,
  (name) => name !== '' && name !== betweenStates,
)

const policies = ['error', 'compensate', 'compensateThenRetry', 'park'] as const
const policyNames = (names: readonly string[]): string =>
  `${names.map((name) => JSON.stringify(name)).join(', ')} or { extendedWait }`
const isPolicy = (value: unknown): boolean => policies.some((name) => name === value)
const policyName = kind<(typeof policies)[number]>(policyNames(policies), isPolicy)
const extendedWait = group({ extendedWait: duration() }).transform((wait) => ({
  extendedWaitMs: wait.extendedWait,
}))

/** Reads an {@link OnExhausted} option and returns the policy as it is stored. */
const exhaustionPolicy = chosen<ExhaustionPolicy>((value) => (isObject(value) ? extendedWait : policyName))

/** The parts of `job.onExhausted`. */
export const exhaustionShape = {
  policy: exhaustionPolicy,
  maxGenerations: optional(wholeNumber(1), 3),
}

/** Returns the stored policy. A step without which the job goes on fails like a step that ends its job. */
export function policyOf({
  onExhausted,
}: {
  readonly onExhausted: ExhaustionPolicy | 'continue' | null
}): Pick<PlanStep, 'onExhausted' | 'jobGoesOn'> {
  if (onExhausted === 'continue') return { onExhausted: 'error', jobGoesOn: true }
  return { onExhausted: onExhausted ?? 'error' }
}

const stepPolicy = chosen<ExhaustionPolicy | 'continue'>((value) =>
  isObject(value)
    ? extendedWait
    : kind<(typeof policies)[number] | 'continue'>(
        policyNames([...policies, 'continue']),
        (name) => name === 'continue' || isPolicy(name),
      ),
)

const retry = { tries: 3, backoff: { minMs: 1_000, maxMs: 60_000 } }

const shape = {
  after: optional(
    kind<readonly { readonly id: string }[]>(
      'a list of steps',
      (value) => Array.isArray(value) && value.every((step) => isObject(step) && isStep(step)),
    ),
    [],
  ),
  completeWithin: optional(duration(), 60_000),
  retry: optional(retryOption(retry.backoff, retry.tries), retry),
  initialState: optional(stateName, 'NotStarted'),
  targetState: optional(stateName, 'Completed'),
  /** The condition itself is checked as part of the plan. */
  when: optional(kind<Condition>('a condition', () => true)),
  onExhausted: optional(stepPolicy, null),
  undoUncertain: optional(flag(), true),
  claim: optional(flag(), false),
  /** The limits themselves are read with the plan. */
  limits: optional(kind<readonly Limit[]>('a list of limits', Array.isArray)),
  undo: optional(
    kind<Undo<never>>('a function, or "none"', (value) => typeof value === 'function' || value === 'none'),
  ),
}

/** Checks whether an object has the id of a step. Every property of a reference is a reference. */
function isStep(value: object): boolean {
  return typeof Reflect.get(value, 'id') === 'string'
}

const [tries, deadline, undone] = ['retry: { tries: 3 }', "completeWithin: '30s'", 'undo: (output) => …']

export const stepOptionNames: readonly string[] = Object.keys(shape)

/** Advice on names that other libraries use. */
export const stepAdvice: Readonly<Record<string, string>> = {
  retries: tries,
  tries,
  attempts: tries,
  maxAttempts: tries,
  maxRetries: tries,
  timeout: deadline,
  timeoutMs: deadline,
  deadline,
  compensate: undone,
  compensation: undone,
  rollback: undone,
  if: 'when: condition.equal(…)',
  condition: 'when: condition.equal(…)',
  dependsOn: 'after: [step]',
  needs: 'after: [step]',
  onError: "onExhausted: 'continue'",
  onFailure: "onExhausted: 'continue'",
  optional: "onExhausted: 'continue'",
  limit: "limits: [{ key: 'bank', atOnce: 5 }]",
  concurrency: "limits: [{ key: 'bank', atOnce: 5 }]",
  rateLimit: "limits: [{ key: 'bank', perSecond: 20 }]",
}

/**
 * Returns a step's options as they are stored, and every problem that can be found without the other steps.
 */
export function readStepOptions(options: StepOptions): Read<typeof shape> {
  const { values, problems } = readOptions(shape, options, stepAdvice)
  const { initialState, targetState } = values
  if (initialState !== targetState) return { values, problems }
  const both = `initialState and targetState are both ${JSON.stringify(initialState)}`
  return { values, problems: [...problems, both] }
}
