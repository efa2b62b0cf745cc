import type { Agent, Schedule, Workflow } from '../sas/index.js'
import { durationMs } from '../platform/internal.js'
import {
  agentOperations,
  calledOperations,
  conditionText,
  largeListOf,
  limitsOfItems,
  limitText,
  jobCharge,
  longestTimes,
  shapeOfItem,
  shapeOfWorkflow,
  usualDocumentKilobytes,
  type CalledOperation,
  type JobShape,
} from '../sas/internal.js'

type PlanLimit = NonNullable<Workflow<unknown>['plan']['limits']>[number]

/** What a module exports. */
export interface ModuleUnderCheck {
  readonly agents: readonly Agent[]
  readonly workflows: readonly Workflow<unknown>[]
  readonly schedules: readonly Schedule[]
}

/** One step of a plan, as it is shown to people. */
export interface CheckedStep {
  readonly id: string
  readonly kind: 'operation' | 'sleep' | 'waitFor' | 'ask' | 'gather'
  /** The operation as `agent.operation`, or null. */
  readonly calls: string | null
  readonly after: readonly string[]
  /** The condition as text, or null. */
  readonly when: string | null
  readonly tries: number
  readonly completeWithinMs: number
  /** The largest number of rounds of a repeated step. Null if the step runs once. */
  readonly rounds: number | null
  /** The workflow of the items of a list, of which each is a job, and how many are under way. Otherwise null. */
  readonly items: {
    readonly workflow: string
    readonly atOnce: number
    /** The request units of an item without faults, with its share of the count. */
    readonly charge: CheckedCharge
  } | null
  /** The request units of each round after the first one. Null if the step runs once. */
  readonly roundCharge: CheckedCharge | null
  readonly undo: string | null
  readonly limits: readonly CheckedLimit[]
  /** The longest time of the step. Null if it is unknown. */
  readonly longestMs: number | null
}

/** A limit of a step or of the jobs of a workflow. */
export interface CheckedLimit {
  /** The key as text. */
  readonly key: string
  readonly atOnce: number | null
  readonly perSecond: number | null
  /** Null if the limit has no burst, or no rate. Without it, the burst is the attempts of a second. */
  readonly burst: number | null
  /** Whether each partition has a limit of its own. */
  readonly perPartition: boolean
}

/** Request units with documents of the usual size, all roles, one partition, and one instance of each role. */
export interface CheckedCharge {
  readonly together: number
  readonly apart: number
}

export interface CheckedWorkflow {
  readonly name: string
  readonly version: number
  readonly steps: readonly CheckedStep[]
  /** The limits of its jobs. */
  readonly limits: readonly CheckedLimit[]
  /** The longest time to the end of the last step, if every attempt fails at its deadline. Null if unknown. */
  readonly longestMs: number | null
  /** The longest time to undo all steps. */
  readonly undoMs: number
  /**
   * The request units of a job without faults, with room in its limits and one round of each repeated step. Items of
   * large lists are not included.
   */
  readonly charge: CheckedCharge
}

export interface CheckReport {
  readonly workflows: readonly CheckedWorkflow[]
  readonly schedules: readonly { readonly id: string; readonly workflow: string }[]
  /** What will fail. */
  readonly problems: readonly string[]
  /** What may be wrong. */
  readonly warnings: readonly string[]
}

/** Checks what a module exports. Its definitions are valid, because otherwise the module could not be loaded. */
export function checkModule({ agents, workflows, schedules }: ModuleUnderCheck): CheckReport {
  const known = new Map(
    agents.map((agent) => agentOperations(agent)).map((each) => [each.name, each.operations]),
  )
  const calls = workflows.flatMap(({ plan }) => calledOperations(plan))
  const called = new Set(calls.map(({ actor }) => actor))
  const problems = [
    ...calls.flatMap((call) => callProblem(call, known.get(call.actor))),
    ...repeated(
      'workflow',
      workflows.map(({ name }) => name),
    ),
    ...repeated(
      'agent',
      agents.map((agent) => agentOperations(agent).name),
    ),
  ]
  const elsewhere = [...called].filter((actor) => !known.has(actor))
  const unused = [...known.keys()].filter((name) => !called.has(name))
  const warnings = [
    ...elsewhere.map((name) => elsewhereText(name, calls)),
    ...(workflows.length === 0
      ? []
      : unused.map((name) => `agent ${name} is called by no workflow of this module`)),
    ...workflows.flatMap(tooShort),
    ...workflows.flatMap(mayShareLimits),
  ]
  return {
    workflows: workflows.map(checkedWorkflow),
    schedules: schedules.map(({ id, definition }) => ({ id, workflow: definition.workflow })),
    problems,
    warnings,
  }
}

/** Names the operations of an agent that the module does not export. */
function elsewhereText(agent: string, calls: readonly CalledOperation[]): string {
  const actions = [...new Set(calls.flatMap(({ actor, action }) => (actor === agent ? [action] : [])))]
  const what = actions.map((action) => `${agent}.${action}`).join(', ')
  return `agent ${agent} is not in this module: export it, or another process must run ${what}`
}

function callProblem(
  { workflow, stepId, actor, action }: CalledOperation,
  operations: readonly string[] | undefined,
) {
  if (operations === undefined || operations.includes(action)) return []
  const rule = `agent ${actor} has no operation ${action}, it has ${operations.join(', ')}`
  return [`workflow ${workflow}: step ${stepId}: ${rule}`]
}

function repeated(what: string, names: readonly string[]): readonly string[] {
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  return [...new Set(twice)].map((name) => `${what} ${name} is exported twice, with different definitions`)
}

/** Warns if a job cannot be done within its own time, even if no attempt fails. */
function tooShort({ name, plan, submission }: Workflow<unknown>): readonly string[] {
  const { completeWithin } = submission
  if (completeWithin === undefined) return []
  const sleeps = plan.steps.map((step) => (step.kind === 'sleep' ? step : { ...step, completeWithinMs: 0 }))
  const { jobMs } = longestTimes({ steps: sleeps })
  const limitMs = durationMs(completeWithin)
  if (jobMs === null || limitMs === null || jobMs < limitMs) return []
  return [`workflow ${name}: its sleeps alone take as long as completeWithin`]
}

/**
 * Warns if the items of a list may need a place that the job of the list holds. The definition has refused equal texts,
 * but the values of references are known only for each job.
 */
function mayShareLimits({ name, plan }: Workflow<unknown>): readonly string[] {
  const ofJob = (plan.limits ?? []).filter(({ perPartition }) => perPartition !== true)
  return plan.steps.flatMap((step) => {
    const ofItems = limitsOfItems({ steps: [step] }).filter(({ perPartition }) => perPartition !== true)
    const pairs = ofJob.flatMap((own) =>
      ofItems
        .filter(({ key }) => typeof key !== 'string' || typeof own.key !== 'string')
        .map((each) => `${limitText(each)}, is ${limitText(own)} of the job`),
    )
    const [first] = pairs
    if (first === undefined) return []
    const rule = 'the job and its items wait for each other without end; give the items other keys'
    return [`workflow ${name}: step ${step.id}: if the key of a limit of its items, ${first}, ${rule}`]
  })
}

const usual = {
  documentKilobytes: usualDocumentKilobytes,
  indexing: 'lean',
  partitions: 1,
  instances: 1,
  hasNotifier: true,
} as const

function chargeOf(shape: JobShape): CheckedCharge {
  const charge = (isTogether: boolean): number =>
    Math.round(jobCharge({ ...usual, ...shape, isTogether }) * 10) / 10
  return { together: charge(true), apart: charge(false) }
}

/** Returns the request units of each round of a step after the first one. */
function roundCharge(everyMs: number): CheckedCharge {
  const shape = { steps: 1, claimedSteps: 0 }
  const [one, two] = [shape, { ...shape, [everyMs > 0 ? 'pausedRounds' : 'rounds']: 1 }].map(chargeOf)
  const more = (how: keyof CheckedCharge): number =>
    Math.round(((two?.[how] ?? 0) - (one?.[how] ?? 0)) * 10) / 10
  return { together: more('together'), apart: more('apart') }
}

function checkedLimit(limit: PlanLimit): CheckedLimit {
  const { atOnce = null, perSecond = null, burst = null, perPartition = false } = limit
  return { key: limitText(limit), atOnce, perSecond, burst, perPartition }
}

function checkedWorkflow({ name, plan, submission }: Workflow<unknown>): CheckedWorkflow {
  const { steps: own, jobMs, undoMs } = longestTimes(plan)
  return {
    name,
    version: plan.version,
    steps: plan.steps.map((step): CheckedStep => {
      const items = largeListOf(step)
      return {
        id: step.id,
        kind: step.question === undefined ? step.kind : 'ask',
        calls: step.kind === 'operation' && items === null ? `${step.actor}.${step.action}` : null,
        after: step.dependsOn,
        when: step.when === null ? null : conditionText(step.when),
        tries: step.maxFailures,
        completeWithinMs: step.completeWithinMs,
        rounds: items === null ? (step.repeat?.atMost ?? null) : null,
        items:
          items === null
            ? null
            : {
                workflow: items.plan.workflow,
                atOnce: items.atOnce,
                charge: chargeOf(shapeOfItem(items.plan)),
              },
        roundCharge: items !== null || step.repeat === undefined ? null : roundCharge(step.repeat.everyMs),
        undo: step.undo === null ? null : `${step.undo.actor}.${step.undo.action}`,
        limits: (step.limits ?? []).map(checkedLimit),
        longestMs: own.get(step.id) ?? null,
      }
    }),
    limits: (plan.limits ?? []).map(checkedLimit),
    longestMs: jobMs,
    undoMs,
    charge: chargeOf(shapeOfWorkflow({ plan, submission })),
  }
}
