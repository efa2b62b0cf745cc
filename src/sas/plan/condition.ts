import type { Json } from '../model/documents.js'
import { sameJson } from './payload.js'
import { resolveTemplate, type KnownValues } from './template.js'
import { referencePath, toTemplate, type ValueOrReference, type Reference } from '../model/reference.js'

/**
 * The condition of a step, made by the functions of {@link condition}. It is evaluated before the step
 * begins. If it does not hold, the step is skipped.
 */
export interface Condition {
  readonly operator: 'equal' | 'greater' | 'present' | 'hasItem' | 'not' | 'all' | 'any'
  readonly of: readonly unknown[]
}

/** Makes conditions for the option `when`, as in `{ when: condition.equal(job.input.isGift, true) }`. */
export const condition = {
  /** Holds if both values are the same JSON. The order of properties does not matter. */
  equal<T>(left: Reference<T>, right: ValueOrReference<T>): Condition {
    return { operator: 'equal', of: [left, right] }
  },

  /** Holds if both values are numbers and the left number is larger. */
  greater(left: ValueOrReference<number>, right: ValueOrReference<number>): Condition {
    return { operator: 'greater', of: [left, right] }
  },

  /** Holds if the value exists and is not null. */
  present(value: Reference<unknown>): Condition {
    return { operator: 'present', of: [value] }
  },

  /** Holds if the given condition does not hold. */
  not(negated: Condition): Condition {
    return { operator: 'not', of: [negated] }
  },

  /** Holds if all conditions hold. */
  all(...conditions: readonly Condition[]): Condition {
    return { operator: 'all', of: conditions }
  },

  /** Holds if at least one condition holds. */
  any(...conditions: readonly Condition[]): Condition {
    return { operator: 'any', of: conditions }
  },
}

/** Returns a condition as JSON, with its references in the form of templates. */
export function conditionTemplate(of: Condition): Json {
  return toTemplate(of, 'when')
}

/** The functions that make conditions, for the error about a value that is not a condition. */
const makers = 'condition.equal(…), .greater(…), .present(…), .not(…), .all(…) or .any(…)'

/** The number of operands of each operator (null: any number), and whether they are conditions. */
const operators: Readonly<
  Record<Condition['operator'], { readonly count: number | null; readonly joins: boolean }>
> = {
  equal: { count: 2, joins: false },
  greater: { count: 2, joins: false },
  present: { count: 1, joins: false },
  hasItem: { count: 3, joins: false },
  not: { count: 1, joins: true },
  all: { count: null, joins: true },
  any: { count: null, joins: true },
}

/**
 * Returns the reason, with advice, why a value is not a condition. Returns null for a condition. Accepts both
 * a new condition and a stored condition.
 */
export function conditionProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null)
    return `${valueText(value)} is not a condition: use ${makers}`
  const path = referencePath(value) ?? storedPath(value)
  if (path !== null) {
    const [first, ...rest] = path
    const name = first === 'input' ? ['job.input', ...rest].join('.') : rest.join('.')
    return (
      `${name} is a reference, not a condition: write condition.equal(${name}, true), or ` +
      `condition.present(${name})`
    )
  }
  const { operator, of } = value as { readonly operator?: unknown; readonly of?: unknown }
  if (typeof operator !== 'string' || !Array.isArray(of))
    return `${valueText(value)} is not a condition: use ${makers}`
  const rule = Object.entries(operators).find(([name]) => name === operator)?.[1]
  if (rule === undefined) return `the operator ${JSON.stringify(operator)} is unknown: use ${makers}`
  if (rule.count !== null && (of.length !== rule.count || of.includes(undefined))) {
    const given = of.filter((each) => each !== undefined).length
    return `${operator} needs ${rule.count} ${rule.joins ? 'condition' : 'values'}; this one has ${given}`
  }
  if (operator === 'greater') return notNumbers(of)
  if (!rule.joins) return null
  return of.map(conditionProblem).find((problem) => problem !== null) ?? null
}

/** Refuses `greater` with a value that is not a number, because the condition would never hold. */
function notNumbers(of: readonly unknown[]): string | null {
  const wrong = of.find((each) => typeof each !== 'number' && (typeof each !== 'object' || each === null))
  return wrong === undefined ? null : `greater compares numbers, and ${valueText(wrong)} is not a number`
}

function storedPath(value: object): readonly string[] | null {
  const { $from } = value as { readonly $from?: unknown }
  return Array.isArray($from) ? $from.map(String) : null
}

function valueText(value: unknown): string {
  const text: unknown = JSON.stringify(value)
  return typeof text === 'string' ? text : typeof value
}

/** Returns the reason why the condition of a stored step cannot be evaluated, or null. */
export function whenProblem({ when }: { readonly when: Json }): string | null {
  return when === null ? null : conditionProblem(when)
}

/** Checks whether a stored condition holds. A reference to a missing value counts as null. */
export function holds(template: Json, known: KnownValues): boolean {
  return template === null || evaluate(resolveTemplate(template, known) as unknown as Condition)
}

function evaluate({ operator, of }: Condition): boolean {
  const [left = null, right = null] = of
  switch (operator) {
    case 'equal':
      return sameJson(left as Json, right as Json)
    case 'greater':
      return typeof left === 'number' && typeof right === 'number' && left > right
    case 'present':
      return left !== null
    case 'hasItem':
      // A list beyond the limit of its fan-out is treated as empty, so that no step of the fan-out begins.
      return Array.isArray(left) && Number(right) < left.length && left.length <= Number(of[2])
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
