/** @import { Job, Step } from './shapes.js' */

/**
 * A step in the order in which steps are undone. Steps with the same turn are undone at the same time.
 *
 * @typedef {{ turn: number | null, stepId: string, operation: string | null,
 *   kind: 'undone' | 'undoing' | 'failed' | 'ahead' | 'stays' | 'plain', what: string }} Undone
 */

/**
 * Returns what an undo of the job does, or has done, with each step that has begun. The steps that depend on a
 * step are undone before it. Steps that stay as they are come last.
 *
 * @param {Job} job
 * @returns {Undone[]}
 */
export function undoPathOf({ steps, compensation }) {
  const known = new Map(steps.map((step) => [step.stepId, undoOf(step, compensation !== null)]))
  const after = new Map(steps.map(({ stepId }) => [stepId, /** @type {string[]} */ ([])]))
  for (const { stepId, dependsOn } of steps) for (const id of dependsOn) after.get(id)?.push(stepId)
  /** @type {Map<string, number>} */
  const turns = new Map()
  // The steps are in the order of the workflow, so what depends on a step comes later.
  for (const { stepId } of [...steps].reverse()) {
    const before = Math.max(0, ...(after.get(stepId) ?? []).map((id) => turns.get(id) ?? 0))
    turns.set(stepId, before + (known.get(stepId)?.isUndone === true ? 1 : 0))
  }
  const rows = steps.flatMap(({ stepId, undo }) => {
    const found = known.get(stepId)
    if (found === undefined || found === null) return []
    const { isUndone, ...row } = found
    const turn = isUndone ? (turns.get(stepId) ?? null) : null
    return [{ turn, stepId, operation: isUndone ? (undo?.operation ?? null) : null, ...row }]
  })
  return rows.sort((one, other) => (one.turn ?? Infinity) - (other.turn ?? Infinity) || 0)
}

/**
 * @param {Step} step
 * @param {boolean} hasBegun whether the job is being undone, or was undone
 * @returns {(Pick<Undone, 'kind' | 'what'> & { isUndone: boolean }) | null}
 */
function undoOf({ state, kind, undo, mayHaveActed, direction, attention }, hasBegun) {
  if (attention?.kind === 'compensationFailed')
    return { isUndone: true, kind: 'failed', what: `the undo failed: ${attention.message}` }
  if (state === 'Compensated') return { isUndone: true, kind: 'undone', what: 'is undone' }
  if (direction === 'undo') return { isUndone: true, kind: 'undoing', what: 'is being undone' }
  if (kind !== 'operation') return null
  const isDone = state === 'Processed'
  if (!isDone && !mayHaveActed) return null
  const because = isDone ? 'it is done' : 'it may have acted'
  if (undo === null) return { isUndone: false, kind: 'stays', what: `stays: ${because}, and it has no undo` }
  if (!isDone && !undo.whenUncertain)
    return {
      isUndone: false,
      kind: 'stays',
      what: 'stays: it may have acted, but the workflow has undoUncertain: false',
    }
  return { isUndone: true, kind: 'ahead', what: hasBegun ? `is next in turn: ${because}` : because }
}
