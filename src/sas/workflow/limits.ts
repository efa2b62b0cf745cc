import { readLimits, type Limit } from '../gates/limit-options.js'
import type { PlanLimit } from '../model/gate-parts.js'

/** The parts of a draft that the limits of a step need. */
interface LimitsDraft {
  problemOf(stepId: string, what: string): void
}

/**
 * Returns the limits of a step as they are stored: its own, and those of its operation. If both have the same key,
 * the step's own limit counts. Notes what is wrong with them.
 */
export function limitsOf(
  draft: LimitsDraft,
  name: string,
  own: readonly Limit[] | undefined,
  ofOperation: readonly Limit[] | undefined,
): readonly PlanLimit[] | undefined {
  if (own === undefined && ofOperation === undefined) return undefined
  const wrong = [own, ofOperation].find((list: unknown) => list !== undefined && !Array.isArray(list))
  const { limits, problems } = readLimits(wrong ?? [...(own ?? []), ...(ofOperation ?? [])])
  for (const what of problems) draft.problemOf(name, what)
  return limits
}

/** Returns the parts of limits that may contain references. */
export function templatesOf(limits: readonly PlanLimit[] = []): readonly PlanLimit['key'][] {
  return limits.flatMap(({ key, fairBy = null }) => [key, fairBy])
}
