import type { Json, StepDocument } from '../model/documents.js'
import { stepsReferredTo } from './template.js'

/**
 * What a step that gathers is given: the outputs of the steps of a fan-out, and the list that it fans out over; or one
 * value, put together from the outputs of several steps.
 */
export type GatherInput = FanOutInput | { readonly value: Json }

/** What the gathering step of a fan-out is given. */
export interface FanOutInput {
  readonly items: readonly Json[]
  readonly list: Json
  readonly atMost: number
}

/** What a gathering step comes to. */
export type Gathered =
  | { readonly kind: 'output'; readonly output: Json }
  /** What was to be a list is none, or a longer one than the workflow allows. */
  | { readonly kind: 'impossible'; readonly message: string }

/** The output of a gathering step with this resolved input. */
export function gather(input: GatherInput): Gathered {
  if ('value' in input) return { kind: 'output', output: input.value }
  const { items, list, atMost } = input
  const problem = listProblem(list, atMost)
  // The plan is stored in the job and does not change, so only a new job can use another definition.
  const advice = 'this job cannot go on: cancel it, and submit another one, with another id'
  if (problem !== null) return { kind: 'impossible', message: `${problem}; ${advice}` }
  return { kind: 'output', output: items.slice(0, lengthOf(list)) }
}

/** Why a fan-out over this value is not possible; null when it is. */
export function listProblem(list: Json | undefined, atMost: number): string | null {
  if (!Array.isArray(list))
    return `what it fans out over is not a list but ${list === null ? 'null' : typeof list}`
  const rule = `at most ${atMost} are allowed: a definition with a larger atMost, or a shorter list, is needed`
  return list.length > atMost ? `its list has ${list.length} items; ${rule}` : null
}

/** The items that a list has; none for what is no list. */
export function lengthOf(list: Json | undefined): number {
  return Array.isArray(list) ? list.length : 0
}

/**
 * The steps whose outputs a step cannot do without: it is left out when one of them is. A fan-out gathers what there
 * is: it needs its list only, because steps beyond the end of the list are always left out.
 */
export function neededBy({ kind, inputTemplate }: Pick<StepDocument, 'kind' | 'inputTemplate'>): Set<string> {
  const gathers = kind === 'gather' ? (inputTemplate as unknown as GatherInput) : null
  return stepsReferredTo(gathers !== null && 'list' in gathers ? gathers.list : inputTemplate)
}
