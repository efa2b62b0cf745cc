import { whenProblem } from './condition-problem.js'
import type { Json } from '../model/documents.js'
import { lengthOf, listProblem, type FanOutInput, type GatherInput } from './gather.js'
import type { Plan, PlanStep } from './plan.js'
import { resolveTemplate, stepsReferredTo } from './template.js'

/** The part of a plan that a job with this input can need, and the problems that prevent such a job. */
export interface FittedPlan {
  readonly plan: Plan
  readonly problems: readonly string[]
}

interface FanOut {
  readonly step: PlanStep
  readonly input: FanOutInput
}

/**
 * Removes steps that a job with this input can never need. A plan has one step for each possible item of a
 * fan-out. If the list is part of the job's input, its length is known at submission. Then steps beyond the
 * end of the list are not stored.
 */
export function fitPlan(plan: Plan, input: Json): FittedPlan {
  const known = { input, outputs: new Map<string, Json>() }
  const excess = new Set<string>()
  // The conditions are checked here too, because other code may have made the plan.
  const problems = plan.steps.flatMap(({ id, when }) => {
    const problem = whenProblem({ when })
    return problem === null ? [] : [`step ${JSON.stringify(id)}: when: ${problem}`]
  })
  for (const { step, input: gathered } of plan.steps.flatMap(fanOutOf)) {
    if (stepsReferredTo(gathered.list).size > 0) continue
    const list = resolveTemplate(gathered.list, known)
    const problem = listProblem(list, gathered.atMost)
    // If a condition may skip the fan-out, its gathering step reports the problem when that step begins.
    if (problem !== null && step.when === null) problems.push(`step ${JSON.stringify(step.id)}: ${problem}`)
    const beyond = gathered.items.slice(problem === null ? lengthOf(list) : 0)
    for (const stepId of stepsReferredTo(beyond)) excess.add(stepId)
  }
  const left = plan.steps.filter(({ id }) => excess.has(id))
  const steps = plan.steps.filter(({ id }) => !excess.has(id)).map((step) => without(step, left))
  return { plan: { ...plan, steps }, problems }
}

function fanOutOf(step: PlanStep): FanOut[] {
  const input = step.input as unknown as GatherInput
  return step.kind === 'gather' && 'list' in input ? [{ step, input }] : []
}

/**
 * Removes references to missing steps from a gathering step. The step gets the dependencies of the missing
 * steps instead.
 */
function without(step: PlanStep, missing: readonly PlanStep[]): PlanStep {
  const [fanOut] = fanOutOf(step)
  const ids = new Set(missing.map(({ id }) => id))
  if (fanOut === undefined || !step.dependsOn.some((id) => ids.has(id))) return step
  const items = fanOut.input.items.filter((item) => ![...stepsReferredTo(item)].some((id) => ids.has(id)))
  const inherited = missing.flatMap(({ id, dependsOn }) => (step.dependsOn.includes(id) ? dependsOn : []))
  const dependsOn = new Set([...step.dependsOn, ...inherited].filter((id) => !ids.has(id)))
  return {
    ...step,
    dependsOn: [...dependsOn],
    input: { items, list: fanOut.input.list, atMost: fanOut.input.atMost },
  }
}
