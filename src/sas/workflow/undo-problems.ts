import type { PlanStep, DraftedStep } from '../plan/plan.js'

/**
 * Returns a problem for each step without `undo` that may already be done when another step starts
 * compensation (R109). A step that depends on the failing step cannot be done at that time, so it needs no
 * undo.
 */
export function undoProblems(drafted: readonly DraftedStep[]): string[] {
  const ancestors = ancestorsOf(drafted.map(({ step }) => step))
  const failing = drafted.filter(
    ({ step }) => step.onExhausted === 'compensate' || step.onExhausted === 'compensateThenRetry',
  )
  return drafted.flatMap(({ step: { id }, name, saysHowToUndo }) => {
    if (saysHowToUndo) return []
    const by = failing.find(({ step }) => step.id !== id && ancestors.get(id)?.has(step.id) !== true)
    if (by === undefined) return []
    const step = `step ${JSON.stringify(name)}`
    const rule = `it may already be done when step ${JSON.stringify(by.name)} fails and the job is compensated`
    return [`${step}: ${rule}; give ${step} an undo, or undo: 'none' if it has no effect`]
  })
}

/**
 * Returns, for each step, all steps on which it depends, directly or indirectly. In `steps`, every step comes
 * after its dependencies.
 */
function ancestorsOf(steps: readonly PlanStep[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const { id, dependsOn } of steps) {
    found.set(id, new Set(dependsOn.flatMap((other) => [other, ...(found.get(other) ?? [])])))
  }
  return found
}

/** Returns the problem of a plan without steps. A step that could not be added has its own problem. */
export function emptyProblems(steps: readonly unknown[], problems: ReadonlySet<string>): readonly string[] {
  const isRefused = [...problems].some((what) => what.startsWith('step '))
  return steps.length === 0 && !isRefused ? ['it has no steps'] : []
}
