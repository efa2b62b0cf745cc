import { copyWith, copyWithout } from '../copies/copy-with.js'
import {
  begunSchema,
  doneSchema,
  type JobDocument,
  type PlannedStep,
  type StepDocument,
} from '../documents.js'
import { addDerivedState, deadline } from '../process-state.js'
import { successOf } from './done-step.js'
import type { BegunAttempt, DoneAttempt } from './planned-step.js'
import { unbegunStep, type StepOrigin } from './unbegun-step.js'

/** A step without a document of its own, in the form of a step that was read. */
type Planned = StepDocument & { readonly _etag: string; readonly _ts: number }

/** The etag of a step that has no document yet. The write that replaces such a step creates its document. */
export const etagOfPlanned = ''

const plannedField: ReadonlySet<PropertyKey> = new Set(['planned'])
const none: ReadonlyMap<string, Planned> = new Map()

interface Known {
  /** What the steps were made from. */
  readonly origin: StepOrigin
  readonly steps: ReadonlyMap<string, Planned>
  /** Those whose first attempts have begun. */
  readonly begun: readonly Planned[]
}

/** The planned steps of the jobs in memory, by the list in the job, which all copies of a version share. */
const known = new WeakMap<readonly PlannedStep[], Known>()

/**
 * Returns the steps of a job that have no document, by step id: as their submission would have written them (I45), in the
 * middle of their first attempt (I46), or done by it (I47).
 */
export function plannedSteps(job: JobDocument): ReadonlyMap<string, Planned> {
  return job.planned === undefined ? none : knownOf(job, job.planned).steps
}

/** Returns the steps of a job whose first attempts are under way, and that have no document yet (I46). */
export function begunInJob(job: JobDocument): readonly Planned[] {
  return job.planned === undefined ? [] : knownOf(job, job.planned).begun
}

/** Returns the steps of a job that have begun and have no document. They are in their first attempt, or done by it. */
export function startedInJob(job: JobDocument): readonly Planned[] {
  return [...plannedSteps(job).values()].filter(({ dispatch }) => dispatch > 0)
}

/** Returns the steps of a job that their first attempts have done, and that have no document (I47). */
export function doneInJob(job: JobDocument): readonly Planned[] {
  return startedInJob(job).filter(({ outcome }) => outcome !== null)
}

function knownOf(job: JobDocument, planned: readonly PlannedStep[]): Known {
  const earlier = known.get(planned)
  if (earlier !== undefined && isSameOrigin(earlier.origin, job)) return earlier
  return remember(planned, job, new Map(planned.map((step) => [step.id, asPlanned(stepOf(step, job))])))
}

function remember(
  planned: readonly PlannedStep[],
  origin: StepOrigin,
  steps: ReadonlyMap<string, Planned>,
): Known {
  const begun = [...steps.values()].filter(({ lockedBy }) => lockedBy !== null)
  // Without the rest of the job, which would stay in memory.
  const { pk, jobId, orderId, priority, workflow, workflowVersion } = origin
  const made = { origin: { pk, jobId, orderId, priority, workflow, workflowVersion }, steps, begun }
  known.set(planned, made)
  return made
}

function asPlanned(step: StepDocument): Planned {
  return Object.assign(step, { _etag: etagOfPlanned, _ts: 0 })
}

function isSameOrigin(one: StepOrigin, other: StepOrigin): boolean {
  return (
    one.jobId === other.jobId &&
    one.pk === other.pk &&
    one.priority === other.priority &&
    one.orderId === other.orderId &&
    one.workflow === other.workflow &&
    one.workflowVersion === other.workflowVersion
  )
}

/**
 * Adds the planned steps of a job to the documents of its steps. A document of a planned step was written after this version
 * of the job, or is left over from an earlier job with this id, so it is left out.
 */
export function withPlannedOf<S extends StepDocument>(
  job: JobDocument,
  documents: readonly S[],
): readonly (S | Planned)[] {
  const planned = plannedSteps(job)
  if (planned.size === 0) return documents
  return [...documents.filter(({ stepId }) => !planned.has(stepId)), ...planned.values()]
}

/** Checks whether a step of the job has a document of its own. */
export function hasDocument({ planned }: Pick<JobDocument, 'planned'>, stepId: string): boolean {
  return planned?.some(({ id }) => id === stepId) !== true
}

/**
 * Returns the job as it is after the documents of these steps are written with it.
 *
 * @param inJob planned steps whose first attempts begin or succeed with this write, in the job alone
 */
export function withDocumentsOf(
  job: JobDocument,
  steps: readonly Pick<StepDocument, 'stepId'>[],
  inJob: readonly (BegunStep | DoneStep)[] = [],
): JobDocument {
  const { planned } = job
  if (planned === undefined) return job
  const left: PlannedStep[] = []
  for (const plan of planned) {
    if (steps.some(({ stepId }) => stepId === plan.id)) continue
    const next = inJob.find(({ step }) => step.stepId === plan.id)
    if (next === undefined) left.push(plan)
    else left.push('done' in next ? { ...plan, done: next.done } : { ...plan, attempt: next.attempt })
  }
  if (inJob.length === 0 && left.length === planned.length) return job
  if (left.length === 0) return copyWithout(job, plannedField)
  keep(
    job,
    left,
    inJob.map(({ step }) => step),
  )
  const schema = Math.max(job.schema, ...inJob.map((next) => ('done' in next ? doneSchema : begunSchema)))
  return copyWith(job, { planned: left, schema })
}

/** Keeps the steps of a new list of planned steps, which are not made from the list then. */
export function keepPlanned(
  origin: StepOrigin,
  planned: readonly PlannedStep[],
  steps: readonly StepDocument[],
): void {
  remember(planned, origin, new Map(steps.map((step) => [step.stepId, asPlanned(copyWith(step))])))
}

/** Keeps what is known of planned steps for the next list of the job. `changed` replaces steps with the same ids. */
function keep(job: JobDocument, next: readonly PlannedStep[], changed: readonly StepDocument[]): void {
  const earlier = job.planned === undefined ? undefined : known.get(job.planned)
  if (earlier === undefined || !isSameOrigin(earlier.origin, job)) return
  const steps = new Map<string, Planned>()
  for (const { id } of next) {
    const after = changed.find(({ stepId }) => stepId === id)
    const step = after === undefined ? earlier.steps.get(id) : asPlanned(copyWith(after))
    if (step === undefined) return
    steps.set(id, step)
  }
  remember(next, earlier.origin, steps)
}

/** A planned step in the middle of its first attempt, and this attempt as the job has it. */
export interface BegunStep {
  readonly step: StepDocument
  readonly attempt: BegunAttempt
}

/** A planned step that its first attempt has done, and this success as the job has it. */
export interface DoneStep {
  readonly step: StepDocument
  readonly done: DoneAttempt
}

function stepOf(planned: PlannedStep, origin: StepOrigin): StepDocument {
  const step = unbegunStep(planned, origin)
  if (planned.attempt === undefined) return step
  const begun = inAttempt(step, planned.attempt)
  return planned.done === undefined ? begun : doneBy(begun, planned.done)
}

/** Changes a step in the middle of its first attempt to what it is after the success of this attempt. */
function doneBy(begun: StepDocument, done: DoneAttempt): StepDocument {
  const { undo, targetState } = begun
  return addDerivedState(
    Object.assign(begun, {
      lockedBy: null,
      currentState: targetState,
      outcome: successOf(done),
      output: done.output,
      mayHaveActed: true,
      ...deadline(null),
      ...(undo !== null && { undo: { ...undo, input: done.undo ?? null } }),
    }),
  )
}

/** Changes a step that was just made to what it is in the middle of its first attempt. */
function inAttempt(
  made: StepDocument,
  { undoInput, completeByMs, lockedBy, firstBy, input }: BegunAttempt,
): StepDocument {
  const { undo, targetState } = made
  return addDerivedState(
    Object.assign(made, {
      input,
      lockedBy,
      firstBy,
      desiredState: targetState,
      dispatch: 1,
      fence: 1,
      attempt: 1,
      ...deadline(completeByMs),
      ...(undo !== null &&
        undoInput !== undefined && {
          undo: { ...undo, inputTemplate: undoInput },
          undoTemplate: undo.inputTemplate,
        }),
    }),
  )
}
