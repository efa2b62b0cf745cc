import { whenProblem } from './condition.js'
import type { Json } from '../model/documents.js'
import { lengthOf, listProblem, type FanOutInput, type GatherInput } from './gather.js'
import type { Plan, PlanStep } from './plan.js'
import { resolveTemplate, stepsReferredTo } from './template.js'

/** The plan as far as it can be needed by a job with this input, and why such a job is impossible. */
export interface FittedPlan {
  readonly plan: Plan
  readonly problems: readonly string[]
}

interface FanOut {
  readonly step: PlanStep
  readonly input: FanOutInput
}

/**
 * A plan has as many steps for a fan-out as its list may be long. Where the list is part of the job's input, its length
 * is known at submission, and steps beyond its end are never stored.
 */
export function fitPlan(plan: Plan, input: Json): FittedPlan {
  const known = { input, outputs: new Map<string, Json>() }
  const excess = new Set<string>()
  // Other code than ours may have made the plan.
  const problems = plan.steps.flatMap(({ id, when }) => {
    const problem = whenProblem({ when })
    return problem === null ? [] : [`step ${JSON.stringify(id)}: when: ${problem}`]
  })
  for (const { step, input: gathered } of plan.steps.flatMap(fanOutOf)) {
    if (stepsReferredTo(gathered.list).size > 0) continue
    const list = resolveTemplate(gathered.list, known)
    const problem = listProblem(list, gathered.atMost)
    // Where a condition may leave the fan-out out, the step that gathers says so if it comes to that.
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

/** The step where these steps are not stored: what gathers waits for what the missing ones would have waited for. */
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
