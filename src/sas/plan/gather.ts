import type { Json, StepDocument } from '../model/documents.js'
import { ticketOf } from '../model/values/ticket.js'
import { stepsWithPart } from './template.js'

/**
 * The input of a gathering step: the list of a fan-out with the outputs of its steps, or one value made from
 * the outputs of several steps.
 */
export type GatherInput = FanOutInput | { readonly value: Json }

export interface FanOutInput {
  readonly items: readonly Json[]
  readonly list: Json
  readonly atMost: number
}

export type Gathered =
  | { readonly kind: 'output'; readonly output: Json }
  /** The value of the fan-out is not a list, or the list is longer than the workflow allows. */
  | { readonly kind: 'impossible'; readonly message: string }

export function gather(input: GatherInput): Gathered {
  if ('value' in input) return { kind: 'output', output: input.value }
  const { items, list, atMost } = input
  const problem = listProblem(list, atMost)
  // The plan is stored with the job and does not change, so only a new job can use another definition.
  const advice = 'this job cannot continue: cancel it, and submit another one, with another id'
  if (problem !== null) return { kind: 'impossible', message: `${problem}; ${advice}` }
  return { kind: 'output', output: items.slice(0, lengthOf(list)) }
}

/** Returns the reason why a fan-out over this value is impossible, or null. */
export function listProblem(list: Json | undefined, atMost: number): string | null {
  const items = itemsOf(list)
  if (items === null)
    return `the value that the step fans out over is not a list but ${list === null ? 'null' : typeof list}`
  const rule = `at most ${atMost} are allowed, so define a larger atMost, or shorten the list`
  return items > atMost ? `the list of the step has ${items} items; ${rule}` : null
}

export function lengthOf(list: Json | undefined): number {
  return itemsOf(list) ?? 0
}

/** Returns the length of a list, which may be in a payload, or null for any other value. */
export function itemsOf(list: Json | undefined): number | null {
  return Array.isArray(list) ? list.length : (ticketOf(list)?.items ?? null)
}

/**
 * Returns the steps whose outputs a step needs. If one of them is skipped, the step is skipped too. The
 * gathering step of a fan-out needs only its list, because steps beyond the end of the list are always
 * skipped.
 */
export function neededBy({
  kind,
  inputTemplate,
}: Pick<StepDocument, 'kind' | 'inputTemplate'>): ReadonlySet<string> {
  const gathers = kind === 'gather' ? (inputTemplate as unknown as GatherInput) : null
  return stepsWithPart(gathers !== null && 'list' in gathers ? gathers.list : inputTemplate, 'output')
}
