import { isName, nameRule, type Operation, type OperationCall } from '../agents/agent.js'
import { callBy } from './operation-names.js'
import { withKnownMethods } from './known-builder.js'
import { meantOptions, workflowOptions } from './workflow-options.js'
import { optionsOf } from './given-options.js'
import type { Duration } from '../../platform/index.js'
import { readOptions, shown } from '../../platform/options.js'
import { addSleep, type SleepOptions } from './sleep.js'
import { addRepeat, type RepeatOptions } from './repeat.js'
import { addQuestion, type AskOptions, type QuestionDraft } from './ask.js'
import type { JobLimit } from './limits.js'
import { addForEachJob, type ForEachJobOptions, type ItemsResult } from './each-job.js'
import { addForEach, type ForEachDraft, type ForEachOptions } from './for-each.js'
import { withSecrets } from './secrets.js'
import { readInputSchema, type InputCheck, type InputSchema } from './input-schema.js'
import type { Step } from '../model/values/step-handle.js'
import { PlanDraft, type Drafted } from './plan-draft.js'
import type { Plan } from '../plan/plan.js'
import { WorkflowInvalid } from '../model/errors.js'
import { reference, type Reference, type ValueOf, type ValueOrReference } from '../model/values/reference.js'
import type { Tags } from '../model/tags.js'
import type { OnExhausted, StepOptions, Undo } from './step-options.js'
import type { JsonSchema, ZodSchema } from '../waiting/form.js'
import { addRun } from './sub-workflow.js'
import { addWaitFor, type CollectOptions, type WaitOptions } from './wait-for.js'

/** The argument of a workflow definition. Its methods add steps to the workflow. */
export interface WorkflowBuilder<I> {
  /** A reference to the input of the job. */
  readonly input: Reference<I>
  /**
   * Adds a step. Steps run in parallel unless one depends on the other, by references or by `after`, directly
   * or through other steps.
   */
  step<OI, O>(
    id: string,
    operation: Operation<OI, O>,
    input: ValueOrReference<OI>,
    options?: StepOptions & { readonly undo?: Undo<O> },
  ): Step<O>
  /**
   * Adds a step that is done a given time after it begins, or at an instant (ISO-8601). With `orUntil`, the
   * step is done earlier if that step is over, whatever its outcome.
   */
  sleep(
    id: string,
    time: Duration | { readonly until: ValueOrReference<string> },
    options?: SleepOptions,
  ): Step<null>
  /**
   * Adds a step that is done when `client.raiseEvent` is called with the id of the step, even if the call
   * comes before the step begins. The output of the step is the payload of the event. If no event comes
   * within `completeWithin` (default `'1d'`), the step has no attempts left, and its `onExhausted` applies.
   */
  waitFor<T>(id: string, options?: WaitOptions & { readonly count?: never }): Step<T>
  /**
   * Adds a step that collects `count` events, and is done when the last of them was raised. Its output is the list
   * of their payloads, in the order in which they arrived. `client.raiseEvent` gives each event a key, and events
   * with the same key count once. If fewer events come within `completeWithin`, the step has no attempts left, and
   * its `onExhausted` applies. A job that goes on without the step finds in its output what has arrived.
   */
  waitFor<T>(id: string, options: CollectOptions): Step<readonly T[]>
  /**
   * Adds a step that calls its operation in rounds, until the condition `until` holds for the output of a
   * round, for example to poll a service. The output of the step is the output of the last round. The
   * operation finds the output of the round before in `context.previous`. Each round has a key and attempts
   * of its own. A round that fails permanently, or `atMost` rounds without the wanted output, give up the step,
   * and its `onExhausted` applies.
   */
  repeat<OI, O>(
    id: string,
    operation: Operation<OI, O>,
    input: ValueOrReference<OI>,
    options: RepeatOptions<O> & { readonly undo?: Undo<O> },
  ): Step<O>
  /**
   * Adds a step that asks people a question, and is done when one of them has answered with `client.answer`,
   * `stepward answer` or the page. The output of the step is the answer, which fits the `form`: a schema of
   * zod 4, or a JSON Schema. Without a form, the answer is true or false. If no answer comes within
   * `completeWithin` (default `'7d'`), the outcome of the step is `timedOut`, and its `onExhausted` applies.
   */
  ask(id: string, options: AskOptions & { readonly form?: never }): Step<boolean>
  ask<T = unknown>(id: string, options: AskOptions & { readonly form: ZodSchema<T> | JsonSchema }): Step<T>
  /**
   * Adds one step for each item of a list (`id-0`, `id-1` and so on), in parallel. The list is part of the
   * job's input or of an earlier step's output. The returned step is done when the steps of all items are
   * done, and its output is the list of their outputs. If the list is empty, the returned step is done
   * immediately. If the step of an item fails permanently, it is handled like any other failed step.
   */
  forEach<E, O>(
    id: string,
    list: Reference<readonly E[]>,
    call: (item: Reference<E>, index: number) => OperationCall<O>,
    options?: ForEachOptions<E, O>,
  ): Step<readonly O[]>
  /**
   * Makes each item of a list a job of its own, whose input is the item. Use it for lists of more than 1,000
   * items. The step is done when all these jobs have ended. Its output says how many were done and failed.
   */
  forEach<E>(
    id: string,
    list: Reference<readonly E[]>,
    workflow: Workflow<E>,
    options?: ForEachJobOptions,
  ): Step<ItemsResult>
  /**
   * Adds the steps of another workflow, each with the id prefix `id-`. The returned step is done when all
   * these steps are done, and its output is the result of the other definition.
   */
  run<SI, SO>(
    id: string,
    workflow: Workflow<SI, SO>,
    input: ValueOrReference<SI>,
    options?: Pick<StepOptions, 'after' | 'when'>,
  ): Step<SO>
  /**
   * Sets the failure policy for every step without its own `onExhausted`. Default `'error'`. `maxGenerations`
   * limits `compensateThenRetry`: after that number of generations, the job is undone and ends in error.
   * Default 3.
   */
  onExhausted(policy: OnExhausted, limits?: { readonly maxGenerations?: number }): void
  /**
   * Sets how many jobs may run at once, for each value of a key. A job that has no room waits before its first step.
   * It has a place from its first step until it ends, also while it is undone. With `atOnce: 1`, the jobs of one
   * key run one after another. Jobs of all workflows share the limits of jobs. They are apart from the limits of
   * steps, and their keys begin with `jobs:` where operators see them. At most 5 limits.
   */
  limits(limits: readonly JobLimit[]): void
}

/** A document of the user that is created in the same transaction as the job. */
export interface Alongside {
  readonly create: Readonly<Record<string, unknown>>
}

/** Defaults for submissions of a workflow. */
export interface SubmissionDefaults<I> {
  /**
   * The schema of the input: a JSON Schema, or a schema of zod 4. Each submission is checked, and refused if its
   * input does not fit. The schema changes no value.
   */
  readonly input?: InputSchema
  /**
   * The parts of values that people must not see, such as `input.card.number` or `steps.pay.output.token`. `*`
   * stands for every item of a list or every name. The page and `stepward status` hide them, also where a step
   * passes them on, and a value that a step computes from them must be named too. A part of the schema of the
   * input, or of the form of a question, is also secret with `secret: true`, in zod with `.meta({ secret: true })`.
   */
  readonly secrets?: readonly string[]
  /** Converts a value from a file or a request to an input, or throws an Error with the reason. */
  readonly parse?: (input: unknown) => I
  /** Returns the id of the job. Submissions with the same id are one job. */
  readonly jobId?: (input: I) => string
  /** Returns the partition key of the job. Default: the job's id. */
  readonly partitionKey?: (input: I) => string
  /** The priority of the jobs. Default 0. */
  readonly priority?: number
  /** The time within which a job must be done. Default: no limit. */
  readonly completeWithin?: Duration
  /** The time for which a job is kept after it has ended well. Default: no limit. */
  readonly retainFor?: Duration
  /** Returns the tags of the job, at most 10. A list of jobs can be filtered by tags. */
  readonly tags?: (input: I) => Tags
  /** Returns documents to create with the job, in the job's logical partition. */
  readonly alongside?: (input: I) => readonly Alongside[]
}

const definition = Symbol('stepward.workflow')

/**
 * A workflow, with its plan and its submission defaults. `O` is the type of the output that it has when
 * another workflow runs it.
 */
export interface Workflow<I, O = unknown> {
  readonly name: string
  /** @internal */
  readonly plan: Plan
  readonly submission: SubmissionDefaults<I>
  /** @internal */
  readonly checkInput?: InputCheck
  readonly [definition]: unknown
  /** Never set. The property only carries the type of the output. */
  readonly output?: O
}

/** What has a plan, such as a workflow. The published type of a workflow leaves out its plan. */
export interface Planned {
  readonly plan: Plan
}

/** The defaults of the workflow's submissions, and its version, which is only a label. */
export type WorkflowOptions<I> = SubmissionDefaults<I> & { readonly version?: number }

/**
 * Defines a workflow. `build` runs once, during this call, and only describes the steps. The result is a plan
 * in plain JSON, which is stored with every job. `build` may return a value made of references and JSON. If
 * another workflow runs this workflow as a step, the value is the output of that step. The compiler infers the type of the
 * output if `build` says the type of its parameter, as in `(job: WorkflowBuilder<Order>) => …`.
 *
 * @throws WorkflowInvalid with a list of all problems, such as bad or repeated names, bad durations or
 *   limits, and values that are not JSON
 */
export function defineWorkflow<I, B = unknown>(
  name: string,
  build: (job: WorkflowBuilder<I>) => B,
  options?: WorkflowOptions<I>,
): Workflow<I, ValueOf<B>>
/** The type of the output is named: the value may be made of references to values of this type. */
export function defineWorkflow<I, O>(
  name: string,
  build: (job: WorkflowBuilder<I>) => ValueOrReference<O>,
  options?: WorkflowOptions<I>,
): Workflow<I, O>
export function defineWorkflow<I>(
  name: string,
  build: (job: WorkflowBuilder<I>) => unknown,
  options?: WorkflowOptions<I>,
): Workflow<I> {
  const given = options ?? {}
  if (typeof build !== 'function')
    throw new WorkflowInvalid(name, [
      `its definition is ${shown(build)}; write defineWorkflow('sale', (job) => …)`,
    ])
  const { version: _version, secrets: _secrets, ...submission } = given
  const { values, problems: wrong } = readOptions(workflowOptions, given, meantOptions)
  const { version } = values
  const draft = new PlanDraft()
  if (!isName(name)) draft.problem(`its name ${nameRule}`)
  for (const what of wrong) draft.problem(what)
  const schema = given.input === undefined ? null : readInputSchema(given.input)
  if (schema !== null && 'problem' in schema) draft.problem(schema.problem)
  const returned: unknown = build(builderOf<I>(draft))
  const compiled = draft.compile(returned)
  const isRead = schema !== null && 'check' in schema
  const { plan, drafted, problems } = withSecrets(compiled, values.secrets, isRead ? schema.stored : null)
  if (problems.length > 0) throw new WorkflowInvalid(name, problems)
  return Object.freeze({
    name,
    plan: { workflow: name, version, ...plan, ...(isRead ? { inputSchema: schema.stored } : {}) },
    submission,
    ...(isRead ? { checkInput: schema.check } : {}),
    [definition]: drafted,
  })
}

function builderOf<I>(draft: PlanDraft): WorkflowBuilder<I> {
  const callOf = (id: string, operation: unknown, input: unknown) => () =>
    callBy(draft, { id, operation, input })
  return withKnownMethods<WorkflowBuilder<I>>({
    input: reference<I>(['input']),
    step: (id, operation, input, options) =>
      draft.addStep({
        id,
        call: callOf(id, operation, input),
        options: optionsOf(draft, id, 'step', options ?? {}),
      }),
    repeat: (id, operation, input, options) =>
      addRepeat(draft, {
        id,
        call: callOf(id, operation, input),
        options: optionsOf(draft, id, 'repeat', options),
      }),
    sleep: (id, time, options) => addSleep(draft, id, time, optionsOf(draft, id, 'sleep', options ?? {})),
    waitFor: (id: string, options: WaitOptions & { readonly count?: number } = {}) =>
      addWaitFor<never>(draft, id, optionsOf(draft, id, 'waitFor', options)),
    ask: <T>(id: string, options: QuestionDraft) => addQuestion<T>(draft, id, options),
    forEach: <E>(id: string, list: Reference<readonly E[]>, each: unknown, options: object = {}) =>
      (isWorkflow(each)
        ? addForEachJob(draft, {
            id,
            list,
            workflow: each,
            options: optionsOf(draft, id, 'forEachJob', options),
          })
        : addForEach(draft, {
            id,
            list,
            call: each as ForEachDraft<E, unknown>['call'],
            options: optionsOf(draft, id, 'forEach', options),
          })) as Step<never>,
    run: (id, workflow, input, options) =>
      addRun(draft, {
        id,
        drafted: isWorkflow(workflow) ? (workflow[definition] as Drafted) : undefined,
        input,
        options: optionsOf(draft, id, 'run', options ?? {}),
      }),
    onExhausted: (policy, limits = {}) => draft.setOnExhausted(policy, limits),
    limits: (limits) => draft.setLimits(limits),
  })
}

/** Checks whether a value, such as an export of a user's module, is a workflow. */
export function isWorkflow(value: unknown): value is Workflow<unknown> {
  return (
    typeof value === 'object' && value !== null && 'plan' in value && 'submission' in value && 'name' in value
  )
}
