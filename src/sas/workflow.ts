import { namePattern, type Operation } from './agent.js'
import { durationMs, type Duration } from './duration.js'
import { PlanDraft, type Step } from './plan-draft.js'
import type { Plan } from './plan.js'
import { reference, type Bound, type Reference } from './reference.js'
import type { OnExhausted, StepOptions, Undo } from './step-options.js'

/** What a workflow definition is written with. */
export interface WorkflowBuilder<I> {
  /** Refers to the input of the job. */
  readonly input: Reference<I>
  /** Adds a step. Steps without a path of references or `after` between them run in parallel. */
  step<OI, O>(
    id: string,
    operation: Operation<OI, O>,
    input: Bound<OI>,
    options?: StepOptions & { readonly undo?: Undo<O> },
  ): Step<O>
  /** A step that is done when that time has passed, counted from when it begins, or at an instant (ISO-8601). */
  sleep(
    id: string,
    time: Duration | { readonly until: Bound<string> },
    options?: Pick<StepOptions, 'after' | 'when'>,
  ): Step<null>
  /**
   * A step that is done when `client.raiseEvent` is called with its id, even if that is before it begins; its output is
   * the event's payload. Without an event in `completeWithin` (default `'1d'`) it is exhausted at once.
   */
  waitFor<T>(
    id: string,
    options?: Pick<StepOptions, 'after' | 'when' | 'completeWithin' | 'onExhausted'>,
  ): Step<T>
  /**
   * What follows when a step failed, for every step that does not say. Default `'error'`.
   * `maxGenerations` bounds `compensateThenRetry`: after so many the job ends in error, undone. Default 3.
   */
  onExhausted(policy: OnExhausted, limits?: { readonly maxGenerations?: number }): void
}

/** A document of the user's own that is created in the same transaction as the job. */
export interface Alongside {
  readonly create: Readonly<Record<string, unknown>>
}

/** How an input becomes a job, when the submitter does not say. */
export interface SubmissionDefaults<I> {
  /** Turns what was read from a file or a request into an input; throws an Error that says what is wrong. */
  readonly parse?: (input: unknown) => I
  /** The job's id. The same id again is the same job. */
  readonly jobId?: (input: I) => string
  /** Documents created with the job, in its logical partition. */
  readonly alongside?: (input: I) => readonly Alongside[]
}

/** A workflow: its plan, and how inputs are submitted to it. */
export interface Workflow<I> {
  readonly name: string
  readonly plan: Plan
  readonly submission: SubmissionDefaults<I>
}

/** A definition that cannot be run, with everything that is wrong about it. */
export class WorkflowInvalid extends Error {
  override readonly name = 'WorkflowInvalid'
  constructor(
    workflow: string,
    readonly problems: readonly string[],
  ) {
    super(`workflow ${JSON.stringify(workflow)}: ${problems.join('; ')}`)
  }
}

/**
 * Defines a workflow. `build` runs once, at definition, and only describes: what comes out is plain JSON that travels
 * with every job.
 *
 * @throws WorkflowInvalid naming every problem: bad or repeated names, durations, limits, values that are not JSON
 */
export function defineWorkflow<I>(
  name: string,
  build: (job: WorkflowBuilder<I>) => void,
  options: SubmissionDefaults<I> & { readonly version?: number } = {},
): Workflow<I> {
  const { version = 1, ...submission } = options
  const draft = new PlanDraft()
  if (!namePattern.test(name)) draft.problem(`its name must match ${String(namePattern)}`)
  if (!Number.isInteger(version) || version < 1) {
    draft.problem(`version ${version} must be a whole number from 1`)
  }
  build({
    input: reference<I>(['input']),
    step: (id, operation, input, stepOptions = {}) =>
      draft.addStep({ id, operation, input, options: stepOptions }),
    sleep: (id, time, options = {}) => addSleep(draft, id, time, options),
    waitFor: (id, options = {}) =>
      draft.addStep({
        ...onItsOwn,
        id,
        kind: 'waitFor',
        input: null,
        options: { completeWithin: '1d', maxFailures: 1, undo: 'none', ...options },
      }),
    onExhausted: (policy, limits = {}) => draft.setOnExhausted(policy, limits.maxGenerations),
  })
  const compiled = draft.compile()
  if (compiled.problems.length > 0) throw new WorkflowInvalid(name, compiled.problems)
  const plan: Plan = { workflow: name, version, ...compiled.plan }
  return Object.freeze({ name, plan, submission })
}

/** Steps that the scheduler ends name no agent. */
const onItsOwn = { operation: { actor: '', action: '' } }

function addSleep(
  draft: PlanDraft,
  id: string,
  time: Duration | { readonly until: Bound<string> },
  options: StepOptions,
): Step<null> {
  const forMs = typeof time === 'object' ? null : durationMs(time)
  if (typeof time !== 'object' && forMs === null) {
    draft.problem(
      `step ${JSON.stringify(id)}: ${JSON.stringify(time)} must be a positive duration such as '30s'`,
    )
  }
  const input = typeof time === 'object' ? time : { forMs }
  return draft.addStep<unknown, null>({
    ...onItsOwn,
    id,
    kind: 'sleep',
    input,
    options: { ...options, undo: 'none' },
  })
}

/** Whether a value (an export of a user's module, say) is a workflow. */
export function isWorkflow(value: unknown): value is Workflow<unknown> {
  return (
    typeof value === 'object' && value !== null && 'plan' in value && 'submission' in value && 'name' in value
  )
}
