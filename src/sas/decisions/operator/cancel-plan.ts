import { mayHaveActed } from '../claim.js'
import { isLeftBehind } from '../../model/work.js'
import { owedBy } from '../owed-undos.js'
import type { JobDocument, StepDocument } from '../../model/documents.js'

/** The steps of a job by what a cancellation does with them, in the order of the workflow if nothing else is said. */
export interface CancelPlan {
  /** The steps under way. The outcomes of their attempts no longer count. */
  readonly stopped: readonly string[]
  /** The steps whose effects are undone, in the order of the undos: what depends on a step is undone before it. */
  readonly undone: readonly string[]
  /** The steps that have, or may have, an effect that no undo removes. */
  readonly kept: readonly string[]
  /** Those of the undone and kept steps that failed or are under way, and may have acted nevertheless. */
  readonly uncertain: readonly string[]
}

/** Returns what a cancellation does with each step that has begun, by the same rules as the undo of the job. */
export function cancelPlan(job: JobDocument, steps: readonly StepDocument[]): CancelPlan {
  const begun = job.stepIds.flatMap((stepId) => {
    const step = steps.find((each) => each.stepId === stepId)
    const entry = job.steps[stepId]
    return step === undefined || entry === undefined || entry.dispatch === 0 ? [] : [{ step, entry }]
  })
  const idsOf = (some: typeof begun) => some.map(({ step }) => step.stepId)
  const isUndone = ({ step, entry }: (typeof begun)[number]): boolean => {
    if (entry.state === 'Compensating') return true
    if (entry.state === 'Compensated' || entry.state === 'CompensationFailed') return false
    return entry.state === 'Processed' ? step.undo !== null : owedBy(step).length > 0
  }
  const isUncertain = ({ step, entry }: (typeof begun)[number]): boolean => {
    const isOpen = entry.state === 'Processing' || entry.state === 'Error' || isLeftBehind(entry)
    return isOpen && step.kind === 'operation' && mayHaveActed(step)
  }
  const mayLast = ({ step, entry }: (typeof begun)[number]): boolean => {
    const { state } = entry
    if (step.kind !== 'operation') return false
    if (state === 'Processed' || state === 'CompensationFailed') return true
    return isUncertain({ step, entry })
  }
  return {
    stopped: idsOf(
      begun.filter(({ step, entry }) => entry.state === 'Processing' && step.direction === 'do'),
    ),
    undone: idsOf(begun.filter(isUndone)).reverse(),
    kept: idsOf(begun.filter((each) => !isUndone(each) && mayLast(each))),
    uncertain: idsOf(begun.filter((each) => isUncertain(each) && (isUndone(each) || mayLast(each)))),
  }
}
