import { namePattern, type Operation } from './agent.js'
import { conditionTemplate } from './condition.js'
import type { Json } from './documents.js'
import { durationMs } from './duration.js'
import { stepsReferredTo, type Plan, type PlanStep, type StepKind } from './plan.js'
import { NotPlainDataError, reference, toTemplate, type Reference } from './reference.js'
import {
  defaultStates,
  optionProblems,
  policyOf,
  type OnExhausted,
  type StepOptions,
  type Undo,
} from './step-options.js'
import { undoProblems } from './undo-problems.js'

/** A step of a workflow being defined; `output` refers to what its operation will return. */
export interface Step<O> {
  readonly id: string
  readonly output: Reference<O>
}

/** Steps in one workflow: each has an entry in the ledger of its job, which is written with every one of them. */
export const maxSteps = 1_000

/** A step as it is defined. */
export interface StepDraft<OI, O> {
  readonly id: string
  readonly operation: Pick<Operation<OI, O>, 'actor' | 'action'>
  readonly kind?: StepKind
  readonly input: unknown
  readonly options: StepOptions & { readonly undo?: Undo<O> }
}

/** A workflow while its definition runs: the steps so far, and everything found wrong. */
export class PlanDraft {
  private readonly steps: PlanStep[] = []
  private readonly inheriting = new Set<string>()
  private readonly withoutUndo = new Set<string>()
  private readonly problems: string[] = []
  private onExhausted: OnExhausted = 'error'
  private maxGenerations = 3

  problem(what: string): void {
    this.problems.push(what)
  }

  setOnExhausted(policy: OnExhausted, maxGenerations = 3): void {
    this.onExhausted = policy
    this.maxGenerations = maxGenerations
    this.problems.push(...optionProblems({ onExhausted: policy }).map((what) => `job.onExhausted: ${what}`))
    if (!Number.isInteger(maxGenerations) || maxGenerations < 1) {
      this.problem(`maxGenerations ${maxGenerations} must be a whole number from 1`)
    }
  }

  addStep<OI, O>({ id, operation, kind = 'operation', input, options }: StepDraft<OI, O>): Step<O> {
    const say = (what: string): void => this.problem(`step ${JSON.stringify(id)}: ${what}`)
    if (!namePattern.test(id)) say(`its id must match ${String(namePattern)}`)
    if (this.has(id)) say('its id is used twice')
    for (const what of optionProblems(options)) say(what)
    const template = this.template(id, 'its input', () => toTemplate(input, 'input'))
    const undo = this.undoOf(id, options)
    const { when } = options
    const condition = when && this.template(id, 'its condition', () => conditionTemplate(when))
    const dependsOn = this.dependencies(id, options, [[template, condition ?? null], undo?.input ?? null])
    if (options.onExhausted === undefined) this.inheriting.add(id)
    if (options.undo === undefined) this.withoutUndo.add(id)
    this.steps.push({
      id,
      kind,
      when: condition ?? null,
      actor: operation.actor,
      action: operation.action,
      input: template,
      dependsOn,
      completeWithinMs: durationMs(options.completeWithin ?? '1m') ?? 0,
      maxFailures: options.maxFailures ?? 3,
      retryBackoff: {
        minMs: durationMs(options.retryBackoff?.min ?? '1s') ?? 0,
        maxMs: durationMs(options.retryBackoff?.max ?? '1m') ?? 0,
      },
      initialState: options.initialState ?? defaultStates.initialState,
      targetState: options.targetState ?? defaultStates.targetState,
      undo,
      onExhausted: policyOf(options.onExhausted ?? 'error') ?? 'error',
      isClaimRequired: options.claim ?? false,
    })
    return { id, output: reference(['steps', id, 'output']) }
  }

  /** The plan, and everything that is wrong with it. */
  compile(): { readonly plan: Omit<Plan, 'workflow' | 'version'>; readonly problems: readonly string[] } {
    const onExhausted = policyOf(this.onExhausted) ?? 'error'
    const steps = this.steps.map((step) => (this.inheriting.has(step.id) ? { ...step, onExhausted } : step))
    if (steps.length === 0) this.problem('it has no steps')
    if (steps.length > maxSteps) {
      this.problem(`it has ${steps.length} steps; a workflow has at most ${maxSteps}: divide it`)
    }
    this.problems.push(...undoProblems(steps, this.withoutUndo))
    return { plan: { steps, onExhausted, maxGenerations: this.maxGenerations }, problems: this.problems }
  }

  private has(id: string): boolean {
    return this.steps.some((step) => step.id === id)
  }

  private undoOf<O>(id: string, options: StepOptions & { readonly undo?: Undo<O> }): PlanStep['undo'] {
    const { undo, undoUncertain = true } = options
    if (undo === undefined || undo === 'none') return null
    const none = { actor: '', action: '', input: null }
    const call = this.template(id, 'its undo', () => undo(reference<O>(['steps', id, 'output']))) ?? none
    return { actor: call.actor, action: call.action, input: call.input, whenUncertain: undoUncertain }
  }

  /** What must be done first: every step referred to, and those named in `after`. */
  private dependencies(
    id: string,
    { after = [] }: StepOptions,
    [inputs, undo]: readonly [readonly Json[], Json],
  ): string[] {
    const say = (what: string): void => this.problem(`step ${JSON.stringify(id)}: ${what}`)
    for (const step of after) {
      if (!this.has(step.id)) say(`after ${JSON.stringify(step.id)}: no such earlier step`)
    }
    const byInput = stepsReferredTo(inputs)
    const byUndo = stepsReferredTo(undo)
    byUndo.delete(id)
    // A reference carried over from another workflow would be waited for without end.
    for (const [what, referredTo] of [
      ['input', byInput],
      ['undo', byUndo],
    ] as const) {
      for (const other of referredTo) {
        if (!this.has(other)) say(`its ${what} refers to step ${JSON.stringify(other)}: no such earlier step`)
      }
    }
    return [...new Set([...byInput, ...byUndo, ...after.map((step) => step.id)])]
  }

  private template<T>(id: string, what: string, make: () => T): T | null {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof NotPlainDataError)) throw error
      this.problem(`step ${JSON.stringify(id)}: ${what === 'its input' ? '' : `${what}: `}${error.message}`)
      return null
    }
  }
}
