import { isDeepStrictEqual } from 'node:util'
import { audited } from '../../model/audit.js'
import { migratedSchema, type JobDocument, type Json, type StepDocument } from '../../model/documents.js'
import { deadline, withDerivedState } from '../../model/process-state.js'
import { isBehind } from '../../model/work.js'
import { pickUpWithinMs } from '../recover-job.js'
import { planEditOf, type PlanPart } from './input-edit.js'
import { list, type Standing } from './request.js'

/** The documents of a job as its submission would write them with the new plan. */
export interface Planned {
  readonly job: JobDocument
  readonly steps: readonly StepDocument[]
}

/** An operator's request to replace the plan of a job. */
export interface Migration {
  readonly planned: Planned
  readonly by: string
  readonly why: string
  /** Whether an older version of the workflow may replace a newer one. */
  readonly older: boolean
}

/** The documents of a migrated job, and what a migration does with each step. */
export interface Migrated {
  readonly job: JobDocument
  readonly changed: readonly StepDocument[]
  /** The steps that have begun, and whose plan is different in the new definition. They keep their plan. */
  readonly kept: readonly string[]
  /** Whether the parts of the plan that concern the whole job change. */
  readonly isJobChanged: boolean
}

/** The parts of a step that its plan decides, by the names that users know. */
const partsOf = (step: StepDocument): Readonly<Record<string, Json | undefined>> => ({
  agent: step.actor,
  operation: step.action,
  input: step.inputTemplate,
  when: step.when,
  after: step.dependsOn,
  completeWithinMs: step.completeWithinMs,
  tries: step.maxFailures,
  backoff: step.retryBackoff,
  onExhausted: step.jobGoesOn === true ? 'continue' : step.onExhausted,
  claim: step.isClaimRequired,
  initialState: step.initialState,
  targetState: step.targetState,
  undo: step.undo && {
    agent: step.undo.actor,
    operation: step.undo.action,
    input: step.undoTemplate ?? step.undo.inputTemplate,
    undoUncertain: step.undo.whenUncertain,
  },
  question: step.question as Json | undefined,
  count: step.collect?.count,
  repeat: step.repeat,
  limits: step.limits as Json | undefined,
  secrets: step.secrets,
})

const jobPartsOf = (job: JobDocument): Readonly<Record<string, Json | undefined>> => ({
  version: job.workflowVersion,
  onExhausted: job.onExhausted,
  maxGenerations: job.maxGenerations,
  result: job.resultTemplate,
  secrets: job.secrets,
  limits: job.limits as Json | undefined,
})

/**
 * Returns the documents of a job with a new plan (F-B6 to F-B9), or the reason why the job cannot have it. Steps that have
 * begun keep what they ran with, and their undo. All other steps get the new plan in one write (I39).
 */
export function migrate(standing: Standing, { planned, by, why, older }: Migration): Migrated | string {
  const { job, steps, now } = standing
  const problem =
    stateProblem(job, planned.job) ??
    (older ? null : versionProblem(job, planned.job)) ??
    shapeProblem(standing, planned.steps)
  if (problem !== null) return problem
  const pairs = planned.steps.flatMap((next) => {
    const step = steps.get(next.stepId)
    return step === undefined || isDeepStrictEqual(partsOf(step), partsOf(next)) ? [] : [{ step, next }]
  })
  const kept = pairs.flatMap(({ step }) => (hasBegun(job, step) ? [step.stepId] : []))
  const open = pairs.filter(({ step }) => !hasBegun(job, step))
  const changed = open.map(({ step, next }) => replanned(step, next))
  const wanted = wantedJob(job, planned.job)
  const isJobChanged = !isDeepStrictEqual(jobPartsOf(job), jobPartsOf(wanted))
  const edit = planEditOf([
    ...differing({ stepId: null, secrets: wanted.secrets ?? [] }, jobPartsOf(job), jobPartsOf(wanted)),
    ...open.flatMap(({ step, next }) => {
      const secrets = [...(step.secrets ?? []), ...(next.secrets ?? [])]
      return differing({ stepId: step.stepId, secrets }, partsOf(step), partsOf(next))
    }),
  ])
  const { resultTemplate: _resultTemplate, limits: _limits, ...own } = job
  const entry = { command: 'migrate' as const, stepId: null, at: new Date(now).toISOString(), by, why, edit }
  const after: JobDocument = {
    ...own,
    schema: Math.max(job.schema, planned.job.schema, migratedSchema),
    workflowVersion: wanted.workflowVersion,
    onExhausted: wanted.onExhausted,
    maxGenerations: wanted.maxGenerations,
    ...(wanted.resultTemplate === undefined ? {} : { resultTemplate: wanted.resultTemplate }),
    ...(wanted.secrets === undefined ? {} : { secrets: wanted.secrets }),
    ...(wanted.limits === undefined ? {} : { limits: wanted.limits }),
    steps: { ...job.steps, ...ledgerOf(job, changed) },
    audit: audited(job, entry),
    operatedAtMs: now,
    fence: job.fence + 1,
  }
  return { job: toBeScheduled(after, now), changed, kept, isJobChanged }
}

/**
 * Returns the job with its new plan. What the old plan or the new one keeps secret stays secret. A job that has come
 * to its limits keeps them.
 */
function wantedJob(job: JobDocument, planned: JobDocument): JobDocument {
  const known = job.secrets ?? []
  const added = (planned.secrets ?? []).filter(
    (path) => !known.some((other) => isDeepStrictEqual(other, path)),
  )
  const { limits: newLimits, ...rest } = planned
  const limits = job.place === undefined ? newLimits : job.limits
  return {
    ...rest,
    ...(limits === undefined ? {} : { limits }),
    maxGenerations: Math.max(job.generation, planned.maxGenerations),
    ...(known.length + added.length === 0 ? {} : { secrets: [...known, ...added] }),
  }
}

/** Checks whether an attempt, a wait or a place at a limit of the step began under its present plan. */
function hasBegun({ steps }: JobDocument, { stepId, dispatch, place }: StepDocument): boolean {
  return dispatch > 0 || place !== undefined || steps[stepId]?.state !== 'NotStarted'
}

function stateProblem(job: JobDocument, planned: JobDocument): string | null {
  const { jobId, processState, compensation, workflow } = job
  if (processState === 'Processed' || processState === 'Compensated')
    return `job ${jobId} is ${processState}: it has ended, and its plan has no effect any more`
  if (compensation !== null)
    return `job ${jobId} is being undone: a new plan has no effect before it is undone and resubmitted`
  if (planned.workflow === workflow) return null
  return `job ${jobId} runs workflow ${workflow}, and the new definition is of ${planned.workflow}`
}

/** A module that was loaded before a deployment has the old definition, and would undo an earlier migration. */
function versionProblem(
  { jobId, workflow, workflowVersion }: JobDocument,
  planned: JobDocument,
): string | null {
  if (planned.workflowVersion >= workflowVersion) return null
  const has = `job ${jobId} has version ${workflowVersion} of workflow ${workflow}`
  return `${has}, and the new definition is version ${planned.workflowVersion}: use the newer module, or allow an older version with "older"`
}

function shapeProblem({ job, steps }: Standing, planned: readonly StepDocument[]): string | null {
  const named = new Set(planned.map(({ stepId }) => stepId))
  const removed = job.stepIds.filter((stepId) => !named.has(stepId))
  if (removed.length > 0) return `the new definition lacks ${list(removed)}: a job keeps all its steps`
  const added = [...named].filter((stepId) => !steps.has(stepId))
  if (added.length > 0) return `the new definition adds ${list(added)}: the steps of a job are fixed`
  for (const next of planned) {
    const step = steps.get(next.stepId)
    const problem = step === undefined ? null : stepProblem(job, step, next)
    if (problem !== null) return problem
  }
  return null
}

function stepProblem(job: JobDocument, step: StepDocument, next: StepDocument): string | null {
  const { stepId } = step
  const [was, is] = [kindOf(step), kindOf(next)]
  if (was !== is) return `step ${stepId} is ${was}, and in the new definition ${is}: a step keeps its kind`
  if (hasBegun(job, step)) {
    const ahead = next.dependsOn.filter((id) => !isBehind(job.steps[id]) && !step.dependsOn.includes(id))
    if (ahead.length === 0) return null
    return `step ${stepId} has begun, and in the new definition it waits for ${list(ahead)}, not over yet`
  }
  const hasEvents = step.event !== null || (step.collect?.events.length ?? 0) > 0
  if (!hasEvents || step.collect?.count === next.collect?.count) return null
  return `step ${stepId} has events already, so the number of events that it collects cannot change`
}

function kindOf({ kind, question, collect }: StepDocument): string {
  if (kind === 'operation') return 'an operation'
  if (kind === 'sleep') return 'a sleep'
  if (kind === 'gather') return 'a forEach or a workflow within the workflow'
  if (question !== undefined) return 'a question'
  return collect === undefined ? 'a wait for an event' : 'a wait for several events'
}

/** Returns the step with its new plan. An event that came early, and the keys of the step, stay. */
function replanned(step: StepDocument, next: StepDocument): StepDocument {
  const { id, pk, jobId, orderId, idempotencyKey, generation, event, failureCount, diagnostics, ttl } = step
  return withDerivedState({
    ...next,
    ...{ id, pk, jobId, orderId, idempotencyKey, generation, event, failureCount, diagnostics, ttl },
    schema: Math.max(step.schema, next.schema),
    fence: step.fence + 1,
    ...(step.hasTickets === undefined ? {} : { hasTickets: step.hasTickets }),
    ...(next.collect === undefined
      ? {}
      : { collect: { count: next.collect.count, events: step.collect?.events ?? [] } }),
    planNumber: (step.planNumber ?? 0) + 1,
  })
}

/** Returns the ledger entries with which a scheduler notices that it remembers a step with its old plan. */
function ledgerOf({ steps }: JobDocument, changed: readonly StepDocument[]): JobDocument['steps'] {
  return Object.fromEntries(
    changed.flatMap(({ stepId, planNumber = 0 }) => {
      const entry = steps[stepId]
      return entry === undefined ? [] : [[stepId, { ...entry, planNumber }]]
    }),
  )
}

/** Requests a scheduler for a job that goes on. A job in Error stays there until an operator resubmits it. */
function toBeScheduled(job: JobDocument, now: number): JobDocument {
  if (job.processState === 'Error') return withDerivedState(job)
  return withDerivedState({ ...job, lockedBy: null, ...deadline(now + pickUpWithinMs) })
}

function differing(
  place: Pick<PlanPart, 'stepId' | 'secrets'>,
  before: Readonly<Record<string, Json | undefined>>,
  after: Readonly<Record<string, Json | undefined>>,
): PlanPart[] {
  return Object.keys(before).flatMap((part) =>
    isDeepStrictEqual(before[part], after[part])
      ? []
      : [{ ...place, part, before: before[part], after: after[part] }],
  )
}
