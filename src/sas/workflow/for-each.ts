import type { OperationCall } from '../agents/agent.js'
import type { Json } from '../model/documents.js'
import { maxSteps } from '../plan/plan.js'
import { byScheduler, type PlanDraft, type Step } from './plan-draft.js'
import { reference, referencePath, toTemplate, type Reference } from '../model/reference.js'
import type { StepOptions } from './step-options.js'

/** How the steps of a fan-out are run: each by itself, with these options. */
export interface ForEachOptions<E, O> extends StepOptions {
  /** Items at most; a longer list is refused. One step is stored for each possible item of a list that is an output. Default 20. */
  readonly atMost?: number
  /** How one item is undone, given what its step returned; `'none'` when it had no effect. */
  readonly undo?: ((output: Reference<O>, item: Reference<E>) => OperationCall<unknown>) | 'none'
}

/** A fan-out as it is defined. */
export interface ForEachDraft<E, O> {
  readonly id: string
  readonly list: Reference<readonly E[]>
  readonly call: (item: Reference<E>, index: number) => OperationCall<O>
  readonly options: ForEachOptions<E, O>
}

/**
 * One step for each item that the list may have, `id-0`, `id-1` and so on, and the step `id` that gathers their outputs.
 * All of them are there from the beginning, like all steps (R16): those beyond the end of the list are left out.
 */
export function addForEach<E, O>(draft: PlanDraft, forEach: ForEachDraft<E, O>): Step<readonly O[]> {
  const { id, list, call, options } = forEach
  const { atMost = 20, undo, when, ...stepOptions } = options
  const refused: Step<readonly O[]> = { id, output: reference(['steps', id, 'output']) }
  if (!Number.isInteger(atMost) || atMost < 1 || atMost > maxSteps) {
    draft.problemOf(id, `atMost ${atMost} must be a whole number from 1 to ${maxSteps}`)
    return refused
  }
  const path = referencePath(list)
  if (path === null) {
    draft.problemOf(id, 'its list must be a reference: job.input, the output of a step, or a part of one')
    return refused
  }
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

/** A step that the scheduler ends as soon as it begins, with what its input comes to as its output. */
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
