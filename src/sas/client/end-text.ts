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

/** Says what a job that was undone has undone, and which steps may have an effect that stays, because they have no undo. */
export function undoneText({ steps: ledger }: JobDocument, steps: readonly StepDocument[]): string {
  const isUndone = ({ stepId }: StepDocument): boolean => ledger[stepId]?.state === 'Compensated'
  const staying = steps.filter((step) => !isUndone(step) && mayHaveActed(step)).map(({ stepId }) => stepId)
  if (staying.length === 0)
    return steps.some(isUndone) ? 'Everything was undone' : 'There was nothing to undo'
  const why = `the ${staying.length === 1 ? 'effect' : 'effects'} of ${listed(staying)} may stay, without an undo`
  return steps.some(isUndone) ? `What has an undo was undone; ${why}` : `Nothing was undone; ${why}`
}

/** Says how many items of a large list did not end well, if any. */
function failedItemsText(step: StepDocument): string[] {
  if (!isLargeList(step) || step.output === null) return []
  const { of, failed } = step.output as Partial<Pick<ItemsState, 'of' | 'failed'>>
  return of === undefined || failed === undefined || failed === 0
    ? []
    : [`${counted(failed, 'item')} of ${of} in step ${step.stepId} failed.`]
}
