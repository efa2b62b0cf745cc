import type { Json } from '../model/documents.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { Plan, PlanStep } from './plan.js'
import { resolveTemplate } from './template.js'

/** The operation that makes the items of a large list jobs, and counts their ends. Every agents role has it. */
export const itemsOperation = { actor: 'stepward', action: 'each' } as const

/** The largest number of items. */
export const maxItems = 1_000_000

/** The largest number of jobs of one list that are under way at the same time. */
export const maxAtOnce = 1_000

/** The number of failures that the output names. The others are found by the tag of the items. */
const namedFailures = 50
const maxMessageLength = 200

/** The input of the operation. */
export interface ItemsInput {
  readonly list: readonly Json[]
  readonly plan: Plan
  readonly atMost: number
  readonly atOnce: number
  readonly priority: number
  readonly retainForMs: number
  readonly completeWithinMs: number | null
}

/** An item that did not succeed. */
export interface ItemFailure {
  readonly index: number
  readonly jobId: string
  readonly message: string
}

/** The state of a large list after a round. Each index is not submitted, under way, done or failed (I32). */
export interface ItemsState {
  /** The number of items. */
  readonly of: number
  /** The first index that was not submitted. */
  readonly next: number
  /** The indexes whose jobs were submitted and not counted. */
  readonly underWay: readonly number[]
  readonly done: number
  readonly failed: number
  /** The first failures that were found, at most 50. */
  readonly failures: readonly ItemFailure[]
  readonly isOver: boolean
}

/** Returns the plan of the items of a step, and how many may be under way. Null for any other step. */
export function largeListOf({
  actor,
  action,
  input,
}: Pick<PlanStep, 'actor' | 'action' | 'input'>): Pick<ItemsInput, 'plan' | 'atOnce'> | null {
  if (actor !== itemsOperation.actor || action !== itemsOperation.action) return null
  // Only the list is a reference.
  return resolveTemplate(input, { input: null, outputs: new Map() }) as unknown as ItemsInput
}

/** Returns the limits of jobs of the items of a plan, and of their items. */
export function limitsOfItems({ steps }: Pick<Plan, 'steps'>): readonly PlanLimit[] {
  return steps.flatMap((step) => {
    const items = largeListOf(step)
    return items === null ? [] : [...(items.plan.limits ?? []), ...limitsOfItems(items.plan)]
  })
}

export function noItemsYet(of: number): ItemsState {
  return { of, next: 0, underWay: [], done: 0, failed: 0, failures: [], isOver: of === 0 }
}

/** Returns the indexes to submit now, in the order of the list. */
export function itemsToSubmit({ of, next, underWay }: ItemsState, atOnce: number): readonly number[] {
  const count = Math.max(0, Math.min(of - next, atOnce - underWay.length))
  return Array.from({ length: count }, (_, offset) => next + offset)
}

/** The end of an item: null if its job was submitted or is under way. */
export type ItemEnd = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly message: string } | null

/** Returns the state after these indexes, the next ones of the list, were submitted. */
export function withSubmitted(state: ItemsState, indexes: readonly number[]): ItemsState {
  return { ...state, next: state.next + indexes.length, underWay: [...state.underWay, ...indexes] }
}

/** Returns the state with the ends of these items. An index that is not under way is not counted again. */
export function withEnds(
  state: ItemsState,
  ends: ReadonlyMap<number, ItemEnd>,
  jobIdOf: (index: number) => string,
): ItemsState {
  const ended = state.underWay.flatMap((index) => {
    const end = ends.get(index) ?? null
    return end === null ? [] : [{ index, end }]
  })
  const over = new Set(ended.map(({ index }) => index))
  const failures = ended.flatMap(({ index, end }) =>
    end.kind === 'done'
      ? []
      : [{ index, jobId: jobIdOf(index), message: end.message.slice(0, maxMessageLength) }],
  )
  const next = {
    ...state,
    underWay: state.underWay.filter((index) => !over.has(index)),
    done: state.done + ended.length - failures.length,
    failed: state.failed + failures.length,
    failures: [...state.failures, ...failures].slice(0, namedFailures),
  }
  return { ...next, isOver: next.next === next.of && next.underWay.length === 0 }
}
