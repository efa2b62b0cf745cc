import type { ExhaustionPolicy, Json } from '../model/documents.js'

/**
 * Who ends a step: an agent; or the scheduler, when its time has come, its event was raised, or, for one that gathers,
 * as soon as it begins.
 */
export type StepKind = 'operation' | 'sleep' | 'waitFor' | 'gather'

/** Steps in one workflow: the job names each of them, and must stay small. */
export const maxSteps = 1_000

/** One step of a {@link Plan}, as plain JSON. */
export interface PlanStep {
  readonly id: string
  readonly kind: StepKind
  /** A condition, as JSON; null for always. */
  readonly when: Json
  readonly actor: string
  readonly action: string
  /** The step's input, with references into the job's input and earlier outputs. */
  readonly input: Json
  /** Every step that must be done first: those referred to, and those named in `after`. */
  readonly dependsOn: readonly string[]
  readonly completeWithinMs: number
  readonly maxFailures: number
  readonly retryBackoff: { readonly minMs: number; readonly maxMs: number }
  readonly initialState: string
  readonly targetState: string
  /** How what the step did is undone; null when there is nothing to undo. */
  readonly undo: PlanUndo | null
  readonly onExhausted: ExhaustionPolicy
  /** Whether an agent claims each attempt before it acts. */
  readonly isClaimRequired: boolean
}

/** The undo of a {@link PlanStep}: its input may also refer to the step's own output. */
export interface PlanUndo {
  readonly actor: string
  readonly action: string
  readonly input: Json
  readonly whenUncertain: boolean
}

/**
 * What a workflow definition compiles to, and what travels with each job: no code, so the scheduler and the supervisor
 * never need a deployment when a workflow changes, and versions live side by side.
 */
export interface Plan {
  readonly workflow: string
  readonly version: number
  readonly steps: readonly PlanStep[]
  readonly onExhausted: ExhaustionPolicy
  /** Generations, at most, of `compensateThenRetry`. */
  readonly maxGenerations: number
}

/** A step, and what its definition left to its workflow. */
export interface DraftedStep {
  readonly step: PlanStep
  readonly name: string
  readonly inheritsPolicy: boolean
  readonly saysHowToUndo: boolean
}
