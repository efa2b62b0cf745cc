import type { Duration } from '../../platform/index.js'
import { isInstant } from '../../platform/internal.js'
import { duration, optional, readOptions } from '../../platform/options.js'
import { reference, referencePath, type ValueOrReference } from '../model/values/reference.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import { toTemplate } from '../model/values/to-template.js'
import { byScheduler, type PlanDraft } from './plan-draft.js'
import type { StepOptions } from './step-options.js'

/** Options of a sleep. */
export interface SleepOptions extends Pick<StepOptions, 'after' | 'when'> {
  /** A step that makes the sleep unnecessary when it is over. The sleep does not wait for it. */
  readonly orUntil?: { readonly id: string }
}

/** Adds a step that ends at a time, or when another step is over. */
export function addSleep(
  draft: PlanDraft,
  id: string,
  time: Duration | { readonly until: ValueOrReference<string> },
  { orUntil, ...options }: SleepOptions,
): Step<null> {
  const path = typeof time === 'object' ? referencePath(time) : null
  if (path !== null) {
    const name = path[0] === 'input' ? ['job', ...path].join('.') : 'step.output.at'
    draft.problemOf(id, `its time is a reference: write { until: ${name} }, which refers to a point in time`)
    return new StepHandle(id)
  }
  if (typeof time === 'object' && !('until' in time)) {
    draft.problemOf(
      id,
      "its time is missing: write job.sleep('three-days', '3d'), or { until: job.input.at }",
    )
    return new StepHandle(id)
  }
  const input = typeof time === 'object' ? time : forTime(draft, id, time)
  if ('until' in input && typeof input.until === 'string' && !isInstant(input.until)) {
    const rule = "it must be a point in time such as '2026-12-24T18:00:00Z'"
    draft.problemOf(id, `until is ${JSON.stringify(input.until)}; ${rule}`)
  }
  if (orUntil !== undefined && typeof orUntil.id !== 'string')
    draft.problemOf(id, 'orUntil must be a step, as in { orUntil: approved }')
  const cut = orUntil === undefined ? {} : { orUntil: reference(['steps', orUntil.id, 'outcomeSoFar']) }
  return draft.addStep<null>({
    id,
    kind: 'sleep',
    call: () => byScheduler(toTemplate({ ...input, ...cut }, 'input')),
    options: { ...options, undo: 'none' },
  })
}

function forTime(draft: PlanDraft, id: string, time: Duration): { readonly forMs: number | null } {
  const { values, problems } = readOptions({ time: optional(duration(), null) }, { time })
  for (const what of problems) draft.problemOf(id, what)
  return { forMs: values.time }
}
