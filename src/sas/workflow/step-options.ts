import { unknownOptions } from '../../platform/internal.js'
import type { OperationCall } from '../agents/agent.js'
import type { Condition } from '../plan/condition.js'
import { durationMs, type Duration } from '../model/duration.js'
import type { ExhaustionPolicy } from '../model/documents.js'
import { betweenStates } from '../model/process-state.js'
import type { Reference } from '../model/reference.js'

/** Options of a step. */
export interface StepOptions {
  /** Steps that must be done first, although this step does not use their output. */
  readonly after?: readonly { readonly id: string }[]
  /** The longest time of an attempt, including the time until an agent takes it up. Default `'1m'`. */
  readonly completeWithin?: Duration
  /** How many attempts may end without success before the step is given up. Default 3. */
  readonly maxFailures?: number
  /** The pause after a reported failure before the next attempt. It doubles each time. Default 1 s to 1 m. */
  readonly retryBackoff?: { readonly min: Duration; readonly max: Duration }
  /** Your names for the state before and after the step. Default `NotStarted` and `Completed`. */
  readonly initialState?: string
  readonly targetState?: string
  /** If it does not hold, this step and every step whose input refers to its output are skipped. */
  readonly when?: Condition
  /** What follows if the step failed permanently or has no attempts left. Default: the policy of `job.onExhausted`. */
  readonly onExhausted?: OnExhausted
  /**
   * Whether the step's `undo` also runs if it is unknown whether the last attempt took effect, because its deadline
   * or the failure of another step cut it off. The undo then lacks the output of the step, but its context names the
   * key of the attempt. Default true.
   */
  readonly undoUncertain?: boolean
  /**
   * Whether an agent claims each attempt in the store before it acts. If two instances receive the same attempt, only
   * one acts. An attempt that no agent claimed in time does not count as failed. Costs one write for each attempt.
   * Default false: both may act, and the first recorded outcome counts.
   */
  readonly claim?: boolean
}

/**
 * What follows if a step failed permanently or has no attempts left.
 *
 * - `error` ends the job in error.
 * - `compensate` undoes the done steps.
 * - `compensateThenRetry` undoes the done steps and begins the job again.
 * - `park` sets the step aside until an operator releases it.
 * - `extendedWait` waits for that time and tries again.
 */
export type OnExhausted =
  'error' | 'compensate' | 'compensateThenRetry' | 'park' | { readonly extendedWait: Duration }

/** The undo of a step: an operation, given the output of the step; `'none'` if the step has no effect. */
export type Undo<O> = ((output: Reference<O>) => OperationCall<unknown>) | 'none'

/** The names of the states before and after a step, unless its options set them. */
export const defaultStates = { initialState: 'NotStarted', targetState: 'Completed' }

/** Returns the policy as stored, or null if its duration is invalid. */
export function policyOf(policy: OnExhausted): ExhaustionPolicy | null {
  if (typeof policy === 'string') return policy
  const extendedWaitMs = durationMs(policy.extendedWait)
  return extendedWaitMs === null ? null : { extendedWaitMs }
}

/** Every option of any kind of step, to find misspelt ones. */
const knownOptions: readonly (keyof StepOptions | 'undo')[] = [
  'after',
  'completeWithin',
  'maxFailures',
  'retryBackoff',
  'initialState',
  'targetState',
  'when',
  'onExhausted',
  'undoUncertain',
  'claim',
  'undo',
]

/** Returns every problem of a step's options that shows without the other steps. */
export function optionProblems(options: StepOptions): string[] {
  const problems = durationsIn(options).flatMap(([option, value]) => {
    if (value === undefined || durationMs(value) !== null) return []
    const rule = "must be a positive duration such as '30s' or a number of milliseconds"
    return [`${option} ${JSON.stringify(value)} ${rule}`]
  })
  const { min = 1, max = 2 ** 52 } = options.retryBackoff ?? {}
  if ((durationMs(min) ?? 0) > (durationMs(max) ?? Infinity)) {
    problems.push(`retryBackoff.min ${min} is longer than max ${max}`)
  }
  const { maxFailures = 1 } = options
  if (!Number.isInteger(maxFailures) || maxFailures < 1) {
    problems.push(`maxFailures ${maxFailures} must be a whole number from 1`)
  }
  return [
    ...unknownOptions(options, knownOptions),
    ...problems,
    ...stateProblems(options),
    ...kindProblems(options),
  ]
}

function stateProblems(options: StepOptions): string[] {
  const states = { ...defaultStates, ...options }
  const names = Object.entries({ initialState: states.initialState, targetState: states.targetState })
  const problems = names.flatMap(([option, state]) => {
    if (typeof state === 'string' && state !== '' && state !== betweenStates) return []
    const rule = `must be a name, and not ${JSON.stringify(betweenStates)}, which says that a step is neither`
    return [`${option} ${JSON.stringify(state)} ${rule}`]
  })
  if (states.initialState === states.targetState) {
    problems.push(`initialState and targetState are both ${JSON.stringify(states.initialState)}`)
  }
  return problems
}

/** Checks values for callers in JavaScript. A wrong value would be stored as an unreadable step. */
function kindProblems({ onExhausted, ...options }: StepOptions): string[] {
  const flags = Object.entries({ claim: options.claim, undoUncertain: options.undoUncertain })
  const isPolicy =
    onExhausted === undefined || typeof onExhausted === 'object' || policies.includes(onExhausted)
  return [
    ...(isPolicy
      ? []
      : [`onExhausted ${JSON.stringify(onExhausted)} must be ${policies.join(', ')} or { extendedWait }`]),
    ...flags.flatMap(([option, flag]) =>
      flag === undefined || typeof flag === 'boolean'
        ? []
        : [`${option} ${JSON.stringify(flag)} must be true or false`],
    ),
  ]
}

const policies: readonly string[] = ['error', 'compensate', 'compensateThenRetry', 'park']

function durationsIn({
  completeWithin,
  retryBackoff,
  onExhausted,
}: StepOptions): [string, Duration | undefined][] {
  const extendedWait = typeof onExhausted === 'object' ? onExhausted.extendedWait : undefined
  return [
    ['completeWithin', completeWithin],
    ['retryBackoff.min', retryBackoff?.min],
    ['retryBackoff.max', retryBackoff?.max],
    ['onExhausted.extendedWait', extendedWait],
  ]
}
