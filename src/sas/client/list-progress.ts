import { counted } from '../../platform/internal.js'
import type { StepDocument } from '../model/documents.js'
import type { Progress } from '../model/readable-parts.js'
import { itemsOperation, type ItemsState } from '../plan/item-jobs.js'

/** The most names in a sentence. */
export const mostNamed = 3

/** Returns names as a list, of which at most three are named. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed)
  const others = names.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${counted(others, 'other')}` : shown.join(' and ')
}

/** Checks whether a step makes the items of a large list jobs. No user wrote its agent. */
export function isLargeList({ actor, action, direction }: StepDocument): boolean {
  return direction === 'do' && actor === itemsOperation.actor && action === itemsOperation.action
}

/** Says how many items of a large list have ended. A new round reports nothing, so the round before tells. */
export function itemsText(step: StepDocument): string {
  const { done, of, note } = step.progress ?? endsBefore(step) ?? {}
  if (done === undefined || of === undefined) return `Step ${step.stepId} has counted no ended item yet`
  const failed = note === undefined || note === '' ? '' : `, ${note}`
  return `Step ${step.stepId}: ${grouped(done)} of ${grouped(of)} items have ended${failed}`
}

function endsBefore({ round }: StepDocument): Progress | null {
  const before = (round?.previous ?? null) as unknown as ItemsState | null
  if (before === null) return null
  return { done: before.done + before.failed, of: before.of, note: `${before.failed} failed` }
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
