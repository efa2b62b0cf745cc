import { largeListOf } from './item-jobs.js'
import type { Plan, PlanStep } from './plan.js'

/** How long a job may take, if every attempt lasts until its deadline and fails. */
export interface LongestTimes {
  /** The longest time of each step by step id, without the steps before it. Null if it is unknown. */
  readonly steps: ReadonlyMap<string, number | null>
  /** The longest time from the submission to the end of the last step. Null if a step's time is unknown. */
  readonly jobMs: number | null
  /** The longest time to undo all steps after that. */
  readonly undoMs: number
}

/**
 * Returns the deadlines that a plan adds up to. Time in which no process runs is not counted, and no time that
 * an operator takes. The time of a step is unknown if it sleeps until an instant,
 * or if it makes the items of a list jobs.
 */
export function longestTimes({ steps }: Pick<Plan, 'steps'>): LongestTimes {
  const own = new Map(steps.map((step) => [step.id, longestMs(step)]))
  const unknown = [...own.values()].some((ms) => ms === null)
  const undone = new Map(
    steps.map((step) => [step.id, step.undo === null ? 0 : step.maxFailures * step.completeWithinMs]),
  )
  return {
    steps: own,
    jobMs: unknown ? null : longestPath(steps, own),
    undoMs: longestPath(steps, undone),
  }
}

/** A pause after a failed attempt ends at the attempt's deadline at the latest, so it needs no time of its own. */
function longestMs(step: PlanStep): number | null {
  const { kind, input, maxFailures, completeWithinMs, repeat } = step
  // The time of a large list depends on its items.
  if (largeListOf(step) !== null) return null
  if (kind === 'gather') return 0
  if (kind === 'sleep') return (input as { readonly forMs?: number | null }).forMs ?? null
  if (kind === 'waitFor') return completeWithinMs
  const roundMs = maxFailures * completeWithinMs
  return repeat === undefined ? roundMs : repeat.atMost * roundMs + (repeat.atMost - 1) * repeat.everyMs
}

/** Returns the longest sum of times along the dependencies. A step comes after those on which it depends. */
function longestPath(steps: readonly PlanStep[], own: ReadonlyMap<string, number | null>): number {
  const ends = new Map<string, number>()
  for (const { id, dependsOn } of steps) {
    const begins = Math.max(0, ...dependsOn.map((before) => ends.get(before) ?? 0))
    ends.set(id, begins + (own.get(id) ?? 0))
  }
  return Math.max(0, ...ends.values())
}
