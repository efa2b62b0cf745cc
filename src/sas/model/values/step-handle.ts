import { guarded } from './guarded.js'
import { reference, type Reference } from './reference.js'

/**
 * The outcome of a step that is over.
 *
 * - `done`: the step succeeded.
 * - `failed`: the last attempt reported an error, and no attempt was left.
 * - `timedOut`: the last attempt gave no answer before its deadline, or no event came in time.
 * - `refused`: the handler failed permanently, or the step could not be dispatched.
 * - `skipped`: the condition of the step did not hold, or the step needed an output that does not exist.
 */
export type StepOutcome = 'done' | 'failed' | 'timedOut' | 'refused' | 'skipped'

/** A step of a workflow that is being defined. */
export interface Step<O> {
  readonly id: string
  /** The later result of the step's operation. */
  readonly output: Reference<O>
  /**
   * The outcome of the step. A step that refers to it waits until this step is over. The outcome matters for steps with `onExhausted: 'continue'` and for steps with a condition.
   */
  readonly outcome: Reference<StepOutcome>
}

const identifier = /^[A-Za-z_$][\w$]*$/u

function property(name: string): string {
  return identifier.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** The {@link Step} that the builder returns. Its class reveals it where its output is meant. */
export class StepHandle<O> implements Step<O> {
  readonly output: Reference<O>
  readonly outcome: Reference<StepOutcome>

  constructor(readonly id: string) {
    this.output = reference(['steps', id, 'output'])
    this.outcome = reference(['steps', id, 'outcome'])
    const step = `step ${JSON.stringify(id)}`
    return guarded(this, {
      whole: `${step} cannot be spread, changed, listed or turned into JSON; write its output, as in step.output`,
      looped: `${step} cannot be iterated; add a step for each item of its output with job.forEach`,
      property: (name) =>
        name === 'then'
          ? `${step} cannot be awaited: a definition only describes the steps; pass step.output to the next step`
          : `${step} has no ${JSON.stringify(name)}; write step.output${property(name)} for a part of its output`,
    })
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(
      `step ${JSON.stringify(this.id)} cannot be converted to text or a number; write text\`…\${step.output}…\` ` +
        'for a text that contains its output',
    )
  }
}
