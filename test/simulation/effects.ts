import type { JobDocument, StepDocument } from '../../src/sas/documents.js'
import { idempotencyKey } from '../../src/sas/work.js'

/**
 * What services outside must have done for a job that has ended (I6, I21): what is Processed has its one effect, and
 * what was undone has none. Where a step failed and nobody asked to undo it, its effect may be there or not.
 */
export function effectProblems(
  job: JobDocument,
  steps: ReadonlyMap<string, StepDocument>,
  effects: ReadonlySet<string>,
): readonly string[] {
  const problems: string[] = []
  const isHome = job.processState === 'Compensated'
  for (const step of [...steps.values()].filter(({ kind }) => kind === 'operation')) {
    for (let generation = 1; generation <= job.generation; generation += 1) {
      const key = idempotencyKey(step, generation, 'do')
      const isWanted = step.processState === 'Processed' && step.generation === generation && !isHome
      if (isWanted && !effects.has(key)) problems.push(`I21: ${key} is Processed and was never done`)
      if (isHome && effects.has(key))
        problems.push(`I6: job ${job.jobId} is Compensated, ${key} was not undone`)
    }
  }
  return problems
}
