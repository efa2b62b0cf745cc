import type { Json } from './documents.js'
import { resolveTemplate, type KnownValues } from './template.js'
import type { Bound, Reference } from './reference.js'
import { toTemplate } from './reference.js'

/** Whether a step is done: made by {@link equal} and its kin, evaluated when the step would begin. */
export interface Condition {
  readonly operator: 'equal' | 'greater' | 'present' | 'hasItem' | 'not' | 'all' | 'any'
  readonly of: readonly unknown[]
}

/** Holds when both are the same JSON. */
export function equal<T>(left: Reference<T>, right: Bound<T>): Condition {
  return { operator: 'equal', of: [left, right] }
}

/** Holds when the left number is the larger one. */
export function greater(left: Bound<number>, right: Bound<number>): Condition {
  return { operator: 'greater', of: [left, right] }
}

/** Holds when there is a value, and it is not null. */
export function present(value: Reference<unknown>): Condition {
  return { operator: 'present', of: [value] }
}

/** Holds when the condition does not. */
export function not(condition: Condition): Condition {
  return { operator: 'not', of: [condition] }
}

/** Holds when all conditions do. */
export function all(...conditions: readonly Condition[]): Condition {
  return { operator: 'all', of: conditions }
}

/** Holds when any condition does. */
export function any(...conditions: readonly Condition[]): Condition {
  return { operator: 'any', of: conditions }
}

/** A condition as JSON, with references as a template has them. */
export function conditionTemplate(condition: Condition): Json {
  return toTemplate(condition, 'when')
}

/** Whether a stored condition holds. What it refers to and is not there counts as null. */
export function holds(template: Json, known: KnownValues): boolean {
  return template === null || evaluate(resolveTemplate(template, known) as unknown as Condition)
}

function evaluate({ operator, of }: Condition): boolean {
  const [left = null, right = null] = of
  switch (operator) {
    case 'equal':
      return JSON.stringify(left) === JSON.stringify(right)
    case 'greater':
      return typeof left === 'number' && typeof right === 'number' && left > right
    case 'present':
      return left !== null
    case 'hasItem':
      // A list that is longer than its fan-out allows has none: nothing of it begins.
      return Array.isArray(left) && Number(right) < left.length && left.length <= Number(of[2])
    case 'not':
      return !evaluate(left as Condition)
    case 'all':
      return of.every((condition) => evaluate(condition as Condition))
    case 'any':
      return of.some((condition) => evaluate(condition as Condition))
  }
}
