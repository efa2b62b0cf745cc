import { unknownOptions } from '../../platform/index.js'
import type { OperationCall } from '../agents/agent.js'
import type { Condition } from '../plan/condition.js'
import { durationMs, type Duration } from '../model/duration.js'
import type { ExhaustionPolicy } from '../model/documents.js'
import { betweenStates } from '../model/process-state.js'
import type { Reference } from '../model/reference.js'

/** How one step is run. */
export interface StepOptions {
  /** Steps that must be done first although their output is not used. */
  readonly after?: readonly { readonly id: string }[]
  /** How long an attempt may take at worst, including the time until an agent picks it up. Default `'1m'`. */
  readonly completeWithin?: Duration
  /** Attempts that may end without success before the step is given up. Default 3. */
  readonly maxFailures?: number
  /** How long to wait after a reported failure before the next attempt; doubles each time. Default 1 s to 1 m. */
  readonly retryBackoff?: { readonly min: Duration; readonly max: Duration }
  /** What the step is before and after, in your words. Default `NotStarted` and `Completed`. */
  readonly initialState?: string
  readonly targetState?: string
  /** Leaves the step out when it does not hold, and with it every step whose input refers to its output. */
  readonly when?: Condition
  /** What follows when the step failed for good or has no attempts left. Default: what `job.onExhausted` says. */
  readonly onExhausted?: OnExhausted
  /**
   * Whether the step's `undo` also runs when it is not known if the last attempt took effect (it was cut off by its
   * deadline, or by the failure of another step). The undo then lacks what the step would have returned; its context
   * names the key of the attempt. Default true.
   */
  readonly undoUncertain?: boolean
  /**
   * Whether an agent claims each attempt in the store before it acts: of two instances that were given the same attempt,
   * only one acts, and an attempt that no agent claimed in time does not count as failed. Costs one write for each
   * attempt. Default false: the outcome decides which of the two counts.
   */
  readonly claim?: boolean
}

/**
 * What follows when a step failed for good or has no attempts left: end the job in error; undo what was done; undo it,
 * then begin again; set the step aside until an operator releases it; wait that long and try again.
 */
export type OnExhausted =
  'error' | 'compensate' | 'compensateThenRetry' | 'park' | { readonly extendedWait: Duration }

/** How a step that is done is undone: an operation, given what the step returned; `'none'` when it had no effect. */
export type Undo<O> = ((output: Reference<O>) => OperationCall<unknown>) | 'none'

/** What a step is before and after, unless its options say. */
export const defaultStates = { initialState: 'NotStarted', targetState: 'Completed' }

/** The policy as it is stored, or null when its duration is not one. */
export function policyOf(policy: OnExhausted): ExhaustionPolicy | null {
  if (typeof policy === 'string') return policy
  const extendedWaitMs = durationMs(policy.extendedWait)
  return extendedWaitMs === null ? null : { extendedWaitMs }
}

/** Every option of a step of any kind, so that a misspelt one is found. */
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

/** Everything that is wrong with a step's options by themselves. */
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

/** Checks what the types forbid, for callers without a compiler: stored, it would be an unreadable step. */
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
