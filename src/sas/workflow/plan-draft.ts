import { tooLate } from './question-times.js'
import { isName, nameRule, type OperationCall } from '../agents/agent.js'
import { conditionTemplate } from '../plan/condition.js'
import { conditionProblem, stepsAskedForFailure } from '../plan/condition-problem.js'
import type { ExhaustionPolicy, Json } from '../model/documents.js'
import { readOptions } from '../../platform/options.js'
import { maxSteps, type Plan, type PlanStep, type StepKind, type DraftedStep } from '../plan/plan.js'
import type { Limit } from '../gates/limit-options.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { PlanQuestion } from '../model/question-parts.js'
import type { PlanRepeat } from '../model/step-parts.js'
import { isReference, reference } from '../model/values/reference.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import { NotPlainDataError, toTemplate } from '../model/values/to-template.js'
import {
  exhaustionShape,
  policyOf,
  readStepOptions,
  type OnExhausted,
  type StepOptions,
  type Undo,
} from './step-options.js'
import { stepsReferredTo, stepsWithPart } from '../plan/template.js'
import { limitsOf, limitsOfJobs, noteSharedLimits, templatesOf } from './limits.js'
import type { JobLimit, LimitedItems } from './limits.js'
import { emptyProblems, undoProblems } from './undo-problems.js'

type Call = Pick<OperationCall<unknown>, 'actor' | 'action' | 'input'> & {
  readonly limits?: readonly Limit[]
}

export interface StepDraft<O> {
  readonly id: string
  /** The name of the step in problems, if one call of the builder adds many steps. Default: the step's id. */
  readonly name?: string
  readonly kind?: StepKind
  readonly question?: PlanQuestion
  readonly count?: number | undefined
  readonly repeat?: PlanRepeat | undefined
  /** @throws NotPlainDataError if the input of the call is not JSON */
  readonly call: () => Call
  readonly options: StepOptions & { readonly undo?: Undo<O> }
}

/** The parts of a definition. They become the workflow's own plan, or a part of another workflow's plan. */
export interface Drafted {
  readonly steps: readonly DraftedStep[]
  /** Null if the definition does not call `onExhausted`. */
  readonly onExhausted: ExhaustionPolicy | null
  /** The template of the output that this workflow has as a part of another workflow. */
  readonly output: Json
  readonly hasLimits: boolean
}

export interface Compiled {
  readonly plan: Omit<Plan, 'workflow' | 'version'>
  readonly drafted: Drafted
  readonly problems: readonly string[]
}

/** Returns the call of a step that the scheduler ends, without an agent. */
export function byScheduler(input: Json): Call {
  return { actor: '', action: '', input }
}

/** Collects the steps and the problems of a workflow while its definition runs. */
export class PlanDraft {
  private readonly steps = new Map<string, DraftedStep>()
  private readonly problems = new Set<string>()
  private onExhausted: ExhaustionPolicy | null = null
  private maxGenerations = 3
  private limits: readonly PlanLimit[] | undefined
  /** The lists whose items are jobs with limits. */
  readonly limitedItems: LimitedItems[] = []

  problem(what: string): void {
    this.problems.add(what)
  }

  problemOf(stepId: string, what: string): void {
    this.problem(`step ${JSON.stringify(stepId)}: ${what}`)
  }

  setOnExhausted(policy: OnExhausted, limits: { readonly maxGenerations?: number }): void {
    const { values, problems } = readOptions(exhaustionShape, { policy, ...limits })
    for (const what of problems) this.problem(`job.onExhausted: ${what}`)
    this.onExhausted = problems.length > 0 ? 'error' : values.policy
    this.maxGenerations = values.maxGenerations
  }

  setLimits(given: readonly JobLimit[]): void {
    if (this.limits !== undefined)
      this.problem('job.limits is called twice; give it one list with all limits')
    this.limits = limitsOfJobs(this, given)
  }

  addStep<O>(drafted: StepDraft<O>): Step<O> {
    const { id, name = id, kind = 'operation', question, repeat, count, call, options } = drafted
    const { values, problems } = readStepOptions(options)
    for (const what of [...problems, ...tooLate(question, values)]) this.problemOf(name, what)
    const { actor, action, input, limits: ofOperation } = this.callOf(name, { kind, what: '', call })
    const undo = this.undoOf(id, name, options.undo, values.undoUncertain)
    const when = this.conditionOf(name, options)
    const limits = kind === 'operation' ? limitsOf(this, name, values.limits, ofOperation) : undefined
    const dependsOn = this.dependencies(name, values, {
      input: [input, when, ...templatesOf(limits)],
      undo: [undo?.input ?? null, repeat?.until ?? null],
      own: id,
    })
    const step: PlanStep = {
      id,
      kind,
      when,
      actor,
      action,
      input,
      dependsOn,
      completeWithinMs: values.completeWithin,
      maxFailures: values.retry.tries,
      retryBackoff: values.retry.backoff,
      initialState: values.initialState,
      targetState: values.targetState,
      undo,
      ...policyOf(values),
      isClaimRequired: values.claim,
      ...(question && { question }),
      ...(count !== undefined && { count }),
      ...(repeat && { repeat }),
      ...(limits && { limits }),
    }
    return this.include<O>({
      step,
      name,
      inheritsPolicy: values.onExhausted === null,
      saysHowToUndo: options.undo !== undefined,
    })
  }

  include<O>(drafted: DraftedStep): Step<O> {
    const { step, name } = drafted
    const { id } = step
    if (!isName(id)) {
      this.problemOf(name, `its id ${nameRule}`)
    }
    if (this.steps.has(id)) this.problemOf(id, 'its id is used twice')
    this.steps.set(id, drafted)
    return new StepHandle(id)
  }

  /** Returns the condition of the step called `name` as a template, or null if the step has no condition. */
  conditionOf(name: string, { when }: { readonly when?: StepOptions['when'] | undefined }): Json {
    if (when === undefined) return null
    const problem = conditionProblem(when)
    if (problem !== null) {
      this.problemOf(name, `when: ${problem}`)
      return null
    }
    const template = this.template(name, 'its condition: ', () => conditionTemplate(when))
    const never = stepsAskedForFailure(template).filter(
      (id) => this.steps.get(id)?.step.jobGoesOn === undefined,
    )
    for (const id of never.filter((stepId) => this.steps.has(stepId))) {
      const rule = `the job does not go on without step ${JSON.stringify(id)}, so no step can ask for its failure`
      this.problemOf(name, `when: ${rule}; give that step onExhausted: 'continue'`)
    }
    return template
  }

  /**
   * Returns the condition like `conditionOf`, for several steps. They would get different answers to a question
   * for what is done so far, so such a question is refused.
   */
  sharedConditionOf(name: string, options: { readonly when?: StepOptions['when'] | undefined }): Json {
    const when = this.conditionOf(name, options)
    if (stepsWithPart(when, 'outcomeSoFar').size === 0) return when
    const rule = "doneSoFar is asked by one step only: ask with job.sleep('late', 1, { when: … }), and write"
    this.problemOf(name, `when: ${rule} condition.done(late) here`)
    return null
  }

  /**
   * Returns the result of `make`. If the result is not plain data, notes a problem of step `name` and returns
   * null.
   */
  template<T>(name: string, what: string, make: () => T): T | null {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof NotPlainDataError)) throw error
      this.problemOf(name, `${what}${error.message}`)
      return null
    }
  }

  /**
   * Returns the ids of the steps that must be done first: the steps in `after` and the steps in references.
   * In the undo, references to the step `own` do not count.
   */
  dependencies(
    name: string,
    { after = [] }: Pick<StepOptions, 'after'>,
    { input, undo, own }: { readonly input: Json; readonly undo: Json; readonly own: string },
  ): string[] {
    const say = (what: string): void => this.problemOf(name, `${what}, but there is no such earlier step`)
    const byInput = stepsReferredTo(input)
    const byUndo = new Set(stepsReferredTo(undo))
    byUndo.delete(own)
    for (const { id } of after) if (!this.steps.has(id)) say(`after names step ${JSON.stringify(id)}`)
    const soFar = [...stepsWithPart(input, 'outcomeSoFar')].filter((stepId) => !this.steps.has(stepId))
    for (const id of soFar) say(`it asks about step ${JSON.stringify(id)}`)
    // A reference from another workflow would make the step wait indefinitely (F-D12).
    for (const [what, referredTo] of Object.entries({ input: byInput, undo: byUndo })) {
      const unknown = [...referredTo].filter((stepId) => !this.steps.has(stepId))
      for (const id of unknown) say(`its ${what} refers to step ${JSON.stringify(id)}`)
    }
    return [...new Set([...byInput, ...byUndo, ...after.map((step) => step.id)])]
  }

  /** Returns the plan and every problem of the definition. `returned` is the result of the definition. */
  compile(returned: unknown): Compiled {
    const drafted = [...this.steps.values()]
    const onExhausted = this.onExhausted ?? 'error'
    const complete = drafted.map((each) =>
      each.inheritsPolicy ? { ...each, step: { ...each.step, onExhausted } } : each,
    )
    const steps = complete.map(({ step }) => step)
    const output = this.outputOf(returned)
    if (steps.length > maxSteps) this.problem(`it has ${steps.length} steps; at most ${maxSteps} are allowed`)
    noteSharedLimits(this, this.limits, this.limitedItems)
    for (const what of [...emptyProblems(steps, this.problems), ...undoProblems(complete)]) this.problem(what)
    return {
      plan: {
        steps,
        onExhausted,
        maxGenerations: this.maxGenerations,
        ...(output === null ? {} : { output }),
        ...(this.limits && { limits: this.limits }),
      },
      drafted: {
        steps: drafted,
        onExhausted: this.onExhausted,
        output,
        hasLimits: this.limits !== undefined,
      },
      problems: [...this.problems],
    }
  }

  /**
   * Returns the call of a step or of its undo. The call is checked, because callers in JavaScript may ignore
   * types.
   */
  private callOf(
    name: string,
    {
      kind,
      what,
      call,
    }: Pick<StepDraft<unknown>, 'call'> & { readonly kind: StepKind; readonly what: string },
  ): Call {
    const made = this.template<unknown>(name, what, call)
    if (made === null) return byScheduler(null)
    const isOther = isReference(made) || made instanceof StepHandle
    const { actor = '', action = '', input = null, limits } = ((isOther ? null : made) ?? {}) as Partial<Call>
    if (kind !== 'operation' || (actor !== '' && action !== ''))
      return { actor, action, input, ...(limits && { limits }) }
    const rule = 'return the call of an operation, as in (output) => agent.operation({ … })'
    this.problemOf(name, `${what}no operation is called; ${rule}`)
    return byScheduler(null)
  }

  private outputOf(returned: unknown): Json {
    if (returned === undefined) return null
    try {
      const output = toTemplate(returned, 'its output')
      const unknown = [...stepsReferredTo(output)].filter((stepId) => !this.steps.has(stepId))
      for (const id of unknown)
        this.problem(`its output refers to step ${JSON.stringify(id)}, but there is no such step`)
      return output
    } catch (error) {
      if (!(error instanceof NotPlainDataError)) throw error
      this.problem(error.message)
      return null
    }
  }

  private undoOf<O>(
    id: string,
    name: string,
    undo: Undo<O> | undefined,
    whenUncertain: boolean,
  ): PlanStep['undo'] {
    // If `undo` is not a function, the check of the options reports it.
    if (typeof undo !== 'function') return null
    const output = reference<O>(['steps', id, 'output'])
    const call = this.callOf(name, { kind: 'operation', what: 'its undo: ', call: () => undo(output) })
    return { actor: call.actor, action: call.action, input: call.input, whenUncertain }
  }
}
