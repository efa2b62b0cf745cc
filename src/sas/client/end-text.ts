import { counted } from '../../platform/internal.js'
import { mayHaveActed } from '../decisions/claim.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { isLeftBehind } from '../model/work.js'
import type { ItemsState } from '../plan/item-jobs.js'
import { isLargeList, listed } from './list-progress.js'

/** Says which job goes on with the work of a job, and which effects stay. */
export function restartText({ jobId, from, kept = [] }: NonNullable<JobDocument['restartedAs']>): string {
  const left = kept.length === 0 ? '' : ` The effects of ${listed(kept)} stay, and no job undoes them.`
  return `It was restarted from step ${from} as job ${jobId}, which owns what it did.${left}`
}

/** Returns how a job ended well: every step is done or skipped, or the job went on without some steps or items. */
export function endText(
  { jobId, stepIds, steps: ledger }: JobDocument,
  steps: readonly StepDocument[],
): string {
  const left = stepIds.filter((stepId) => isLeftBehind(ledger[stepId]))
  const end = left.length === 0 ? 'Every step is done or skipped.' : `The job ended without ${listed(left)}.`
  const failed = steps.flatMap(failedItemsText)
  if (failed.length === 0) return end
  return `${end} ${failed.join(' ')} "stepward list --text ${jobId}/ --state Error" lists them.`
}

/** Says what a job that was undone has undone and why, and which effects may stay: those of steps without an undo, for example. */
export function undoneText(
  { compensation, stepIds, steps: ledger }: JobDocument,
  steps: readonly StepDocument[],
): string {
  const isUndone = (stepId: string): boolean => ledger[stepId]?.state === 'Compensated'
  const acted = new Set(steps.filter(mayHaveActed).map(({ stepId }) => stepId))
  const staying = stepIds.filter((stepId) => acted.has(stepId) && !isUndone(stepId))
  const why = compensation?.reason ?? 'see the audit'
  const isSomeUndone = stepIds.some(isUndone)
  if (staying.length === 0)
    return `${isSomeUndone ? 'Everything was undone' : 'There was nothing to undo'}: ${why}.`
  const what = isSomeUndone ? 'What has an undo was undone' : 'Nothing was undone'
  return `${what}: ${why}. The ${staying.length === 1 ? 'effect' : 'effects'} of ${listed(staying)} may stay.`
}

/** Says how many items of a large list did not end well, if any. */
function failedItemsText(step: StepDocument): string[] {
  if (!isLargeList(step) || step.output === null) return []
  const { of, failed } = step.output as Partial<Pick<ItemsState, 'of' | 'failed'>>
  return of === undefined || failed === undefined || failed === 0
    ? []
    : [`${counted(failed, 'item')} of ${of} in step ${step.stepId} failed.`]
}
