import type { JobDocument, StepDocument } from '../../src/sas/documents.js'
import { owedBy } from '../../src/sas/generation.js'
import { idempotencyKey } from '../../src/sas/work.js'

/**
 * What services outside must have done for a job that has ended (I6, I21), counted by key over all generations: what is
 * Processed has its effect, and no other that is not known to be owed an undo. What was undone has none. Where a step
 * failed and nobody asked to undo it, its effect may be there or not.
 */
export function effectProblems(
  job: JobDocument,
  steps: ReadonlyMap<string, StepDocument>,
  effects: ReadonlySet<string>,
): readonly string[] {
  const isHome = job.processState === 'Compensated'
  return [...steps.values()]
    .filter(({ kind }) => kind === 'operation')
    .flatMap((step) => {
      const own = idempotencyKey(step, step.generation, 'do')
      const isWanted = step.processState === 'Processed' && !isHome
      const undone = isWanted && !effects.has(own) ? [`I21: ${own} is Processed and was never done`] : []
      const there = keysOf(step).filter((key) => effects.has(key))
      // Without an undo, or with one that is not for doubt, what took effect stays.
      if (isHome && step.undo?.whenUncertain === true) {
        return there.map((key) => `I6: job ${job.jobId} is Compensated, ${key} was not undone`)
      }
      const known = [...owedBy(step).map(({ generation }) => idempotencyKey(step, generation, 'do')), own]
      const forgotten = step.undo === null ? [] : there.filter((key) => !known.includes(key))
      return [...undone, ...forgotten.map((key) => `I6: ${key} has an effect and nobody knows of it`)]
    })
}

/** The keys that a step has had. */
function keysOf(step: StepDocument): readonly string[] {
  return Array.from({ length: step.generation }, (_, index) => idempotencyKey(step, index + 1, 'do'))
}
