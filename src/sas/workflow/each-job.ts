import type { Duration } from '../../platform/index.js'
import { duration, optional, readOptions, wholeNumber } from '../../platform/options.js'
import { durationMs } from '../../platform/internal.js'
import { condition, conditionTemplate } from '../plan/condition.js'
import type { Json } from '../model/values/json.js'
import { reference, referencePath, type Reference } from '../model/values/reference.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import { toTemplate } from '../model/values/to-template.js'
import {
  itemsOperation,
  limitsOfItems,
  maxAtOnce,
  maxItems,
  type ItemFailure,
  type ItemsInput,
  type ItemsState,
} from '../plan/item-jobs.js'
import type { Plan } from '../plan/plan.js'
import type { PlanDraft } from './plan-draft.js'
import type { StepOptions } from './step-options.js'

/** The options of a list whose items are jobs of their own. */
export interface ForEachJobOptions extends Pick<
  StepOptions,
  'after' | 'when' | 'onExhausted' | 'completeWithin' | 'retry'
> {
  /** The largest number of items, at most 1,000,000. A longer list is refused. Default 100,000. */
  readonly atMost?: number
  /** The largest number of items that are under way at the same time, at most 1,000. Default 100. */
  readonly atOnce?: number
  /** The time for which an item is kept after it has ended well, at least 1 day. Default 7 days. */
  readonly retainFor?: Duration
}

/** What became of the items of a list. Their outputs are in their own jobs. */
export interface ItemsResult {
  /** The number of items. */
  readonly of: number
  readonly done: number
  readonly failed: number
  /** The first failures, at most 50. */
  readonly failures: readonly ItemFailure[]
}

export interface ForEachJobDraft {
  readonly id: string
  readonly list: Reference<readonly unknown[]>
  readonly workflow: { readonly plan: Plan; readonly submission: ItemDefaults }
  readonly options: ForEachJobOptions
}

/** The defaults of the items' workflow. */
interface ItemDefaults {
  readonly priority?: number
  readonly completeWithin?: Duration
  readonly retainFor?: Duration
}

const dayMs = 86_400_000

const shape = {
  atMost: optional(wholeNumber(1, maxItems), 100_000),
  atOnce: optional(wholeNumber(1, maxAtOnce), 100),
  retainFor: optional(duration(dayMs)),
}

/** A round fails if the store is away, so it is tried for a while. */
const retry = { tries: 10 }

/** Adds a repeated step that submits the items of a list as jobs, and counts their ends. */
export function addForEachJob(
  draft: PlanDraft,
  { id, list, workflow, options }: ForEachJobDraft,
): Step<ItemsResult> {
  const { atMost, atOnce, retainFor, ...stepOptions } = options
  const given = Object.entries({ atMost, atOnce, retainFor }).filter(([, value]) => value !== undefined)
  const { values, problems } = readOptions(shape, Object.fromEntries(given))
  for (const what of problems) draft.problemOf(id, what)
  if (typeof Reflect.get(options, 'undo') === 'function')
    draft.problemOf(id, 'its items have no undo: undo them in their own workflow')
  if (referencePath(list) === null)
    draft.problemOf(id, 'its list must be a reference (job.input, the output of a step, or a part of either)')
  if (problems.length > 0 || referencePath(list) === null) return new StepHandle(id)
  const { plan, submission } = workflow
  draft.limitedItems.push({ stepId: id, limits: [...(plan.limits ?? []), ...limitsOfItems(plan)] })
  const input: Record<keyof ItemsInput, unknown> = {
    list,
    plan: JSON.parse(JSON.stringify(plan)) as Json,
    atMost: values.atMost,
    atOnce: values.atOnce,
    priority: submission.priority ?? 0,
    retainForMs: values.retainFor ?? Math.max(dayMs, msOf(submission.retainFor) ?? 7 * dayMs),
    completeWithinMs: msOf(submission.completeWithin),
  }
  const isOver = condition.equal(reference<ItemsState>(['steps', id, 'output']).isOver, true)
  const repeat = { until: conditionTemplate(isOver), everyMs: 0, atMost: 1_000_000 }
  return draft.addStep<ItemsResult>({
    id,
    call: () => ({ ...itemsOperation, input: toTemplate(input, 'input') }),
    options: { retry, ...stepOptions, undo: 'none' },
    repeat,
  })
}

function msOf(given: Duration | undefined): number | null {
  return given === undefined ? null : durationMs(given)
}
