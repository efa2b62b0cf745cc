import type { Json } from '../model/documents.js'
import { itemsOf, lengthOf } from './gather.js'
import { matches } from './pattern.js'
import { sameJson } from './payload.js'
import { resolveTemplate, type KnownValues } from './template.js'
import { marked } from '../model/values/made-conditions.js'
import { reference, type Reference, type ValueOrReference } from '../model/values/reference.js'
import type { StepOutcome } from '../model/values/step-handle.js'
import { holdsTicket, isTicket, ticketOf } from '../model/values/ticket.js'
import { toTemplate } from '../model/values/to-template.js'

/**
 * The condition of a step, made by the functions of {@link condition}. It is evaluated before the step
 * begins. If it does not hold, the step is skipped.
 */
export interface Condition {
  readonly operator:
    | 'equal'
    | 'greater'
    | 'less'
    | 'atLeast'
    | 'atMost'
    | 'in'
    | 'matches'
    | 'startsWith'
    | 'present'
    | 'hasItem'
    | 'not'
    | 'all'
    | 'any'
  readonly of: readonly unknown[]
}

/** Makes conditions for the option `when`, as in `{ when: condition.equal(job.input.isGift, true) }`. */
export const condition = {
  /** Holds if both values are the same JSON. The order of properties does not matter. */
  equal<T>(left: Reference<T>, right: ValueOrReference<T>): Condition {
    return marked({ operator: 'equal', of: [left, right] })
  },

  /** Holds if both values are numbers and the left number is larger. */
  greater(left: ValueOrReference<number>, right: ValueOrReference<number>): Condition {
    return marked({ operator: 'greater', of: [left, right] })
  },

  /** Holds if both values are numbers and the left number is smaller. */
  less(left: ValueOrReference<number>, right: ValueOrReference<number>): Condition {
    return marked({ operator: 'less', of: [left, right] })
  },

  /** Holds if both values are numbers and the left number is not smaller. */
  atLeast(left: ValueOrReference<number>, right: ValueOrReference<number>): Condition {
    return marked({ operator: 'atLeast', of: [left, right] })
  },

  /** Holds if both values are numbers and the left number is not larger. */
  atMost(left: ValueOrReference<number>, right: ValueOrReference<number>): Condition {
    return marked({ operator: 'atMost', of: [left, right] })
  },

  /** Holds if the value is the same JSON as a member of the list. */
  in<T>(value: Reference<T>, list: Reference<readonly T[]> | readonly ValueOrReference<T>[]): Condition {
    return marked({ operator: 'in', of: [value, list] })
  },

  /**
   * Holds if the value is a text and the pattern matches a part of it. The pattern is a regular expression of
   * RE2, given as text: it has neither lookaround nor backreferences. Write `^…$` to match the whole text,
   * and `(?i)` to ignore case. A pattern has at most 200 characters. No pattern matches a text of more than
   * 10,000 characters.
   */
  matches(value: Reference<string>, pattern: string): Condition {
    return marked({ operator: 'matches', of: [value, pattern] })
  },

  /** Holds if both values are texts and the first begins with the second. */
  startsWith(value: Reference<string>, start: ValueOrReference<string>): Condition {
    return marked({ operator: 'startsWith', of: [value, start] })
  },

  /** Holds if the value exists and is not null. */
  present(value: Reference<unknown>): Condition {
    return marked({ operator: 'present', of: [value] })
  },

  /** Holds if the step succeeded. Waits until the step is over. */
  done(step: { readonly id: string }): Condition {
    return marked({ operator: 'equal', of: [outcomeOf('done', step), 'done'] })
  },

  /**
   * Holds if the step was given up: its outcome is `failed`, `timedOut` or `refused`. The step must have
   * `onExhausted: 'continue'`. Waits until the step is over.
   */
  failed(step: { readonly id: string }): Condition {
    return marked({ operator: 'in', of: [outcomeOf('failed', step), ['failed', 'timedOut', 'refused']] })
  },

  /**
   * Holds if the last attempt at the step gave no answer before its deadline, or if no event came in time.
   * The step must have `onExhausted: 'continue'`. Waits until the step is over.
   */
  timedOut(step: { readonly id: string }): Condition {
    return marked({ operator: 'equal', of: [outcomeOf('timedOut', step), 'timedOut'] })
  },

  /**
   * Holds if the handler of the step failed permanently, or if the step could not be dispatched. The step must
   * have `onExhausted: 'continue'`. Waits until the step is over.
   */
  refused(step: { readonly id: string }): Condition {
    return marked({ operator: 'equal', of: [outcomeOf('refused', step), 'refused'] })
  },

  /** Holds if the step was skipped. Waits until the step is over. */
  skipped(step: { readonly id: string }): Condition {
    return marked({ operator: 'equal', of: [outcomeOf('skipped', step), 'skipped'] })
  },

  /**
   * Holds if the step has succeeded at the moment when the rest is ready. Does not wait for the step. The
   * answer is given once, when the step with this condition begins or is skipped.
   */
  doneSoFar(step: { readonly id: string }): Condition {
    return marked({ operator: 'equal', of: [outcomeOf('doneSoFar', step, 'outcomeSoFar'), 'done'] })
  },

  /** Holds if the given condition does not hold. */
  not(negated: Condition): Condition {
    return marked({ operator: 'not', of: [negated] })
  },

  /** Holds if all conditions hold. */
  all(...conditions: readonly Condition[]): Condition {
    return marked({ operator: 'all', of: conditions })
  },

  /** Holds if at least one condition holds. */
  any(...conditions: readonly Condition[]): Condition {
    return marked({ operator: 'any', of: conditions })
  },
}

/** @throws TypeError if the value is not a step */
function outcomeOf(
  name: string,
  step: { readonly id: unknown } | undefined,
  part: 'outcome' | 'outcomeSoFar' = 'outcome',
): Reference<StepOutcome> {
  const id = step?.id
  if (typeof id === 'string') return reference(['steps', id, part])
  const call = `condition.${name}`
  throw new TypeError(
    `${call} needs a step, as in const paid = job.step('pay', …) and { when: ${call}(paid) }; pass the step ` +
      'itself, not its output or its id',
  )
}

/** Returns a condition as JSON, with its references in the form of templates. */
export function conditionTemplate(of: Condition): Json {
  return toTemplate(unmarked(of), 'when')
}

/** Returns a condition without marks, which refuse a condition in the place of a value. */
function unmarked({ operator, of }: Condition): Condition {
  const joins = operator === 'not' || operator === 'all' || operator === 'any'
  return { operator, of: joins ? of.map((each) => unmarked(each as Condition)) : of }
}

/** Checks whether a stored condition holds. A reference to a missing value counts as null. */
export function holds(template: Json, known: KnownValues): boolean {
  return template === null || evaluate(resolveTemplate(template, known) as unknown as Condition)
}

/**
 * Checks whether a condition asks for a value that is in the payload store, so that it cannot be evaluated.
 * It is known without the payload whether a large part is there, and how many items a large list has.
 */
export function asksForPayload(template: Json, known: KnownValues): boolean {
  return template !== null && asks(resolveTemplate(template, known) as unknown as Condition)
}

function asks({ operator, of }: Condition): boolean {
  if (operator === 'not' || operator === 'all' || operator === 'any')
    return of.some((each) => asks(each as Condition))
  const [left = null] = of as readonly Json[]
  if (!isTicket(left) || (operator !== 'present' && operator !== 'hasItem')) return holdsTicket(of)
  return operator === 'present' ? ticketOf(left)?.isUnsure === true : itemsOf(left) === null
}

function evaluate({ operator, of }: Condition): boolean {
  const [left = null, right = null] = of
  switch (operator) {
    case 'equal':
      return sameJson(left as Json, right as Json)
    case 'greater':
      return areNumbers(left, right) && Number(left) > Number(right)
    case 'less':
      return areNumbers(left, right) && Number(left) < Number(right)
    case 'atLeast':
      return areNumbers(left, right) && Number(left) >= Number(right)
    case 'atMost':
      return areNumbers(left, right) && Number(left) <= Number(right)
    case 'in':
      return Array.isArray(right) && right.some((member: Json) => sameJson(left as Json, member))
    case 'matches':
      return typeof left === 'string' && typeof right === 'string' && matches(left, right)
    case 'startsWith':
      return typeof left === 'string' && typeof right === 'string' && left.startsWith(right)
    case 'present':
      return left !== null
    case 'hasItem':
      // A list beyond the limit of its fan-out is treated as empty, so that no step of the fan-out begins.
      return Number(right) < lengthOf(left as Json) && lengthOf(left as Json) <= Number(of[2])
    case 'not':
      return !evaluate(left as Condition)
    case 'all':
      return of.every((each) => evaluate(each as Condition))
    case 'any':
      return of.some((each) => evaluate(each as Condition))
    default:
      throw new TypeError(
        `a condition has the operator ${JSON.stringify(operator satisfies never)}, which is unknown`,
      )
  }
}

function areNumbers(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'number')
}
