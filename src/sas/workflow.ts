import { namePattern, type Operation } from './agent.js'
import { durationMs, type Duration } from './duration.js'
import type { Json } from './documents.js'
import { stepsReferredTo, type Plan, type PlanStep } from './plan.js'
import { NotPlainDataError, reference, toTemplate, type Bound, type Reference } from './reference.js'

/** How one step is run. */
export interface StepOptions {
  /** Steps that must be done first although their output is not used. */
  readonly after?: readonly Step<unknown>[]
  /** How long an attempt may take at worst, including the time until an agent picks it up. Default `'1m'`. */
  readonly completeWithin?: Duration
  /** Attempts that may end without success before the step is given up. Default 3. */
  readonly maxFailures?: number
  /** How long to wait after a reported failure before the next attempt; doubles each time. Default 1 s to 1 m. */
  readonly retryBackoff?: { readonly min: Duration; readonly max: Duration }
  /** What the step is before and after, in your words. Default `NotStarted` and `Completed`. */
  readonly initialState?: string
  readonly targetState?: string
}

/** A step of a workflow being defined; `output` refers to what its operation will return. */
export interface Step<O> {
  readonly id: string
  readonly output: Reference<O>
}

/** What a workflow definition is written with. */
export interface WorkflowBuilder<I> {
  /** Refers to the input of the job. */
  readonly input: Reference<I>
  /** Adds a step. Steps without a path of references or `after` between them run in parallel. */
  step<OI, O>(id: string, operation: Operation<OI, O>, input: Bound<OI>, options?: StepOptions): Step<O>
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

/** What a step is before and after, unless its options say. */
const defaultStates = { initialState: 'NotStarted', targetState: 'Completed' }

/** Steps in one workflow: a job, its steps and one document of the user's fit one transaction of 100 operations. */
export const maxSteps = 98

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
  const steps: PlanStep[] = []
  const problems: string[] = []
  if (!namePattern.test(name)) problems.push(`its name must match ${String(namePattern)}`)
  if (!Number.isInteger(version) || version < 1)
    problems.push(`version ${version} must be a whole number from 1`)
  build({
    input: reference<I>(['input']),
    step: (id, operation, input, stepOptions = {}) => {
      problems.push(...problemsOf(id, stepOptions, steps))
      steps.push(compileStep({ id, operation, input, options: stepOptions, earlier: steps, problems }))
      return { id, output: reference(['steps', id, 'output']) }
    },
  })
  if (steps.length === 0) problems.push('it has no steps')
  if (steps.length > maxSteps)
    problems.push(`it has ${steps.length} steps; at most ${maxSteps} fit one transaction`)
  if (problems.length > 0) throw new WorkflowInvalid(name, problems)
  const plan: Plan = { workflow: name, version, steps, onExhausted: 'error' }
  return Object.freeze({ name, plan, submission })
}

/** Whether a value (an export of a user's module, say) is a workflow. */
export function isWorkflow(value: unknown): value is Workflow<unknown> {
  return (
    typeof value === 'object' && value !== null && 'plan' in value && 'submission' in value && 'name' in value
  )
}

function problemsOf(id: string, options: StepOptions, earlier: readonly PlanStep[]): string[] {
  const problems: string[] = []
  const say = (what: string): void => void problems.push(`step ${JSON.stringify(id)}: ${what}`)
  if (!namePattern.test(id)) say(`its id must match ${String(namePattern)}`)
  if (earlier.some((step) => step.id === id)) say('its id is used twice')
  const durations: [string, Duration | undefined][] = [
    ['completeWithin', options.completeWithin],
    ['retryBackoff.min', options.retryBackoff?.min],
    ['retryBackoff.max', options.retryBackoff?.max],
  ]
  for (const [option, value] of durations) {
    if (value !== undefined && durationMs(value) === null) {
      say(
        `${option} ${JSON.stringify(value)} must be a positive duration such as '30s' or a number of milliseconds`,
      )
    }
  }
  const { min = 1, max = 2 ** 52 } = options.retryBackoff ?? {}
  if ((durationMs(min) ?? 0) > (durationMs(max) ?? Infinity))
    say(`retryBackoff.min ${min} is longer than max ${max}`)
  const { maxFailures = 1 } = options
  const { initialState, targetState } = { ...defaultStates, ...options }
  if (!Number.isInteger(maxFailures) || maxFailures < 1) {
    say(`maxFailures ${maxFailures} must be a whole number from 1`)
  }
  if (initialState === targetState)
    say(`initialState and targetState are both ${JSON.stringify(initialState)}`)
  for (const step of options.after ?? []) {
    if (!earlier.some((known) => known.id === step.id))
      say(`after ${JSON.stringify(step.id)}: no such earlier step`)
  }
  return problems
}

interface StepDraft {
  readonly id: string
  readonly operation: { readonly actor: string; readonly action: string }
  readonly input: unknown
  readonly options: StepOptions
  readonly earlier: readonly PlanStep[]
  readonly problems: string[]
}

function compileStep({ id, operation, input, options, earlier, problems }: StepDraft): PlanStep {
  const template = templateOf(id, input, problems)
  const referredTo = stepsReferredTo(template)
  for (const other of referredTo) {
    // A reference carried over from another workflow would be waited for without end.
    if (!earlier.some((step) => step.id === other)) {
      problems.push(
        `step ${JSON.stringify(id)}: its input refers to step ${JSON.stringify(other)}: no such earlier step`,
      )
    }
  }
  const dependsOn = new Set([...referredTo, ...(options.after ?? []).map((step) => step.id)])
  return {
    id,
    actor: operation.actor,
    action: operation.action,
    input: template,
    dependsOn: [...dependsOn],
    completeWithinMs: durationMs(options.completeWithin ?? '1m') ?? 0,
    maxFailures: options.maxFailures ?? 3,
    retryBackoff: {
      minMs: durationMs(options.retryBackoff?.min ?? '1s') ?? 0,
      maxMs: durationMs(options.retryBackoff?.max ?? '1m') ?? 0,
    },
    initialState: options.initialState ?? defaultStates.initialState,
    targetState: options.targetState ?? defaultStates.targetState,
  }
}

function templateOf(id: string, input: unknown, problems: string[]): Json {
  try {
    return toTemplate(input, 'input')
  } catch (error) {
    if (!(error instanceof NotPlainDataError)) throw error
    problems.push(`step ${JSON.stringify(id)}: ${error.message}`)
    return null
  }
}
