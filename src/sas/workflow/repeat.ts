import type { Duration } from '../../platform/index.js'
import { duration, optional, readOptions, wholeNumber } from '../../platform/options.js'
import { conditionTemplate, type Condition } from '../plan/condition.js'
import { conditionProblem } from '../plan/condition-problem.js'
import { reference, type Reference } from '../model/values/reference.js'
import type { Json } from '../model/values/json.js'
import type { Step } from '../model/values/step-handle.js'
import type { PlanDraft, StepDraft } from './plan-draft.js'
import type { StepOptions, Undo } from './step-options.js'

/** Options of a repeated step. */
export interface RepeatOptions<O> extends StepOptions {
  /** Returns the condition on the output of a round with which the repetition ends. */
  readonly until: (output: Reference<O>) => Condition
  /** The pause between the end of a round and the next round. Default: no pause. */
  readonly every?: Duration
  /** The largest number of rounds, at most 1,000,000. Default 1,000. */
  readonly atMost?: number
}

interface RepeatDraft<O> extends Pick<StepDraft<O>, 'id' | 'call'> {
  readonly options: RepeatOptions<O> & { readonly undo?: Undo<O> }
}

const maxRounds = 1_000_000

const shape = { every: optional(duration(), 0), atMost: optional(wholeNumber(1, maxRounds), 1_000) }

/** Adds a step whose operation is called in rounds. */
export function addRepeat<O>(draft: PlanDraft, { id, call, options: given }: RepeatDraft<O>): Step<O> {
  const { until, every, atMost, ...options } = given
  const { values, problems } = readOptions(shape, {
    ...(every !== undefined && { every }),
    ...(atMost !== undefined && { atMost }),
  })
  for (const what of problems) draft.problemOf(id, what)
  const ended = untilOf(draft, id, until)
  const repeat = { until: ended, everyMs: values.every, atMost: values.atMost }
  return draft.addStep<O>({ id, call, options, repeat })
}

function untilOf(
  draft: PlanDraft,
  id: string,
  until: ((output: Reference<never>) => unknown) | undefined,
): Json {
  if (typeof until !== 'function') {
    draft.problemOf(id, 'until must be a function, as in (output) => condition.equal(output.state, "ready")')
    return null
  }
  const condition = until(reference<never>(['steps', id, 'output']))
  const problem = conditionProblem(condition)
  if (problem !== null) {
    draft.problemOf(id, `until: ${problem}`)
    return null
  }
  return draft.template(id, 'until: ', () => conditionTemplate(condition as Condition))
}
