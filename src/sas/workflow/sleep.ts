import type { Duration } from '../../platform/index.js'
import { instantMs } from '../../platform/internal.js'
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
  const problem = timeProblem(time)
  if (problem !== null) {
    draft.problemOf(id, problem)
    return new StepHandle(id)
  }
  const input = typeof time === 'object' ? time : forTime(draft, id, time)
  if ('until' in input && typeof input.until === 'string' && instantMs(input.until) === null) {
    const rule = "it must be a point in time such as '2026-12-24T18:00:00Z'"
    draft.problemOf(id, `until is ${JSON.stringify(input.until)}; ${rule}`)
  }
  const other = orUntil?.id
  if (orUntil && typeof other !== 'string')
    draft.problemOf(id, 'orUntil must be a step, as in { orUntil: approved }')
  const cut = typeof other === 'string' ? { orUntil: reference(['steps', other, 'outcomeSoFar']) } : {}
  return draft.addStep<null>({
    id,
    kind: 'sleep',
    call: () => byScheduler(toTemplate({ ...input, ...cut }, 'input')),
    options: { ...options, undo: 'none' },
  })
}

/** Returns the reason, with advice, why a value of another kind is not the time of a sleep, or null. */
function timeProblem(time: unknown): string | null {
  const path = referencePath(time)
  if (path !== null) {
    const name = path[0] === 'input' ? ['job', ...path].join('.') : 'step.output.at'
    return `its time is a reference: write { until: ${name} }, which refers to a point in time`
  }
  if (time instanceof Date) return 'its time is a Date: write { until: date.toISOString() }'
  const missing = "its time is missing: write job.sleep('three-days', '3d'), or { until: job.input.at }"
  if (time === undefined || time === null) return missing
  if (typeof time !== 'object') return null
  const until: unknown = 'until' in time ? time.until : undefined
  if (until === undefined || until === null) return missing
  if (until instanceof Date) return 'until is a Date: write { until: date.toISOString() }'
  return until instanceof StepHandle ? 'until is a step: write { until: step.output.at }' : null
}

function forTime(draft: PlanDraft, id: string, time: Duration): { readonly forMs: number | null } {
  const { values, problems } = readOptions({ time: optional(duration(), null) }, { time })
  for (const what of problems) draft.problemOf(id, what)
  return { forMs: values.time }
}
