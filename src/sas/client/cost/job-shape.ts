import { plannedSchema } from '../../model/documents.js'
import { shortestInJobMs } from '../../model/planned/begun-attempt.js'
import type { PlanLimit } from '../../model/gate-parts.js'
import type { Plan, PlanStep } from '../../plan/plan.js'
import { fitIntoJob, isPlannable, plannedStep } from '../../plan/planned-plan.js'
import { templateText } from '../../plan/template-text.js'
import { readSteps } from '../../store/read-steps.js'
import type { DocumentAddress, StateStore } from '../../store/state-store.js'
import { readableJob } from '../../store/unreadable-jobs.js'
import type { Planned, Workflow } from '../../workflow/workflow.js'
import type { JobShape } from './question.js'

/** Returns the shape of a job that succeeds, with one round of each repeated step. */
export function shapeOfWorkflow({
  plan,
  submission,
}: Planned & Pick<Workflow<unknown>, 'submission'>): JobShape {
  return { ...shapeOfPlan(plan), isRetained: submission.retainFor !== undefined }
}

/** Returns the shape of an item of a large list. Ended items are always deleted after a time. */
export function shapeOfItem(plan: Pick<Plan, 'steps' | 'limits'>): JobShape {
  return { ...shapeOfPlan(plan), isRetained: true, isItem: true }
}

function shapeOfPlan(plan: Pick<Plan, 'steps' | 'limits'>): JobShape {
  const planned = plan.steps.filter(isPlannable)
  const isLarge = !fitIntoJob(planned.map(plannedStep))
  return { ...shapeOf(plan, plan.steps), ...(isLarge && { storedSteps: plan.steps.length }) }
}

/** Checks whether a job is an item of a large list, by the tag that the list gave it. */
export function isItemOfList({
  jobId,
  tags,
}: {
  readonly jobId: string
  readonly tags: Readonly<Record<string, string>>
}): boolean {
  const parent = tags['parent']
  return parent !== undefined && jobId.startsWith(`${parent}/`)
}

/**
 * Reads what a job did: its claims, its limits and the rounds of its repeated steps. Returns null if the job does
 * not exist any more.
 *
 * @throws JobUnreadable if its document cannot be read
 */
export async function readJobShape(store: StateStore, address: DocumentAddress): Promise<JobShape | null> {
  const job = await readableJob(store, address)
  if (job === null) return null
  const steps = await readSteps(store, job)
  const repeated = steps.flatMap(({ repeat, round }) =>
    repeat === undefined ? [] : [{ everyMs: repeat.everyMs, more: Math.max(0, (round?.number ?? 1) - 1) }],
  )
  // Jobs with large plans, staged jobs and restarted ones began with the documents of all steps.
  const hasStoredAll =
    job.schema < plannedSchema && steps.some((step) => isPlannable(step) && step.dependsOn.length > 0)
  const sum = (rows: typeof repeated): number => rows.reduce((total, { more }) => total + more, 0)
  return {
    ...shapeOf(job, steps),
    ...(hasStoredAll && { storedSteps: steps.length }),
    isRetained: job.retainForMs !== null,
    rounds: sum(repeated.filter(({ everyMs }) => everyMs === 0)),
    pausedRounds: sum(repeated.filter(({ everyMs }) => everyMs > 0)),
  }
}

interface Limited {
  readonly limits?: readonly PlanLimit[] | undefined
}

type Step = Pick<PlanStep, 'kind' | 'dependsOn' | 'isClaimRequired' | 'completeWithinMs'> &
  Limited & { readonly repeat?: object | undefined; readonly secrets?: unknown }

/** Checks whether a step needs a document when it begins, unless it has one before. */
function needsDocument(step: Step): boolean {
  if (!isPlannable(step)) return false
  const { kind, isClaimRequired, limits = [], repeat, secrets, completeWithinMs } = step
  const isPlain = kind === 'operation' && !isClaimRequired && limits.length === 0 && repeat === undefined
  return !isPlain || secrets !== undefined || completeWithinMs < shortestInJobMs
}

function shapeOf({ limits: ofJob = [] }: Limited, steps: readonly Step[]): JobShape {
  // A step comes once to each of its limits.
  const lists = [ofJob, ...steps.map(({ limits = [] }) => limits)]
  const first = steps.filter(({ dependsOn }) => dependsOn.length === 0).flatMap(({ limits = [] }) => limits)
  return {
    steps: steps.length,
    storedSteps: steps.filter((step) => !isPlannable(step)).length,
    claimedSteps: steps.filter(({ kind, isClaimRequired }) => kind === 'operation' && isClaimRequired).length,
    documentedSteps: steps.filter(needsDocument).length,
    limits: lists.reduce((sum, list) => sum + new Set(list.map(limitText)).size, 0),
    isLimitedFirst: [...ofJob, ...first].some(({ perPartition }) => perPartition !== true),
  }
}

/** Returns the key of a limit as text. */
export function limitText({ key }: Pick<PlanLimit, 'key'>): string {
  return typeof key === 'string' ? key : templateText(key)
}
