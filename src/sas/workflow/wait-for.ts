import { kind, readOptions } from '../../platform/options.js'
import { maxCollected } from '../model/question-parts.js'
import type { Step } from '../model/values/step-handle.js'
import { byScheduler, type PlanDraft } from './plan-draft.js'
import type { StepOptions } from './step-options.js'

/** Options of a step that waits for an event. */
export type WaitOptions = Pick<StepOptions, 'after' | 'when' | 'completeWithin' | 'onExhausted'>

/** Options of a step that collects events. */
export interface CollectOptions extends WaitOptions {
  /** The number of events, 1 to 1,000. */
  readonly count: number
}

const shape = {
  count: kind<number>(
    `a whole number from 1 to ${maxCollected}`,
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxCollected,
  ).optional(),
}

/** Adds a step that is done when its event was raised, or when it has collected its events. */
export function addWaitFor<T>(
  draft: PlanDraft,
  id: string,
  given: WaitOptions & Partial<CollectOptions>,
): Step<T> {
  const { count, ...options } = given
  const { problems } = readOptions(shape, 'count' in given ? { count } : {})
  for (const what of problems) draft.problemOf(id, what)
  return draft.addStep<T>({
    id,
    kind: 'waitFor',
    count: problems.length === 0 ? count : undefined,
    call: () => byScheduler(null),
    options: { completeWithin: '1d', retry: { tries: 1 }, undo: 'none', ...options },
  })
}
