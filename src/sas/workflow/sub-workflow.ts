import type { Json } from '../model/documents.js'
import type { PlanLimit } from '../model/gate-parts.js'
import { addGather } from './for-each.js'
import type { PlanStep, DraftedStep } from '../plan/plan.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import type { Drafted, PlanDraft } from './plan-draft.js'
import { toTemplate } from '../model/values/to-template.js'
import type { StepOptions } from './step-options.js'
import { substitute } from '../plan/template.js'

/** A workflow that is a part of another workflow. */
export interface RunDraft {
  readonly id: string
  /** Undefined if the value in the place of the workflow is not a workflow. */
  readonly drafted: Drafted | undefined
  readonly input: unknown
  readonly options: Pick<StepOptions, 'after' | 'when'>
}

/**
 * Adds the steps of another workflow, each with the prefix `id-`, and the step `id`, which is done after all
 * these steps. The output of the step `id` is the result of the other definition. The added steps begin when
 * all values in `input` are known. The other workflow keeps its own failure policy. If it has no policy, the
 * policy of the outer workflow applies.
 */
export function addRun<O>(draft: PlanDraft, { id, drafted, input, options }: RunDraft): Step<O> {
  if (drafted === undefined) {
    const rule =
      "pass a workflow made by defineWorkflow; an operation is called by job.step('pay', agent.operation, { … })"
    draft.problemOf(id, `it runs no workflow; ${rule}`)
    return new StepHandle(id)
  }
  if (drafted.hasLimits) {
    const rule =
      'a part of another job has no place of its own: give limits to its steps, or call job.limits here'
    draft.problemOf(id, `it runs a workflow with job.limits; ${rule}`)
  }
  const given = draft.template(id, '', () => toTemplate(input, 'input'))
  const condition = draft.sharedConditionOf(id, options)
  const first = draft.dependencies(id, options, { input: [given, condition], undo: null, own: id })
  const rename = (stepId: string): string => `${id}-${stepId}`
  const rewritten = (template: Json): Json => substitute(template, given, rename)
  for (const inner of drafted.steps)
    draft.include(inlined(inner, drafted, { first, condition, rename, rewritten }))
  const isWaitedFor = new Set(drafted.steps.flatMap(({ step }) => step.dependsOn))
  const last = drafted.steps.filter(({ step }) => !isWaitedFor.has(step.id))
  const after = last.map(({ step }) => ({ id: rename(step.id) }))
  return addGather<O>(draft, id, () => ({ value: rewritten(drafted.output) }), { when: options.when, after })
}

interface Inlining {
  readonly first: readonly string[]
  readonly condition: Json
  readonly rename: (stepId: string) => string
  readonly rewritten: (template: Json) => Json
}

function inlined(
  { step, name, inheritsPolicy, saysHowToUndo }: DraftedStep,
  { onExhausted }: Drafted,
  { first, condition, rename, rewritten }: Inlining,
): DraftedStep {
  const part: PlanStep = {
    ...step,
    id: rename(step.id),
    when: both(condition, rewritten(step.when)),
    input: rewritten(step.input),
    dependsOn: step.dependsOn.length === 0 ? first : step.dependsOn.map(rename),
    ...(step.limits && { limits: step.limits.map((limit) => renamed(limit, rewritten)) }),
    ...(step.repeat && { repeat: { ...step.repeat, until: rewritten(step.repeat.until) } }),
    undo: step.undo && { ...step.undo, input: rewritten(step.undo.input) },
    onExhausted: inheritsPolicy ? (onExhausted ?? step.onExhausted) : step.onExhausted,
  }
  return {
    step: part,
    name: rename(name),
    inheritsPolicy: inheritsPolicy && onExhausted === null,
    saysHowToUndo,
  }
}

function renamed(limit: PlanLimit, rewritten: Inlining['rewritten']): PlanLimit {
  const { key, fairBy } = limit
  return { ...limit, key: rewritten(key), ...(fairBy !== undefined && { fairBy: rewritten(fairBy) }) }
}

function both(outer: Json, inner: Json): Json {
  if (outer === null || inner === null) return outer ?? inner
  return { operator: 'all', of: [outer, inner] }
}
