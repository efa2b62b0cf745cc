import type { Condition } from './condition.js'
import type { Json } from '../model/documents.js'
import { isReference, referencePath } from '../model/values/reference.js'
import { StepHandle, type StepOutcome } from '../model/values/step-handle.js'
import { TextTemplate } from '../model/values/text-template.js'
import { patternProblem } from './pattern.js'
import { stepsWithPart } from './template.js'

/** The functions that make conditions, for the error about a value that is not a condition. */
const makers =
  'condition.equal(…), .greater(…), .present(…), .not(…), .all(…), .any(…) or another function of condition'

interface Rule {
  /** The number of operands, or null for any number. */
  readonly count: number | null
  /** Whether the operands are conditions. Default: they are values. */
  readonly joins?: boolean
  /** Returns the reason why the condition could never hold, or null. */
  readonly problem?: (of: readonly unknown[], operator: string) => string | null
}

const operators: Readonly<Record<Condition['operator'], Rule>> = {
  equal: { count: 2 },
  greater: { count: 2, problem: notNumbers },
  less: { count: 2, problem: notNumbers },
  atLeast: { count: 2, problem: notNumbers },
  atMost: { count: 2, problem: notNumbers },
  in: { count: 2, problem: notList },
  matches: { count: 2, problem: notPattern },
  startsWith: { count: 2, problem: notTexts },
  present: { count: 1 },
  hasItem: { count: 3 },
  not: { count: 1, joins: true },
  all: { count: null, joins: true },
  any: { count: null, joins: true },
}

/**
 * Returns the reason, with advice, why a value is not a condition. Returns null for a condition. Accepts both a
 * new condition and a stored condition.
 */
export function conditionProblem(value: unknown): string | null {
  if (value instanceof StepHandle)
    return `step ${JSON.stringify(value.id)} is a step, not a condition: write condition.done(step)`
  const path = referencePath(value) ?? storedPath(value)
  if (path !== null) return notReference(path)
  if (Array.isArray(value)) return `a list is not a condition: write condition.all(one, other)`
  if (typeof value !== 'object' || value === null)
    return `${valueText(value)} is not a condition: use ${makers}`
  if (value instanceof TextTemplate) return 'a text`…` is not a condition: write condition.equal(…)'
  const { operator, of } = value as { readonly operator?: unknown; readonly of?: unknown }
  if (typeof operator !== 'string' || !Array.isArray(of))
    return `${valueText(value)} is not a condition: use ${makers}`
  const rule = Object.entries(operators).find(([name]) => name === operator)?.[1]
  if (rule === undefined) return `the operator ${JSON.stringify(operator)} is unknown: use ${makers}`
  const { count, joins = false, problem = () => null } = rule
  if (count !== null && (of.length !== count || of.includes(undefined))) {
    const given = of.filter((each) => each !== undefined).length
    return `${operator} needs ${count} ${joins ? 'condition' : 'values'}; this one has ${given}`
  }
  if (!joins) return problem(of, operator)
  return of.map(conditionProblem).find((each) => each !== null) ?? null
}

/** Returns the reason why the condition of a stored step cannot be evaluated, or null. */
export function whenProblem({ when }: { readonly when: Json }): string | null {
  return when === null ? null : conditionProblem(when)
}

function notReference([first, ...rest]: readonly string[]): string {
  const name = first === 'input' ? ['job.input', ...rest].join('.') : rest.join('.')
  return (
    `${name} is a reference, not a condition: write condition.equal(${name}, true), or ` +
    `condition.present(${name})`
  )
}

/** Refuses a comparison with a value that is not a number, because the condition would never hold. */
function notNumbers(of: readonly unknown[], operator: string): string | null {
  const wrong = of.find((each) => typeof each !== 'number' && !mayBeReference(each))
  return wrong === undefined ? null : `${operator} compares numbers, and ${valueText(wrong)} is not a number`
}

function notTexts(of: readonly unknown[], operator: string): string | null {
  const wrong = of.find((each) => typeof each !== 'string' && !mayBeReference(each))
  return wrong === undefined ? null : `${operator} compares texts, and ${valueText(wrong)} is not a text`
}

function notList([, list]: readonly unknown[]): string | null {
  if (Array.isArray(list) || mayBeReference(list)) return null
  return `in needs a list, as in condition.in(value, [1, 2]), and ${valueText(list)} is not a list`
}

function notPattern([, pattern]: readonly unknown[]): string | null {
  if (typeof pattern === 'string') return patternProblem(pattern)
  const found = pattern instanceof RegExp ? String(pattern) : valueText(pattern)
  return `matches needs its pattern as text, as in condition.matches(value, '^A'), and it is ${found}`
}

/** Checks whether a value is an object, which is a reference in every condition that can hold. */
function mayBeReference(value: unknown): boolean {
  return isReference(value) || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

function storedPath(value: unknown): readonly string[] | null {
  if (typeof value !== 'object' || value === null || !('$from' in value)) return null
  const { $from } = value as { readonly $from?: unknown }
  return Array.isArray($from) ? $from.map(String) : null
}

function valueText(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  const text = textOf(value)
  return typeof text === 'string' ? text : typeof value
}

/** Returns a value as JSON. A value with a reference inside has no JSON. */
function textOf(value: unknown): unknown {
  try {
    return JSON.stringify(value)
  } catch {
    return 'an object'
  }
}

/** The outcomes that only a step with `onExhausted: 'continue'` can have. */
const failures: ReadonlySet<unknown> = new Set<StepOutcome>(['failed', 'timedOut', 'refused'])

/** Returns the ids of the steps that a condition asks whether they were given up. */
export function stepsAskedForFailure(template: Json): string[] {
  if (template === null) return []
  const { operator, of } = template as unknown as Condition
  if (operator === 'not' || operator === 'all' || operator === 'any')
    return of.flatMap((each) => stepsAskedForFailure(each as Json))
  const [asked = null, answer] = of as readonly Json[]
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  return answers.every((each) => failures.has(each)) ? [...stepsWithPart(asked, 'outcome')] : []
}
