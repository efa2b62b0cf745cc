import type { PlanStep, DraftedStep } from '../plan/plan.js'

/**
 * Steps that may be done when another one sets off compensation, and whose definition does not say how they are undone
 * (R109). A step that comes after the failing one cannot be done by then and needs no undo.
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
    const rule = `may be done when step ${JSON.stringify(by.name)} fails, which compensates`
    return [`step ${JSON.stringify(name)}: ${rule}: give it an undo, or undo: 'none' when it has no effect`]
  })
}

/** Every step that a step waits for, directly or through others. Steps stand after those they wait for. */
function ancestorsOf(steps: readonly PlanStep[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const { id, dependsOn } of steps) {
    found.set(id, new Set(dependsOn.flatMap((other) => [other, ...(found.get(other) ?? [])])))
  }
  return found
}
