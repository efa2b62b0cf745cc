import type { Json } from '../../src/sas/model/documents.js'
import type { Plan } from '../../src/sas/plan/plan.js'

/**
 * The commands of operators in a world. `edit` is a resubmit with another input, and `release shown` releases only the step
 * whose flag the job shows. `snooze` and `assign` triage this flag.
 */
export type CommandName = 'cancel' | 'release' | 'release shown' | 'resubmit' | 'edit' | 'snooze' | 'assign'

/** A bounded world: its jobs, and everything that may happen to them. */
export interface World {
  readonly name: string
  readonly plan: Plan
  /** How many jobs of the plan are submitted at the same moment. */
  readonly jobs: 1 | 2
  /** The outputs that steps may return. */
  readonly outputs: readonly Json[]
  /** Milliseconds for the whole job, or null for no limit. */
  readonly completeWithinMs: number | null
  readonly retainForMs: number | null
  readonly commands: readonly CommandName[]
  /** The number of commands for each job. */
  readonly mostCommands: number
  /** Whether two agents instances may make one attempt at the same time. */
  readonly overlaps: boolean
  /** Whether schedulers may have replaced versions of steps, or miss steps that they did not ask for. */
  readonly staleReads: boolean
  /** Whether handlers may call the service more than once within one attempt. */
  readonly tries: boolean
  /** Whether calls may arrive after their callers are gone. */
  readonly lateCalls: boolean
  /** Whether attempts may ask for more time. */
  readonly extends: boolean
  /** Whether hosts may stop and give attempts back. */
  readonly stops: boolean
}
