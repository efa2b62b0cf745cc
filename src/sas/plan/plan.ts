import type { ExhaustionPolicy, Json } from '../model/documents.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { PlanQuestion } from '../model/question-parts.js'
import type { PlanRepeat } from '../model/step-parts.js'
import type { SecretPath } from '../model/values/hidden.js'

/**
 * The kind of a step. An agent ends an `operation`. The scheduler ends the other kinds: `sleep` when its time
 * has come, `waitFor` when its event was raised, and `gather` as soon as it begins.
 */
export type StepKind = 'operation' | 'sleep' | 'waitFor' | 'gather'

/** The largest number of steps in a workflow. The job document names every step and must stay small. */
export const maxSteps = 1_000

/** One step of a {@link Plan}, as plain JSON. */
export interface PlanStep {
  readonly id: string
  readonly kind: StepKind
  /** The condition of the step as JSON. Null if the step always runs. */
  readonly when: Json
  readonly actor: string
  readonly action: string
  readonly input: Json
  /** The ids of the steps that must be done first: steps in references, and steps in `after`. */
  readonly dependsOn: readonly string[]
  readonly completeWithinMs: number
  readonly maxFailures: number
  readonly retryBackoff: { readonly minMs: number; readonly maxMs: number }
  readonly initialState: string
  readonly targetState: string
  readonly undo: PlanUndo | null
  readonly onExhausted: ExhaustionPolicy
  /** True if the job goes on without the step when the step is given up. Otherwise missing. */
  readonly jobGoesOn?: true
  readonly isClaimRequired: boolean
  /** The question of the step. Missing if the step asks no question. */
  readonly question?: PlanQuestion
  /** The number of events that a `waitFor` step collects. Missing if it waits for one event. */
  readonly count?: number
  /** How the step repeats. Missing if it runs once. */
  readonly repeat?: PlanRepeat
  /** The limits of the step. Missing if it has none. */
  readonly limits?: readonly PlanLimit[]
  /** The paths of secret values in the input, the output and the undo. Missing if there are none. */
  readonly secrets?: readonly SecretPath[]
}

/** The undo of a {@link PlanStep}. Its input may also refer to the step's own output. */
export interface PlanUndo {
  readonly actor: string
  readonly action: string
  readonly input: Json
  readonly whenUncertain: boolean
}

/**
 * The compiled form of a workflow definition, stored with each job. A plan contains no code. So a changed
 * workflow needs no deployment of the scheduler or the supervisor, and several versions of a workflow can run
 * at the same time.
 */
export interface Plan {
  readonly workflow: string
  readonly version: number
  readonly steps: readonly PlanStep[]
  readonly onExhausted: ExhaustionPolicy
  readonly maxGenerations: number
  /** What the workflow returns, with references. Missing if it returns nothing. */
  readonly output?: Json
  /** The JSON Schema of the input. A supervisor checks the jobs of schedules by it. Missing if there is none. */
  readonly inputSchema?: Json
  /** The limits of the jobs, whose keys refer only to the input. Missing if the jobs have none. */
  readonly limits?: readonly PlanLimit[]
  /** The paths of secret values in the input and the result of the job. Missing if no step has a secret either. */
  readonly secrets?: readonly SecretPath[]
}

/**
 * A step of a definition. The flags show whether the step uses the workflow's `onExhausted`, and whether its
 * `undo` is set.
 */
export interface DraftedStep {
  readonly step: PlanStep
  readonly name: string
  readonly inheritsPolicy: boolean
  readonly saysHowToUndo: boolean
}
