import type { Call } from '../language/ast.js'
import { QueryError } from '../language/query-error.js'

/** A function of the dialect. Arguments and the result are values, including undefined. */
export interface QueryFunction {
  readonly minArguments: number
  readonly maxArguments: number
  readonly evaluate: (...values: readonly unknown[]) => unknown
}

/** The time as one compiled query sees it, in milliseconds since 1970. */
export interface QueryTime {
  readonly now: () => number
  readonly compiledAt: number
}

/** A function of the dialect that depends on the time. */
export interface TimeFunction extends Omit<QueryFunction, 'evaluate'> {
  /** Returns the function that one compiled query calls. */
  readonly bind: (time: QueryTime) => QueryFunction['evaluate']
}

export function ofOne(evaluate: (value: unknown) => unknown): QueryFunction {
  return { minArguments: 1, maxArguments: 1, evaluate }
}

/**
 * The most arguments of one call. JavaScript passes them on its stack, which holds about ten times as many.
 */
const mostArguments = 10_000

/** Refuses a call with too few or too many arguments, as the service does. */
export function refuseWrongCount(call: Call, min: number, max: number): void {
  const given = call.arguments.length
  if (given > mostArguments) {
    const reason = `A call has ${given} arguments; the limit is ${mostArguments}. Pass an array as a parameter.`
    throw new QueryError('BadRequest', reason, call.span)
  }
  if (given >= min && given <= max) return
  const range = min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`
  const reason = `The ${call.name.toUpperCase()} function requires ${range} argument(s).`
  throw new QueryError('SC2050', reason, call.span)
}
