import { optional, readOptions, wholeNumber } from '../../platform/options.js'
import type { OperationCall } from '../agents/agent.js'
import type { Json } from '../model/documents.js'
import { maxSteps } from '../plan/plan.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import { byScheduler, type PlanDraft } from './plan-draft.js'
import { reference, referencePath, type Reference } from '../model/values/reference.js'
import { toTemplate } from '../model/values/to-template.js'
import type { StepOptions } from './step-options.js'

/** The options of a fan-out, which apply to each of its steps. */
export interface ForEachOptions<E, O> extends StepOptions {
  /**
   * The largest number of items. A longer list is refused. If the list is an output of a step, one step is
   * stored for each possible item. Default 20.
   */
  readonly atMost?: number
  /**
   * Makes the undo for one item from the output of the item's step. Pass `'none'` if the step has no effect.
   */
  readonly undo?: ((output: Reference<O>, item: Reference<E>) => OperationCall<unknown>) | 'none'
}

export interface ForEachDraft<E, O> {
  readonly id: string
  readonly list: Reference<readonly E[]>
  readonly call: (item: Reference<E>, index: number) => OperationCall<O>
  readonly options: ForEachOptions<E, O>
}

/**
 * Adds one step for each possible item of the list (`id-0`, `id-1` and so on), and the step `id`, which
 * gathers their outputs. Like all steps, these steps exist from the beginning (R16). Steps beyond the end of
 * the list are skipped.
 */
export function addForEach<E, O>(draft: PlanDraft, forEach: ForEachDraft<E, O>): Step<readonly O[]> {
  const { id, list, call, options } = forEach
  const { atMost: given, undo, when, ...stepOptions } = options
  const { values, problems } = readOptions(
    { atMost: optional(wholeNumber(1, maxSteps), 20) },
    { atMost: given },
  )
  const { atMost } = values
  const refused: Step<readonly O[]> = new StepHandle(id)
  for (const what of problems) draft.problemOf(id, what)
  if (problems.length > 0) return refused
  const path = referencePath(list)
  if (path === null) {
    draft.problemOf(id, 'its list must be a reference (job.input, the output of a step, or a part of either)')
    return refused
  }
  if (typeof call !== 'function') {
    draft.problemOf(
      id,
      `it has no call; write job.forEach('pack', job.input.items, (item) => agent.operation({ item }))`,
    )
    return refused
  }
  draft.sharedConditionOf(id, { when })
  const items = Array.from({ length: atMost }, (_, index) => {
    const item = reference<E>([...path, String(index)])
    const isThere = { operator: 'hasItem' as const, of: [list, index, atMost] }
    return draft.addStep<O>({
      id: `${id}-${index}`,
      name: id,
      call: () => call(item, index),
      options: {
        ...stepOptions,
        when: when === undefined ? isThere : { operator: 'all', of: [isThere, when] },
        ...(undo === undefined ? {} : { undo: undo === 'none' ? undo : (output) => undo(output, item) }),
      },
    })
  })
  const input = { items: items.map(({ output }) => output), list, atMost }
  return addGather<readonly O[]>(draft, id, () => toTemplate(input, 'its list'), { when, after: items })
}

/** Adds a step that the scheduler ends as soon as it begins. The step's output is made from its input. */
export function addGather<O>(
  draft: PlanDraft,
  id: string,
  input: () => Json,
  {
    when,
    after,
  }: { readonly when: StepOptions['when'] | undefined; readonly after: readonly { readonly id: string }[] },
): Step<O> {
  return draft.addStep<O>({
    id,
    kind: 'gather',
    call: () => byScheduler(input()),
    options: { after, undo: 'none', ...(when === undefined ? {} : { when }) },
  })
}
