import { readLimits, type Limit } from '../gates/limit-options.js'
import type { Reference } from '../model/values/reference.js'

/**
 * The limits of an operation: a list, or a function that makes the list from the input of a call. The function runs
 * while a workflow is defined, so a part of the input may be a reference.
 */
export type OperationLimits<I> = readonly Limit[] | ((input: Reference<I>) => readonly Limit[])

/** The limits of operations by the name of the operation. */
export type LimitsByOperation = Readonly<Record<string, OperationLimits<unknown>>>

/** Returns what is wrong with the limits of an agent. What a function returns is checked where it is called. */
export function operationLimitProblems(limits: unknown, actions: readonly string[]): readonly string[] {
  const named = Object.entries((limits ?? {}) as Record<string, unknown>)
  return named.flatMap(([action, of]) => {
    if (!actions.includes(action)) return [`limits: there is no operation ${JSON.stringify(action)}`]
    if (typeof of === 'function') return []
    return readLimits(of).problems.map((what) => `operation ${JSON.stringify(action)}: ${what}`)
  })
}

/** Returns the limits of one call of an operation. */
export function limitsOfCall(
  limits: OperationLimits<unknown> | undefined,
  input: unknown,
): readonly Limit[] | undefined {
  return typeof limits === 'function' ? limits(input as Reference<unknown>) : limits
}
